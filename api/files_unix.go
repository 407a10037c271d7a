//go:build unix

package api

import (
	"math"
	"syscall"
)

// openFiles is how many files the process may have open; 0 where there is no bound.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil || uint64(limit.Cur) > math.MaxInt32 {
		return 0
	}
	return int(limit.Cur)
}
