package oracles

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Code is a QR code as it is read in a picture: its text, and its level of error correction (L, M, Q, H).
type Code struct{ Text, Level string }

// ReadCodes reads the QR codes in pictures by zxing-cpp, for each picture in the order of the reader. The first call on a machine fetches it with pip.
func ReadCodes(ctx context.Context, pictures []string) ([][]Code, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find the folder for downloads: %w", err)
	}
	folder := filepath.Join(cache, "einvoiced", "codes")
	if err := unpack(folder); err != nil {
		return nil, err
	}
	return AskPython[[]Code](ctx, filepath.Join(folder, "codes", "read.py"), pictures)
}
