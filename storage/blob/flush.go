package blob

import "os"

// flushed is how many bytes of a file are written before they are taken to the disk.
const flushed = 1 << 20

// flushing is a file that is taken to the disk as it is written. What is synced meanwhile, such as the database, would wait for all of a large file
// that goes there at its end: file systems with a journal write what the journal tells of before it.
type flushing struct {
	file        *os.File
	size, begun int64 // written, and of which the way to the disk has begun
}

// Write implements io.Writer.
func (f *flushing) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	if f.size += int64(n); err == nil && f.size-f.begun >= flushed {
		err = flush(f.file, f.begun, f.size-f.begun)
		f.begun = f.size
	}
	return n, err
}
