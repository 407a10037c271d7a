//go:build !linux

package subprocess

import (
	"errors"
	"os"
)

// newSharedFile gives an empty shared file: a temporary file without a name.
func newSharedFile() (sharedFile, error) {
	file, err := os.CreateTemp("", "einvoiced-run")
	if err != nil {
		return sharedFile{}, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return sharedFile{}, errors.Join(err, file.Close())
	}
	return sharedFile{file}, nil
}
