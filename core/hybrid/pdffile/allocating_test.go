package pdffile_test

import "runtime"

// allocating gives how many bytes a function allocates.
func allocating(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
