package ledger

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
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
	if n, err := all.ReadFrom(blob.Obedient(ctx, r)); err != nil || n != c.Size() {
		return nil, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	return all.Bytes(), nil
}

// Kept is a Content that another process may unpack and verify, which needs a processor for that.
type Kept interface {
	Content
	// OpenKept is Open for the bytes as they are kept, which Unpacked reads with the form.
	OpenKept(ctx context.Context) (io.ReadCloser, Form, error)
}

// Form says how bytes are kept. It has a form in gob.
type Form struct {
	Info   blob.Info // of the content
	Packed bool      // the bytes are compressed; false where they may be the content itself
}

// Unpacked is the content of bytes that are kept in a form. It is verified as that of a Kept is.
func Unpacked(kept Content, form Form) Content { return unpacked{kept, form} }

type unpacked struct {
	kept Content
	form Form
}

// Size implements Content.
func (u unpacked) Size() int64 { return u.form.Info.Size }

// Open implements Content.
func (u unpacked) Open(ctx context.Context) (io.ReadCloser, error) {
	r, err := u.kept.Open(ctx)
	if err != nil {
		return nil, err
	}
	return u.form.read(r)
}

// read gives the content of what is kept, and closes that.
func (f Form) read(kept io.ReadCloser) (io.ReadCloser, error) {
	if f.Packed {
		var err error
		if kept, err = unpack(kept); err != nil {
			return nil, err
		}
	}
	return &verifying{ReadCloser: kept, want: f.Info, sum: sha256.New()}, nil
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

// OpenKept implements Kept.
func (s stored) OpenKept(ctx context.Context) (io.ReadCloser, Form, error) {
	return s.ledger.openKept(ctx, s.job, s.run, s.name, s.info)
}
