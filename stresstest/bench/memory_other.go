//go:build !linux

package main

// kilobytes turns ru_maxrss into bytes, which it is already here.
func kilobytes(n int64) int64 { return n }
