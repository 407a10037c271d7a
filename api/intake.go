package api

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// intake reads the body of one request and counts it: against the limit of size (413), against the clock (408) and against
// the memory that all requests share (429). Its first failure is kept, because decoders wrap or replace what a reader says.
type intake struct {
	body  io.Reader
	ctrl  *http.ResponseController
	cfg   *Config
	lease *lease
	start time.Time
	due   time.Time // read deadline that is set
	limit int64     // bytes that the body may have
	n     int64     // bytes read
	freed int64     // bytes read that are no longer held
	err   error     // first failure; io.EOF at the end
	lines int       // of the invoice, that were counted while the body came, as far as they can be told
	here  bool      // what the body orders is for this process, however large it is

	whole   []byte    // the body, where it has come already
	request string    // method, path and query
	sum     hash.Hash // of request and body; nil where nobody asks
}

// given is the intake of a body that has come already, as a part of another.
func (s *Server) given(body []byte, l *lease) *intake {
	return &intake{body: bytes.NewReader(body), whole: body, cfg: &s.cfg, lease: l, limit: s.cfg.MaxBody}
}

// take opens the body of a request. Its lease must be released.
func (s *Server) take(c *call) (*intake, error) {
	if enc := c.r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return nil, newProblem(http.StatusUnsupportedMediaType,
			"Content-Encoding "+clip(enc)+" is not supported: send the body without compression").with("Accept-Encoding", "identity")
	}
	in := &intake{
		body: c.r.Body, ctrl: http.NewResponseController(c.w), cfg: &s.cfg, lease: &lease{capacity: s.capacity}, start: time.Now(), limit: s.cfg.MaxBody,
	}
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

// pathOf is the path by which requests are compared: segments of country and format have no case (supplement §1, rule 1), ids have.
func pathOf(c *call) string {
	path := c.r.URL.EscapedPath()
	if _, ok := c.variable("countryCode"); ok {
		return strings.ToLower(path)
	}
	return path
}

// Read implements io.Reader.
func (in *intake) Read(p []byte) (int, error) {
	if in.err != nil {
		return 0, in.err
	}
	in.setDeadline()
	// One byte more than allowed is asked for, to tell a body of the very limit from a longer one.
	n, err := in.body.Read(p[:min(int64(len(p)), in.limit-in.n+1)])
	in.n += int64(n)
	if in.sum != nil {
		in.sum.Write(p[:n])
	}
	switch {
	case in.n > in.limit:
		n, in.err = 0, tooLarge(in.limit)
	case err != nil:
		in.err = in.failure(err)
	default:
		in.err = in.lease.hold(in.n - in.freed)
	}
	if in.err == io.EOF && in.ctrl != nil {
		// The connection is now watched for the client's leaving; an old deadline would look like that.
		_ = in.ctrl.SetReadDeadline(time.Time{})
	}
	return n, in.err
}

// setDeadline gives the body BodyGrace and, beyond that, the time that its bytes earn at MinBodyRate.
func (in *intake) setDeadline() {
	due := in.start.Add(in.cfg.BodyGrace + time.Duration(in.n/in.cfg.MinBodyRate)*time.Second)
	if due != in.due && in.ctrl != nil {
		in.due = due
		_ = in.ctrl.SetReadDeadline(due)
	}
}

// drop says that the bytes read so far are held no longer.
func (in *intake) drop() {
	in.freed = in.n
	_ = in.lease.hold(0) // shrinking cannot fail
}

// rest reads what is left of the body, of which nothing is kept.
func (in *intake) rest() error {
	var buf [4 << 10]byte
	for in.err == nil {
		n, _ := in.Read(buf[:]) // its failure is kept
		in.freed += int64(n)
	}
	if in.err != io.EOF {
		return in.err
	}
	return nil
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

// all reads the whole body while the scanner counts its lines. The first refusal dooms the body: its bytes are dropped, but
// it is read to the end, because the refusal has to tell the true count.
func (in *intake) all(length int64, scanner *invoice.Scanner) ([]byte, error) {
	if in.whole != nil {
		_, _ = scanner.Write(in.whole) // never fails
		if scanner.Refused() {
			return nil, scanner.Refusal()
		}
		return in.whole, nil
	}
	buf := make([]byte, 0, max(0, min(length, step))+512)
	for {
		if len(buf) == cap(buf) {
			buf = grow(buf, length)
		}
		n, err := in.Read(buf[len(buf):cap(buf)])
		_, _ = scanner.Write(buf[len(buf) : len(buf)+n]) // never fails
		if buf = buf[:len(buf)+n]; scanner.Refused() {
			buf = buf[:0]
			in.drop()
		}
		switch {
		case err == io.EOF && scanner.Refused():
			return nil, scanner.Refusal()
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return nil, err
		}
	}
}

// grow doubles buf, but not beyond the announced length (and the one byte in which the end is seen).
func grow(buf []byte, length int64) []byte {
	size := 2 * int64(cap(buf))
	if length >= int64(len(buf)) {
		size = min(size, length+512)
	}
	larger := make([]byte, len(buf), max(size, int64(len(buf))+512))
	copy(larger, buf)
	return larger
}
