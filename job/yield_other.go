//go:build !linux

package job

// yieldThread does nothing: not every system has such a call.
func yieldThread() {}
