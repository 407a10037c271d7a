package api

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// intake reads the body of one request and counts it: against the limit of size (413), against the clock (408) and against
// what all requests share (429). Its first failure is kept, because decoders wrap or replace what a reader says.
type intake struct {
	body     io.Reader
	ctrl     *http.ResponseController
	cfg      *Config
	lease    *lease
	limit    int64 // bytes that the body may have
	n        int64 // bytes read
	declared int64 // bytes that the client says the body has; negative where it does not
	err      error // first failure; io.EOF at the end
	lines    int   // of the invoice, as far as they can be told
	here     bool  // what the body orders is for this process, however large it is

	began  time.Time // of the stretch of the body that is on its way, zero before the first
	before int64     // bytes before it

	pace func(n int) time.Duration // waits until n more bytes of a large body may come, and tells how long that took; nil where they may
	due  int                       // bytes that came since pace was asked

	whole   []byte    // the body, where it has come and is in memory
	spooled *spool    // the body, where it has come and is not
	request string    // method, path and query
	sum     hash.Hash // of request and body; nil where nobody asks

	turn func() error    // waits until the body may be read, once it has come; nil where it may be at once
	work context.Context // of the work on the body, once its turn has come; nil where nobody waits for its end
}

// given is the intake of a body that has come already, as a part of another.
func (s *Server) given(body []byte) *intake { return &intake{whole: body, cfg: &s.cfg, err: io.EOF} }

// take opens the body of a request. It must be closed.
func (s *Server) take(c *call) (*intake, error) {
	if enc := c.r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return nil, newProblem(http.StatusUnsupportedMediaType,
			"Content-Encoding "+clip(enc)+" is not supported: send the body without compression").with("Accept-Encoding", "identity")
	}
	in := &intake{
		body: c.r.Body, ctrl: http.NewResponseController(c.w), cfg: &s.cfg, lease: &lease{capacity: s.capacity, account: c.key.AccountID}, limit: s.cfg.MaxBody,
		declared: c.r.ContentLength,
	}
	in.pace = func(n int) time.Duration { return s.capacity.pacing.wait(c.r.Context(), c.key.AccountID, n) }
	if streams(c) {
		in.limit = s.cfg.MaxBatchBody
	}
	if c.route.name == "embedUpload" {
		in.limit = min(in.limit, maxUpload)
	}
	if c.r.ContentLength > in.limit {
		return nil, tooLarge(in.limit)
	}
	if len(c.r.Header.Values("Idempotency-Key")) > 0 {
		in.request, in.sum = c.r.Method+"\n"+pathOf(c)+"\n"+c.r.URL.RawQuery, sha256.New()
		_, _ = io.WriteString(in.sum, in.request+"\n")
	}
	return in, nil
}

// close gives back what the body takes up; it may be called more than once.
func (in *intake) close() {
	in.whole = nil
	in.unspool()
	in.lease.release()
}

// working is the context of the work on the body: that of its request until its turn has come.
func (in *intake) working(r *http.Request) context.Context {
	if in.work != nil {
		return in.work
	}
	return r.Context()
}

// pathOf is the path by which requests are compared: segments of country and format have no case (supplement §1, rule 1), ids have.
func pathOf(c *call) string {
	path := c.r.URL.EscapedPath()
	if _, ok := c.variable("countryCode"); ok {
		return strings.ToLower(path)
	}
	return path
}

// Read implements io.Reader: it reads from the connection.
func (in *intake) Read(p []byte) (int, error) {
	if in.err != nil {
		return 0, in.err
	}
	in.awaitPace()
	in.setDeadline()
	// One byte more than allowed is asked for, to tell a body of the very limit from a longer one.
	n, err := in.body.Read(p[:min(int64(len(p)), in.limit-in.n+1)])
	in.n += int64(n)
	in.due += n
	if in.sum != nil {
		in.sum.Write(p[:n])
	}
	switch {
	case in.n > in.limit:
		n, in.err = 0, tooLarge(in.limit)
	case err != nil:
		in.err = in.failure(err)
	}
	if in.err == io.EOF && in.ctrl != nil {
		// The connection is now watched for the client's leaving; an old deadline would look like that.
		_ = in.ctrl.SetReadDeadline(time.Time{})
	}
	return n, in.err
}

