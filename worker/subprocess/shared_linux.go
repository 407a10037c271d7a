package subprocess

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// newSharedFile gives an empty shared file in memory: what customers send does not come to lie on a disk that nobody has chosen for it.
func newSharedFile() (sharedFile, error) {
	const name = "einvoiced-run"
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) { // Linux before 6.3 does not know that a file is not to be executed
		fd, err = unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	}
	if err != nil {
		return sharedFile{}, os.NewSyscallError("memfd_create", err)
	}
	return sharedFile{os.NewFile(uintptr(fd), name)}, nil
}
