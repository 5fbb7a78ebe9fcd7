package main

// kilobytes turns ru_maxrss into bytes.
func kilobytes(n int64) int64 { return n << 10 }