// awaitPace lets a large body come piece by piece: from half a piece on, since what a read brings comes on top. What that takes is not counted
// against the client.
func (in *intake) awaitPace() {
	if in.n <= smallBody {
		in.due = 0
	}
	if in.pace == nil || in.due < pacedPiece/2 {
		return
	}
	waited := in.pace(min(in.due, pacedPiece))
	in.due = 0
	if waited > 0 && in.ctrl != nil {
		in.began = in.began.Add(waited)
		_ = in.ctrl.SetReadDeadline(in.began.Add(in.cfg.BodyGrace))
	}
}

// setDeadline gives each stretch of the body BodyGrace. A stretch has the bytes that are due in that time at MinBodyRate, so that a body which
// has come fast does not earn the right to be silent.
func (in *intake) setDeadline() {
	stretch := int64(in.cfg.BodyGrace.Seconds() * float64(in.cfg.MinBodyRate))
	if in.ctrl == nil || !in.began.IsZero() && in.n-in.before < stretch {
		return
	}
	in.began, in.before = time.Now(), in.n
	_ = in.ctrl.SetReadDeadline(in.began.Add(in.cfg.BodyGrace))
}

// failure names what stopped the body.
func (in *intake) failure(err error) error {
	switch {
	case err == io.EOF:
		return io.EOF
	case errors.Is(err, os.ErrDeadlineExceeded):
		return newProblem(http.StatusRequestTimeout, "The request body did not arrive in time").with("Connection", "close")
	case errors.Is(err, io.ErrUnexpectedEOF), isNetwork(err):
		return fmt.Errorf("read request body: %w", errClientGone)
	default:
		return newProblem(http.StatusBadRequest, "The request body is not well-formed HTTP").with("Connection", "close")
	}
}

func isNetwork(err error) bool {
	_, ok := errors.AsType[net.Error](err)
	return ok
}

// cause gives the intake's own failure where it has one, else err: a decoder that was cut off must not blame the syntax.
func (in *intake) cause(err error) error {
	if in.err != nil && in.err != io.EOF {
		return in.err
	}
	return err
}

// tooLarge is the contract's 413; the connection is closed, because the rest of the body will not be read.
func tooLarge(limit int64) error {
	p := &problem{status: http.StatusRequestEntityTooLarge}
	p.Refusal = finding.Refusal{
		Word:    finding.PayloadTooLarge,
		Message: fmt.Sprintf("The request body is larger than %d bytes", limit),
		Extra:   []finding.Extra{{Name: "limit", Value: limit}},
	}
	return p.with("Connection", "close")
}

// rest reads what is left of a body that was not received, of which nothing is kept.
func (in *intake) rest() error {
	var buf [4 << 10]byte
	for in.err == nil {
		_, _ = in.Read(buf[:]) // its failure is kept
	}
	if in.err != io.EOF {
		return in.err
	}
	return nil
}

// all gives the whole body, in which the scanner has counted lines.
func (in *intake) all(scanner *invoice.Scanner) ([]byte, error) {
	body, err := in.bytes()
	if err != nil {
		return nil, err
	}
	for piece := range slices.Chunk(body, scanned) {
		if in.work != nil && in.work.Err() != nil {
			return nil, gone(in.work, context.Cause(in.work))
		}
		_, _ = scanner.Write(piece) // it never fails, and counts on where it refuses
	}
	if scanner.Refused() {
		return nil, scanner.Refusal()
	}
	return body, nil
}

// scanned is how many bytes of a body are scanned between two looks at the context.
const scanned = 64 << 10
