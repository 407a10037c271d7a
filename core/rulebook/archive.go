package rulebook

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// OpenArchive opens a ZIP or JAR as a source for Import. It refuses archives with links or special files, names that are
// absolute, lead outside or stand there twice, encrypted files, and more files, bytes or compression than the limits allow.
// Archives inside are files like others.
func OpenArchive(r io.ReaderAt, size int64, limits Limits) (fs.FS, error) {
	limits, err := limits.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("open archive: %w", err)
	}
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("open archive: %w: expected a ZIP or JAR file", err)
	}
	if len(archive.File) > limits.Entries {
		return nil, fmt.Errorf("open archive: it has %d entries: expected at most %d", len(archive.File), limits.Entries)
	}
	seen, left := map[string]bool{}, limits.Bytes
	for _, f := range archive.File {
		if err := checkEntry(f, limits); err != nil {
			return nil, fmt.Errorf("open archive: entry %.200q: %w", f.Name, err)
		}
		// Names that differ in case only are one file on some systems.
		name := strings.ToLower(strings.TrimSuffix(f.Name, "/"))
		if seen[name] {
			return nil, fmt.Errorf("open archive: entry %.200q stands there twice, upper and lower case taken for the same", f.Name)
		}
		seen[name] = true
		if left -= int64(f.UncompressedSize64); left < 0 {
			return nil, fmt.Errorf("open archive: unpacked it has more than %d bytes", limits.Bytes)
		}
	}
	return archive, nil
}

// freeSize is the size of files whose compression does not matter: little text compresses any times over.
const freeSize = 1 << 20

func checkEntry(f *zip.File, limits Limits) error {
	name, folder := strings.CutSuffix(f.Name, "/")
	switch mode := f.Mode(); {
	case !validFile(name):
		return errors.New("is no path inside the archive: expected one with slashes, not absolute, without dot segments")
	case mode&fs.ModeSymlink != 0:
		return errLink
	case folder != mode.IsDir(), !folder && !mode.IsRegular():
		return errors.New("is neither a file nor a folder")
	case f.Flags&1 != 0:
		return errors.New("is encrypted")
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return fmt.Errorf("is packed by method %d: expected 0 or 8", f.Method)
	case f.UncompressedSize64 > uint64(limits.FileBytes):
		return fmt.Errorf("unpacked it has %d bytes: expected at most %d", f.UncompressedSize64, limits.FileBytes)
	case f.UncompressedSize64 > freeSize && f.UncompressedSize64/max(f.CompressedSize64, 1) > uint64(limits.Ratio):
		return fmt.Errorf("unpacked it has %d times its size: expected at most %d", f.UncompressedSize64/max(f.CompressedSize64, 1), limits.Ratio)
	}
	return nil
}
