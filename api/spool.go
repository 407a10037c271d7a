package api

import (
	"fmt"
	"io"
	"os"
)

// spool is a body that lies in a file which has no name any more, so that nothing of it is left whatever happens to the process.
type spool struct {
	*os.File
	size int64 // bytes
}

// spoolAll reads the rest of a body into a spool, which must be closed. Nothing of it is held in memory.
func (in *intake) spoolAll() (*spool, error) {
	file, err := os.CreateTemp("", "einvoiced-*")
	if err != nil {
		return nil, fmt.Errorf("spool request body: %w", err)
	}
	s := &spool{File: file}
	if err := os.Remove(file.Name()); err != nil {
		_ = s.Close() // the failure to remove tells more
		return nil, fmt.Errorf("spool request body: %w", err)
	}
	if s.size, err = io.Copy(file, dropping{in}); err != nil {
		_ = s.Close() // what was read is of no use
		return nil, in.cause(fmt.Errorf("spool request body: %w", err))
	}
	return s, nil
}

// dropping is a body whose bytes are not held.
type dropping struct{ in *intake }

// Read implements io.Reader.
func (d dropping) Read(p []byte) (int, error) {
	n, err := d.in.Read(p)
	d.in.drop()
	return n, err
}
