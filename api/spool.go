package api

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// spool is a body that lies in a file which has no name any more, so that nothing of it is left whatever happens to the process.
type spool struct {
	*os.File
	size int64 // bytes
}

// openSpool makes an empty spool.
func openSpool() (*spool, error) {
	file, err := os.CreateTemp("", "einvoiced-*")
	if err != nil {
		return nil, fmt.Errorf("spool request body: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, fmt.Errorf("spool request body: %w", errors.Join(err, file.Close()))
	}
	return &spool{File: file}, nil
}

// spoolAll puts what has come of the body and the rest of it into a spool. Nothing of it is held in memory any more.
func (in *intake) spoolAll(begin []byte) error {
	s, err := openSpool()
	if err != nil {
		return err
	}
	in.spooled = s
	if err := in.write(begin); err != nil {
		return err
	}
	buf := begin[:cap(begin)]
	if len(buf) > spoolPiece {
		buf = make([]byte, spoolPiece)
	}
	in.lease.hold(int64(len(buf))) // where even that is not free, it is hardly more
	for {
		n, failed := in.Read(buf)
		if err := in.write(buf[:n]); err != nil {
			return err
		}
		if failed == io.EOF {
			in.lease.hold(0)
			return nil
		}
		if failed != nil {
			return failed
		}
	}
}

// spoolPiece is how much of a body is read into a spool at a time.
const spoolPiece = 64 << 10

// write puts a piece of the body into the spool.
func (in *intake) write(piece []byte) error {
	if err := in.lease.spool(in.spooled.size + int64(len(piece))); err != nil {
		return err
	}
	n, err := in.spooled.Write(piece)
	in.spooled.size += int64(n)
	if err != nil {
		return fmt.Errorf("spool request body: %w", err)
	}
	return nil
}

// unspool forgets what is in the spool.
func (in *intake) unspool() {
	if in.spooled == nil {
		return
	}
	_ = in.spooled.Close() // it was only read
	in.spooled = nil
	_ = in.lease.spool(0) // shrinking cannot fail
}
