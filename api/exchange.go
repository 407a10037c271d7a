package api

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/einvoiced/einvoiced/storage/db"
)

// exchange is one request on its way through the server: what the access line and the metrics say about it. Nothing of it
// comes from an invoice.
type exchange struct {
	id      string // x-request-id
	route   string // path template; empty where no route matched
	keyID   string // empty before authentication
	status  int    // sent, or 499 when the client left
	sent    int64  // bytes of the answer's body
	code    string // machine reason of a refusal
	cause   error  // private half of a refusal, for the log
	started time.Time
}

type exchangeKey struct{}

// exchangeOf gives the record of the request that ctx belongs to; outside of requests a record that nobody reads.
func exchangeOf(ctx context.Context) *exchange {
	if x, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return x
	}
	return &exchange{}
}

// ServeHTTP answers one request. It wraps the router, because the router's own middleware does not run for 404 and 405.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &exchange{id: requestID(r.Header), started: time.Now()}
	w.Header().Set("x-request-id", x.id)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	rec := &recorder{ResponseWriter: w, x: x}
	if r.ContentLength != 0 {
		// A body that no handler reads is drained by net/http after the answer; without a deadline that could take for ever.
		_ = http.NewResponseController(w).SetReadDeadline(x.started.Add(s.cfg.BodyGrace))
	}
	s.Metrics.active.Inc()
	defer s.Metrics.active.Dec()
	defer s.account(r, x)
	defer s.recover(rec, x)
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(s.working, func() { cancel(context.Cause(s.working)) })()
	next := http.Handler(s.router)
	if err := checkFraming(r); err != nil {
		next = s.failing(func(*http.Request) error { return err })
	}
	next.ServeHTTP(rec, r.WithContext(db.Impatient(context.WithValue(ctx, exchangeKey{}, x))))
}

// requestID echoes the x-request-id of a client when it is short and safe to log, else makes one of 128 random bits.
func requestID(h http.Header) string {
	if ids := h.Values("x-request-id"); len(ids) == 1 && safeID(ids[0]) {
		return ids[0]
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// safeID accepts 1 to 64 characters of A-Z a-z 0-9 . _ -.
func safeID(id string) bool {
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return 0 < len(id) && len(id) <= 64
}

// recover turns a panic of a handler into the contract's 500. The panic's value may hold content, so the log gets it only
// when the Go runtime made it; the stack tells where it was.
func (s *Server) recover(w *recorder, x *exchange) {
	v := recover()
	if v == nil {
		return
	}
	if v == http.ErrAbortHandler {
		panic(v)
	}
	s.Log.Error("panic", "request_id", x.id, "route", x.route, "value", panicValue(v), "stack", string(debug.Stack()))
	if x.status == 0 {
		writeAnswer(w, refusalAnswer(problemOf(fmt.Errorf("panic"))), s.cfg.WriteStall)
	}
}

func panicValue(v any) string {
	if err, ok := v.(runtime.Error); ok {
		return err.Error()
	}
	return fmt.Sprintf("%T", v)
}

// account writes the access line and counts the request.
func (s *Server) account(r *http.Request, x *exchange) {
	took := time.Since(x.started)
	s.Metrics.request(r.Method, x.route, x.status, took)
	attrs := []slog.Attr{
		slog.String("request_id", x.id), slog.String("method", method(r.Method)), slog.String("route", x.route),
		slog.Int("status", x.status), slog.Float64("duration_ms", float64(took.Microseconds())/1000),
		slog.Int64("bytes", x.sent), slog.String("key_id", x.keyID),
	}
	level := slog.LevelInfo
	if x.code != "" {
		attrs = append(attrs, slog.String("code", x.code))
	}
	if x.status >= 500 {
		level = slog.LevelError
		if x.cause != nil {
			attrs = append(attrs, slog.String("cause", x.cause.Error()))
		}
	}
	s.Log.LogAttrs(context.WithoutCancel(r.Context()), level, "request", attrs...)
}

// recorder notes the status and size of an answer.
type recorder struct {
	http.ResponseWriter
	x *exchange
}

// WriteHeader notes the first status that is an answer; those below 200 announce one.
func (w *recorder) WriteHeader(status int) {
	if w.x.status == 0 && status >= 200 {
		w.x.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	if w.x.status == 0 {
		w.x.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.x.sent += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
