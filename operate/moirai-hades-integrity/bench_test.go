package main_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"

	"moirai/moiraicore"
)

// tokenFiles is how many the probe shall judge in 50 ms (docs/SPEED.md).
const tokenFiles = 10_000

// BenchmarkProbe is one run of the installed probe with very many token files,
// one in three of a load in pages, and as the floor under it the same files
// opened, read and closed by one thread and by one for each processor.
func BenchmarkProbe(b *testing.B) {
	tr := fresh(b)
	paged := slices.Concat([]string{"@30 PAGE_1_OF_2 SessionStart main " + digest, "@30 PAGE_2_OF_2 SessionStart main " + digest}, sound)
	var paths []string
	for i := range tokenFiles {
		lines := sound
		if i%3 == 0 {
			lines = paged
		}
		paths = append(paths, token(tr, fmt.Sprintf("%08x-5a17-4f66-a1d4-7f4a0c6f%04x", i*2654435761%(1<<32), i), lines...))
	}
	b.Run("probe", func(b *testing.B) {
		for b.Loop() {
			if res := probe(tr); res.Code != 0 {
				b.Fatalf("exit %d: %s%s", res.Code, res.Stdout, res.Stderr)
			}
		}
	})
	for _, threads := range []int{1, runtime.NumCPU()} {
		b.Run(fmt.Sprintf("open, read, close/threads=%d", threads), func(b *testing.B) {
			for b.Loop() {
				readAll(b, paths, threads)
			}
		})
	}
	tr.Must(os.RemoveAll(moiraicore.TokenParent))
}

func readAll(b *testing.B, paths []string, threads int) {
	var group sync.WaitGroup
	for w := range threads {
		group.Go(func() {
			buf := make([]byte, 16<<10)
			for i := w; i < len(paths); i += threads {
				fd, err := syscall.Open(paths[i], syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
				if err == nil {
					_, err = syscall.Read(fd, buf)
					syscall.Close(fd)
				}
				if err != nil {
					b.Error(paths[i], err)
					return
				}
			}
		})
	}
	group.Wait()
}
