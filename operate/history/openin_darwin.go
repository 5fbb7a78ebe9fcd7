package history

import (
	"os"
	"syscall"
)

// openIn opens a file by its path: package syscall has no Openat here.
func openIn(dir *os.File, name string, flags int) (int, error) {
	return syscall.Open(dir.Name()+"/"+name, flags, 0)
}
