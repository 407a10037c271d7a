package api

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/job/answers"
)

const typeJSON = "application/json"

// answer is what a handler gives back; it is written in one place.
type answer struct {
	status      int
	contentType string
	header      http.Header // further fields; may be nil
	body        []byte
	stream      io.ReadCloser // instead of body, of size bytes; may be nil
	size        int64
}

// jsonAnswer is an answer whose body is v.
func jsonAnswer(status int, v any) *answer {
	return &answer{status: status, contentType: typeJSON, body: answers.JSON(v)}
}

// documentAnswer is a bare document.
func documentAnswer(filename, mimeType, hash string, body []byte) *answer {
	if strings.HasPrefix(mimeType, "text/") {
		mimeType += "; charset=utf-8"
	}
	a := &answer{status: http.StatusOK, contentType: mimeType, body: body}
	a.with("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": filename}))
	return a.with("X-Hash", hash)
}

// refusalAnswer is p in the contract's shape.
func refusalAnswer(p *problem) *answer {
	return &answer{status: p.status, contentType: typeJSON, header: p.header, body: p.body()}
}

func (a *answer) with(name, value string) *answer {
	if a.header == nil {
		a.header = http.Header{}
	}
	a.header.Set(name, value)
	return a
}

func (a *answer) withAll(header map[string]string) *answer {
	for name, value := range header {
		a.with(name, value)
	}
	return a
}

// writeAnswer sends a. A client that leaves a piece unread for longer than stall loses the connection, and so does one whose
// document turns out to be damaged while it is sent. The status is out by then, so that the end of the connection is the only
// way to tell.
func writeAnswer(w http.ResponseWriter, a *answer, stall time.Duration) {
	h := w.Header()
	for name, values := range a.header {
		h[name] = values
	}
	h.Set("Content-Type", a.contentType)
	if a.stream == nil {
		a.size = int64(len(a.body))
	}
	h.Set("Content-Length", strconv.FormatInt(a.size, 10))
	paced := &pacedWriter{w: w, ctrl: http.NewResponseController(w), stall: stall}
	paced.extend()
	w.WriteHeader(a.status)
	if err := paced.send(a); err != nil {
		panic(http.ErrAbortHandler)
	}
	_ = paced.ctrl.SetWriteDeadline(time.Time{})
}

// stretch is how much of an answer is handed to the connection under one write deadline. By Config.WriteStall a client so has
// to take 9 KB/s.
const stretch = 256 << 10

// pacedWriter gives every stretch of an answer its own deadline.
type pacedWriter struct {
	w     io.Writer
	ctrl  *http.ResponseController
	stall time.Duration
}

func (p *pacedWriter) extend() { _ = p.ctrl.SetWriteDeadline(time.Now().Add(p.stall)) }

func (p *pacedWriter) Write(b []byte) (sent int, err error) {
	for len(b) > 0 && err == nil {
		p.extend()
		var n int
		n, err = p.w.Write(b[:min(len(b), stretch)])
		sent, b = sent+n, b[n:]
	}
	return sent, err
}

func (p *pacedWriter) send(a *answer) error {
	if a.stream == nil {
		_, err := p.Write(a.body)
		return err
	}
	_, err := io.Copy(p, a.stream)
	return errors.Join(err, a.stream.Close())
}
