package apart

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// newSheet gives an empty sheet in memory: what customers send does not come to lie on a disk that nobody has chosen for it.
func newSheet() (sheet, error) {
	const name = "einvoiced-run"
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) { // Linux before 6.3 does not know that a file is not to be executed
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	}
	if err != nil {
		return sheet{}, os.NewSyscallError("memfd_create", err)
	}
	return sheet{os.NewFile(uintptr(fd), name)}, nil
}
