package trial

import (
	"os"
	"path/filepath"
	"syscall"

	"moirai/operate/wiring"
)

// coverManaged puts private views over /etc and /opt: what is managed is
// written there, and the machine's own is not touched.
func coverManaged(scratch string) error {
	for _, dir := range []string{filepath.Dir(wiring.ManagedSettings), filepath.Dir(wiring.ManagedPrograms)} {
		upper, work := filepath.Join(scratch, "upper"+dir), filepath.Join(scratch, "work"+dir)
		for _, d := range []string{upper, work} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				return err
			}
		}
		options := "lowerdir=" + dir + ",upperdir=" + upper + ",workdir=" + work
		if err := syscall.Mount("overlay", dir, "overlay", 0, options); err != nil {
			return &os.PathError{Op: "mount overlay", Path: dir, Err: err}
		}
	}
	return nil
}

func clearManaged() error {
	if err := os.RemoveAll(wiring.ManagedSettings); err != nil {
		return err
	}
	return os.RemoveAll(wiring.ManagedPrograms)
}
