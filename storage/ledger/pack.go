package ledger

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/klauspost/compress/s2"

	"github.com/einvoiced/einvoiced/storage/blob"
)

// packing gives what it reads compressed, for blobs that nobody but the service reads: requests and answers repeat themselves, and to
// compress them takes less time than the checksums of what is then not sent. It adds up what it reads.
type packing struct {
	from  io.Reader
	chunk []byte
	size  int64
	sum   hash.Hash
	s2    *s2.Writer
	out   bytes.Buffer // compressed and not taken yet
	ended bool
}

func pack(from io.Reader) *packing {
	p := &packing{from: from, chunk: make([]byte, 256<<10), sum: sha256.New()}
	p.s2 = s2.NewWriter(&p.out, s2.WriterConcurrency(1))
	return p
}

// Read implements io.Reader. Errors but io.EOF are those of what it reads.
func (p *packing) Read(b []byte) (int, error) {
	for p.out.Len() == 0 && !p.ended {
		if err := p.fill(); err != nil {
			return 0, err
		}
	}
	return p.out.Read(b)
}

func (p *packing) fill() error {
	n, err := p.from.Read(p.chunk)
	p.size += int64(n)
	p.sum.Write(p.chunk[:n])
	_, failed := p.s2.Write(p.chunk[:n])
	if errors.Is(err, io.EOF) {
		p.ended = true
		err = p.s2.Close()
	}
	return errors.Join(err, failed)
}

// info is what was read.
func (p *packing) info() blob.Info {
	return blob.Info{Size: p.size, SHA256: hex.EncodeToString(p.sum.Sum(nil))}
}

// packedMark is how compressed blobs begin: the stream identifier of the framing format of Snappy as S2 has it. What was stored before
// there was compression is JSON, XML or PDF, none of which begins so.
const packedMark = "\xff\x06\x00\x00S2sTwO"

// unpacking reads what packing gave, or what was stored before there was that, and closes what it comes from.
type unpacking struct {
	io.Reader
	io.Closer
}

// unpack reads a blob that is compressed or, from before there was that, not.
func unpack(r io.ReadCloser) (io.ReadCloser, error) {
	buffered := bufio.NewReaderSize(r, 64<<10)
	mark, err := buffered.Peek(len(packedMark))
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, errors.Join(err, r.Close())
	case string(mark) == packedMark:
		return unpacking{s2.NewReader(buffered, s2.ReaderMaxBlockSize(1<<20)), r}, nil
	}
	return unpacking{buffered, r}, nil
}

// Read implements io.Reader. The error is ErrCorrupt for what packing did not give.
func (u unpacking) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	if errors.Is(err, s2.ErrCorrupt) || errors.Is(err, s2.ErrCRC) || errors.Is(err, s2.ErrUnsupported) || errors.Is(err, s2.ErrTooLarge) {
		err = fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return n, err
}
