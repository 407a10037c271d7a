//go:build !linux

package apart

import (
	"errors"
	"os"
)

// newSheet gives an empty sheet: a temporary file without a name.
func newSheet() (sheet, error) {
	file, err := os.CreateTemp("", "einvoiced-run")
	if err != nil {
		return sheet{}, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return sheet{}, errors.Join(err, file.Close())
	}
	return sheet{file}, nil
}
