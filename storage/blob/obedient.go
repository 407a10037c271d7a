package blob

import (
	"context"
	"io"
)

// Obedient gives a reader of r that ends when ctx does, with its error. It asks before each piece of at most 128 KiB, however much it is to read.
func Obedient(ctx context.Context, r io.Reader) io.Reader { return obedient{ctx, r} }

type obedient struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (o obedient) Read(p []byte) (int, error) {
	const piece = 128 << 10
	if err := o.ctx.Err(); err != nil {
		return 0, err
	}
	return o.r.Read(p[:min(len(p), piece)])
}
