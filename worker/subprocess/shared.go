package subprocess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/einvoiced/einvoiced/storage/ledger"
)

// sharedFile is the file that a worker shares with one process: first the request lies there, then what came of it. So neither has to hold
// for the other what it hands over; what the store takes by one request or part the worker holds in memory for that time.
type sharedFile struct{ file *os.File }

// take has nothing but a request on the shared file. What is kept compressed stays so: to unpack and to verify it is for the process, which
// stands behind this one.
func (s sharedFile) take(ctx context.Context, content ledger.Content) (request, error) {
	kept, ok := content.(ledger.Kept)
	if !ok {
		return request{Size: content.Size()}, s.fill(ctx, content)
	}
	if err := s.wipe(); err != nil {
		return request{}, err
	}
	r, form, err := kept.OpenKept(ctx)
	if err != nil {
		return request{}, err
	}
	n, err := s.put(0, r)
	return request{Size: n, Form: &form}, err
}

// fill has nothing but these contents on the shared file, one behind the other.
func (s sharedFile) fill(ctx context.Context, contents ...ledger.Content) error {
	if err := s.wipe(); err != nil {
		return err
	}
	at := int64(0)
	for _, c := range contents {
		n, err := s.write(ctx, at, c)
		if err != nil {
			return err
		}
		at += n
	}
	return nil
}

func (s sharedFile) write(ctx context.Context, at int64, c ledger.Content) (n int64, err error) {
	r, err := c.Open(ctx)
	if err != nil {
		return 0, err
	}
	if n, err = s.put(at, r); err == nil && n != c.Size() {
		err = fmt.Errorf("%d bytes of %d: %w", n, c.Size(), io.ErrUnexpectedEOF)
	}
	return n, err
}

// put copies what is read to a place of the shared file, and closes it.
func (s sharedFile) put(at int64, r io.ReadCloser) (int64, error) {
	n, err := io.Copy(io.NewOffsetWriter(s.file, at), r)
	return n, errors.Join(err, r.Close())
}

// wipe leaves nothing on the shared file.
func (s sharedFile) wipe() error { return s.file.Truncate(0) }

// part is a Content that lies on a shared file.
type part struct {
	sharedFile
	at, size int64
}

// Size implements ledger.Content.
func (p part) Size() int64 { return p.size }

// Open implements ledger.Content.
func (p part) Open(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(io.NewSectionReader(p.file, p.at, p.size)), nil
}
