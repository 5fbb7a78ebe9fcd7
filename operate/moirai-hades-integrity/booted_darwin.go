package main

import (
	"encoding/binary"
	"syscall"
	"time"
)

// booted is when the machine started, and /tmp with it was emptied.
func booted(time.Time) time.Time {
	// A struct timeval, of which syscall.Sysctl may take a last zero byte.
	raw, err := syscall.Sysctl("kern.boottime")
	if err != nil || len(raw) < 8 {
		return time.Time{}
	}
	return time.Unix(int64(binary.LittleEndian.Uint64([]byte(raw))), 0)
}
