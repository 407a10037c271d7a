package blob

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// flush takes n bytes of a file from an offset on to the disk, and waits for that. It promises nothing: only Sync does.
func flush(file *os.File, offset, n int64) error {
	const all = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
	raw, err := file.SyscallConn()
	if err != nil {
		return fmt.Errorf("flush a file: %w", err)
	}
	var fault error
	err = raw.Control(func(fd uintptr) { fault = unix.SyncFileRange(int(fd), offset, n, all) })
	switch {
	case err != nil:
		return fmt.Errorf("flush a file: %w", err)
	case fault == unix.ENOSYS, fault == unix.EINVAL, fault == unix.ESPIPE, fault == unix.EPERM: // the file system or what confines the process has no such call
		return nil
	}
	return fault
}
