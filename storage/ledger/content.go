package ledger

import (
	"bytes"
	"cmp"
	"context"
	"io"

	"github.com/einvoiced/einvoiced/storage/blob"
)

// Content is input or output of a job: bytes in memory, in a file or in a store. It is safe for concurrent use.
type Content interface {
	// Size is how many bytes there are.
	Size() int64
	// Open begins to read them from their beginning; the caller closes. Bytes that are not those that were kept end in ErrCorrupt instead of
	// io.EOF; the error is ErrGone where they are not kept any more.
	Open(ctx context.Context) (io.ReadCloser, error)
}

// Bytes are a Content in memory.
type Bytes []byte

// Size implements Content.
func (b Bytes) Size() int64 { return int64(len(b)) }

// Open implements Content.
func (b Bytes) Open(context.Context) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(b)), nil
}

// ReadAll gives a content as bytes that must not be changed. The error is that of Open or of reading, and io.ErrUnexpectedEOF where there
// are more or fewer of them than Size says.
func ReadAll(ctx context.Context, c Content) ([]byte, error) {
	if b, ok := c.(Bytes); ok {
		return b, nil
	}
	r, err := c.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close() // it was only read
	all := bytes.NewBuffer(make([]byte, 0, c.Size()+bytes.MinRead))
	if n, err := all.ReadFrom(r); err != nil || n != c.Size() {
		return nil, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	return all.Bytes(), nil
}

// stored is a datum of a job, wherever it is kept.
type stored struct {
	ledger *Ledger
	job    Job
	run    int64
	name   string
	info   blob.Info
}

// Size implements Content.
func (s stored) Size() int64 { return s.info.Size }

// Open implements Content.
func (s stored) Open(ctx context.Context) (io.ReadCloser, error) {
	return s.ledger.open(ctx, s.job, s.run, s.name, s.info)
}
