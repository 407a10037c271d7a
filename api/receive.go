package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// smallBody is the most that a body takes of the memory while it comes; a larger one goes into a spool, and so does one for which there is no room.
const smallBody = 1 << 20

// receive takes the body to its end, at the pace of its client. It costs little memory, however large the body is.
func (in *intake) receive() error {
	buf := make([]byte, 0, step)
	for in.lease.hold(int64(cap(buf))) {
		n, err := in.Read(buf[len(buf):cap(buf)])
		switch buf = buf[:len(buf)+n]; {
		case err == io.EOF:
			in.whole = buf
			return nil
		case err != nil:
			return err
		case len(buf) < cap(buf):
		case cap(buf) == smallBody:
			return in.spoolAll(buf)
		default:
			buf = append(make([]byte, 0, min(in.grown(cap(buf)), smallBody)), buf...)
		}
	}
	return in.spoolAll(buf)
}

// grown is the next size of a buffer that the body has filled: twice as large, or what the client says that the body has where that is not far away.
func (in *intake) grown(size int) int {
	const far = 8 // times what has come
	if in.declared >= int64(size) && in.declared < int64(far*size) {
		return int(in.declared) + 1 // where the end is found
	}
	return 2 * size
}

// bytes gives the body as soon as it has come and its turn has, too.
func (in *intake) bytes() ([]byte, error) {
	if in.whole == nil && in.spooled == nil && in.err == nil {
		if err := in.receive(); err != nil {
			return nil, err
		}
		if in.turn != nil {
			if err := in.turn(); err != nil {
				return nil, err
			}
			if err := in.fetch(); err != nil {
				return nil, err
			}
		}
	}
	return in.whole, in.cause(nil)
}

// stream gives a body that has come.
func (in *intake) stream() *io.SectionReader {
	if in.spooled != nil {
		return io.NewSectionReader(in.spooled, 0, in.spooled.size)
	}
	return io.NewSectionReader(bytes.NewReader(in.whole), 0, int64(len(in.whole)))
}

// inWork gives a reader that has a processor while it is read, and the end of its use, which may be told more than once: what is stored of a large
// body is compressed and summed up between two reads.
func (s *Server) inWork(c *call, r io.Reader) (_ io.Reader, leave func()) {
	ctx := s.Recent.Yielding(c.r.Context(), c.key.AccountID)
	w := &working{from: r, patience: betweenReads, ended: ctx.Err, await: func() (func(), error) {
		leave, err := s.process(ctx, c.key.AccountID)
		return leave, gone(ctx, err)
	}}
	return w, w.leave
}

// betweenReads is longer than it takes to compress what one read gives. Who does not come back for so long waits for something else, such as a store.
const betweenReads = 50 * time.Millisecond

// working is a reader of whom reads while it has a processor: until the end, leave, or idle.
type working struct {
	from     io.Reader
	await    func() (leave func(), err error)
	ended    func() error // why the reader is to stop; nil while it is not
	patience time.Duration

	mu   sync.Mutex
	held func()      // gives the processor back; nil without one
	idle *time.Timer // leaves when patience has passed without a read; set where held is
}

// Read implements io.Reader. The error is that of waiting where the processor did not come, and that of the context where it has ended.
func (w *working) Read(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held == nil {
		leave, err := w.await()
		if err != nil {
			return 0, err
		}
		w.held, w.idle = leave, time.AfterFunc(w.patience, w.leave)
	}
	w.idle.Reset(w.patience)
	if err := w.ended(); err != nil {
		return 0, err
	}
	n, err := w.from.Read(p)
	if err == io.EOF {
		w.end()
	}
	return n, err
}

func (w *working) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end()
}

func (w *working) end() {
	if w.held != nil {
		w.idle.Stop()
		w.held()
		w.held = nil
	}
}

// load waits until there is memory for a body that is in a spool.
func (in *intake) load(ctx context.Context) error {
	if in.spooled == nil {
		return nil
	}
	return in.lease.load(ctx, in.spooled.size)
}

// fetch brings a body from its spool into memory, which load has got.
func (in *intake) fetch() error {
	if in.spooled == nil {
		return nil
	}
	body := make([]byte, in.spooled.size)
	if _, err := in.spooled.ReadAt(body, 0); err != nil {
		return fmt.Errorf("read spooled request body: %w", err)
	}
	in.whole = body
	in.unspool()
	return nil
}

// inTurn makes the body wait for its turn when it has come: to be worked on, for memory, and for a processor, which the function leaves that is
// returned. The end of the processor's use may be told more than once.
func (s *Server) inTurn(c *call, in *intake) (leave func()) {
	end := func() {}
	in.turn = func() (err error) {
		if err = in.lease.work(); err == nil {
			err = in.load(c.r.Context())
		}
		if err == nil {
			end, err = s.process(c.r.Context(), c.key.AccountID)
			in.work = s.Recent.Yielding(c.r.Context(), c.key.AccountID)
		}
		return gone(c.r.Context(), err)
	}
	return func() { end() }
}

// gone gives errClientGone where a request has waited until its context ended.
func gone(ctx context.Context, err error) error {
	if err != nil && err == context.Cause(ctx) {
		return fmt.Errorf("wait for a turn: %w", errClientGone)
	}
	return err
}
