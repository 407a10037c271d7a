package blob_test

import (
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/blob"
)

// fault stands between a client and the server: it answers a request instead of the server, or spoils the server's answer.
type fault struct {
	before func(w http.ResponseWriter, r *http.Request, n int) (answered bool) // n counts the requests from 1
	after  func(answer *http.Response, n int) error
}

// hanging is what before does for a server that says nothing until its client gives up.
func hanging(r *http.Request) { <-r.Context().Done() }

// through gives an address that leads through the fault, and the count of requests.
func through(t *testing.T, f fault, address string) (faulty string, requests *atomic.Int64) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	requests = new(atomic.Int64)
	transport := &http.Transport{DisableCompression: true}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", u.Host // and the Host header stays: it is signed
		},
		Transport:      transport,
		ErrorLog:       log.New(io.Discard, "", 0),
		ModifyResponse: func(*http.Response) error { return nil },
		ErrorHandler:   func(w http.ResponseWriter, _ *http.Request, _ error) { reset(w) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(requests.Add(1))
		if f.before != nil && f.before(w, r, n) {
			return
		}
		own := *proxy
		if f.after != nil {
			own.ModifyResponse = func(answer *http.Response) error { return f.after(answer, n) }
		}
		own.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { server.Close(); transport.CloseIdleConnections() })
	at := *u
	at.Host = strings.TrimPrefix(server.URL, "http://")
	return at.String(), requests
}

// reset breaks the connection off without an answer.
func reset(w http.ResponseWriter) {
	c, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = c.(*net.TCPConn).SetLinger(0)
		_ = c.Close()
	}
}

// failing answers the first requests of a method that touch an object with an error of the server.
func failing(method string, most int) func(http.ResponseWriter, *http.Request, int) bool {
	var failed atomic.Int64
	return func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if r.Method != method || !touchesObject(r) || failed.Add(1) > int64(most) {
			return false
		}
		_, _ = io.Copy(io.Discard, r.Body)
		http.Error(w, "<Error><Code>InternalError</Code><Message>try again</Message></Error>", http.StatusInternalServerError)
		return true
	}
}

func touchesObject(r *http.Request) bool {
	return strings.Count(strings.Trim(r.URL.Path, "/"), "/") > 0
}

// faultyStore opens a store through the fault, and one beside it.
func faultyStore(t *testing.T, f fault, cfg blob.S3Config) (faulty, sound *blob.S3, requests *atomic.Int64) {
	t.Helper()
	server, ok := realS3(t)
	if !ok {
		return nil, nil, nil // .ci/run starts one
	}
	at := bucket(t, server)
	sound = openS3(t, blob.S3Config{URL: at})
	cfg.URL, requests = through(t, f, at)
	return openS3(t, cfg), sound, requests
}

func TestErrorsOfTheServerAreRetriedWithACap(t *testing.T) {
	for name, test := range map[string]struct {
		failures int
		works    bool
	}{"some": {2, true}, "too many": {1 << 30, false}} {
		for _, method := range []string{http.MethodPut, http.MethodGet, http.MethodHead, http.MethodDelete} {
			faulty, sound, requests := faultyStore(t, fault{before: failing(method, test.failures)}, blob.S3Config{Attempts: 3})
			if faulty == nil {
				return
			}
			put(t, sound, "acc/job/1/x", "data")
			began := requests.Load()
			err := map[string]func() error{
				http.MethodPut: func() error { _, err := faulty.Put(t.Context(), "acc/job/1/x", strings.NewReader("data")); return err },
				http.MethodGet: func() error {
					r, err := faulty.Get(t.Context(), "acc/job/1/x")
					if err == nil {
						err = r.Close()
					}
					return err
				},
				http.MethodHead:   func() error { _, err := faulty.Stat(t.Context(), "acc/job/1/x"); return err },
				http.MethodDelete: func() error { return faulty.Delete(t.Context(), "acc/job/1/x") },
			}[method]()
			sent := requests.Load() - began
			if (err == nil) != test.works || sent < 3 || sent > 4 { // a failed Put looks once whether it was stored
				t.Errorf("%s with %s failures: error %v after %d requests", method, name, err, sent)
			}
			if err != nil && (errors.Is(err, blob.ErrNotFound) || !strings.Contains(err.Error(), "bucket test-")) {
				t.Errorf("%s: error %v", method, err)
			}
		}
	}
}

func TestServerThatFallsSilentIsGivenUp(t *testing.T) {
	silent := fault{before: func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if touchesObject(r) {
			hanging(r)
			return true
		}
		return false
	}}
	faulty, _, _ := faultyStore(t, silent, blob.S3Config{Attempts: 2, Patience: 50 * time.Millisecond})
	if faulty == nil {
		return
	}
	_, err := faulty.Get(t.Context(), "acc/job/1/x")
	var timeout net.Error
	if !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("error %v, want one of time", err)
	}
}

func TestBrokenTransferIsTakenUpWhereItBroke(t *testing.T) {
	var breaks atomic.Int64
	broken := fault{after: func(answer *http.Response, _ int) error {
		if answer.Request.Method == http.MethodGet && touchesObject(answer.Request) && breaks.Add(-1) >= 0 {
			answer.Body = cut(answer.Body, answer.ContentLength/2)
		}
		return nil
	}}
	faulty, sound, _ := faultyStore(t, broken, blob.S3Config{Attempts: 3})
	if faulty == nil {
		return
	}
	data := strings.Repeat("0123456789", 100_000)
	put(t, sound, "acc/job/1/x", data)
	breaks.Store(2)
	if read(t, faulty, "acc/job/1/x") != data {
		t.Error("other bytes")
	}
	breaks.Store(1 << 30)
	r, err := faulty.Get(t.Context(), "acc/job/1/x")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r); !errors.Is(err, io.ErrUnexpectedEOF) || len(got) >= len(data) {
		t.Errorf("%d bytes, error %v, want an unexpected end", len(got), err)
	}
}

// cut ends a body early.
func cut(body io.ReadCloser, after int64) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(io.LimitReader(body, after), &failingReader{}), body}
}

type failingReader struct{}

func (*failingReader) Read([]byte) (int, error) { return 0, errors.New("cut off") }

func TestObjectThatChangesWhileItIsTakenUpIsNoMixture(t *testing.T) {
	var breaks atomic.Int64
	var sound *blob.S3
	const size = 1 << 20
	broken := fault{after: func(answer *http.Response, _ int) error {
		if answer.Request.Method == http.MethodGet && touchesObject(answer.Request) && breaks.Add(-1) >= 0 {
			answer.Body = cut(answer.Body, answer.ContentLength/2)
			put(t, sound, "acc/job/1/x", strings.Repeat("b", size))
		}
		return nil
	}}
	faulty, other, _ := faultyStore(t, broken, blob.S3Config{})
	if faulty == nil {
		return
	}
	sound = other
	put(t, sound, "acc/job/1/x", strings.Repeat("a", size))
	breaks.Store(1)
	r, err := faulty.Get(t.Context(), "acc/job/1/x")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got, err := io.ReadAll(r); err == nil && strings.Trim(string(got), "b") != "" {
		t.Errorf("%d bytes of both without an error", len(got))
	}
}

func TestStoredButAnsweredWithAnErrorIsStored(t *testing.T) {
	for name, test := range map[string]struct {
		method, query string
		size          int
		resets        int64
	}{
		"once":               {http.MethodPut, "", 10, 1},
		"every time":         {http.MethodPut, "", 10, 1 << 30},
		"the last of parts":  {http.MethodPost, "uploadId", 6 << 20, 1 << 30},
		"a part in between":  {http.MethodPut, "partNumber", 6 << 20, 1},
		"the last, but once": {http.MethodPost, "uploadId", 6 << 20, 1},
	} {
		var resets atomic.Int64
		resets.Store(test.resets)
		lost := fault{after: func(answer *http.Response, _ int) error {
			r := answer.Request
			if r.Method == test.method && touchesObject(r) && (test.query == "" || r.URL.Query().Has(test.query)) && resets.Add(-1) >= 0 {
				return errors.New("the answer is lost")
			}
			return nil
		}}
		faulty, sound, _ := faultyStore(t, lost, blob.S3Config{Attempts: 3, PartSize: 5 << 20})
		if faulty == nil {
			return
		}
		data := strings.Repeat("x", test.size)
		if _, err := faulty.Put(t.Context(), "acc/job/1/x", strings.NewReader(data)); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if read(t, sound, "acc/job/1/x") != data {
			t.Errorf("%s: other bytes", name)
		}
	}
}

func TestTagThatIsNotOfTheBytesIsLookedInto(t *testing.T) {
	var damage atomic.Bool
	wrong := fault{after: func(answer *http.Response, _ int) error {
		switch {
		case answer.Request.Method == http.MethodPut && touchesObject(answer.Request):
			answer.Header.Set("ETag", `"00000000000000000000000000000000"`)
		case answer.Request.Method == http.MethodGet && touchesObject(answer.Request) && damage.Load():
			data, err := io.ReadAll(answer.Body)
			answer.Body = io.NopCloser(strings.NewReader(strings.Repeat("?", len(data))))
			return err
		}
		return nil
	}}
	faulty, _, requests := faultyStore(t, wrong, blob.S3Config{})
	if faulty == nil {
		return
	}
	damage.Store(true)
	if _, err := faulty.Put(t.Context(), "acc/job/1/x", strings.NewReader("data")); err == nil || !strings.Contains(err.Error(), "other bytes") {
		t.Errorf("damaged: error %v", err)
	}
	damage.Store(false)
	put(t, faulty, "acc/job/1/y", "data")
	began := requests.Load()
	put(t, faulty, "acc/job/1/z", "data")
	if n := requests.Load() - began; n != 1 {
		t.Errorf("a server that makes its tags otherwise costs %d requests for each put", n)
	}
}

func TestBytesDamagedOnTheWayAreRefused(t *testing.T) {
	damaging := fault{before: func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		if r.Method == http.MethodPut && touchesObject(r) {
			r.Body = io.NopCloser(&damaged{r: r.Body})
		}
		return false
	}}
	faulty, sound, _ := faultyStore(t, damaging, blob.S3Config{Attempts: 2})
	if faulty == nil {
		return
	}
	put(t, sound, "acc/job/1/x", "before")
	if _, err := faulty.Put(t.Context(), "acc/job/1/x", strings.NewReader("invoice")); err == nil {
		t.Error("accepted")
	}
	if got := read(t, sound, "acc/job/1/x"); got != "before" {
		t.Errorf("stored is %q", got)
	}
}

// TestWhatFitsInOnePartIsSentOnceWithItsChecksums ensures that the server can check what it is given without a request more.
func TestWhatFitsInOnePartIsSentOnceWithItsChecksums(t *testing.T) {
	var header http.Header
	faulty, sound, requests := faultyStore(t, fault{before: func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		header = r.Header.Clone()
		return false
	}}, blob.S3Config{})
	if faulty == nil {
		return
	}
	data := strings.Repeat("invoice ", 20<<17) // 20 MiB
	began := requests.Load()
	info, err := faulty.Put(t.Context(), "acc/job/1/x", strings.NewReader(data))
	if err != nil || requests.Load() != began+1 {
		t.Errorf("%d requests, error %v", requests.Load()-began, err)
	}
	sum := md5.Sum([]byte(data))
	want := []string{base64.StdEncoding.EncodeToString(sum[:]), info.SHA256}
	if got := []string{header.Get("Content-Md5"), header.Get("X-Amz-Content-Sha256")}; !slices.Equal(got, want) {
		t.Errorf("checksums %q, want %q", got, want)
	}
	if read(t, sound, "acc/job/1/x") != data {
		t.Error("other bytes")
	}
}

// damaged changes a word of what it reads.
type damaged struct{ r io.Reader }

func (d *damaged) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	copy(p, strings.Replace(string(p[:n]), "invoice", "inv0ice", 1))
	return n, err
}

func TestBucketThatIsGoneIsNoAbsentBlob(t *testing.T) {
	server, ok := realS3(t)
	if !ok {
		return
	}
	at := bucket(t, server)
	s := openS3(t, blob.S3Config{URL: at})
	put(t, s, "acc/job/1/x", "data")
	u, _ := url.Parse(at)
	name := strings.Trim(u.Path, "/")
	removeBucket(t, admin(t, server), name)
	_, putErr := s.Put(t.Context(), "acc/job/1/x", strings.NewReader("data"))
	_, getErr := s.Get(t.Context(), "acc/job/1/x")
	_, statErr := s.Stat(t.Context(), "acc/job/1/x")
	for doing, err := range map[string]error{
		"put": putErr, "get": getErr, "stat": statErr, "delete": s.Delete(t.Context(), "acc/job/1/x"), "delete all": s.DeleteAll(t.Context(), "acc"),
		"list": s.List(t.Context(), "", func(blob.Object) error { return nil }), "check": s.Check(t.Context()),
	} {
		var refusal *blob.Refusal
		if !errors.As(err, &refusal) || errors.Is(err, blob.ErrNotFound) || !strings.Contains(err.Error(), "there is no bucket "+name) {
			t.Errorf("%s: error %v", doing, err)
		}
	}
}

// answering is a server that answers everything with an error of S3.
func answering(t *testing.T, status int, code string) (address string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(status)
		fmt.Fprintf(w, "<Error><Code>%s</Code><Message>says the server</Message></Error>", code)
	}))
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "http://", "http://someone:hush-hush@", 1) + "/invoices"
}

func TestRefusalsTellTheOperatorWhatToDo(t *testing.T) {
	for code, test := range map[string]struct {
		status int
		want   string
	}{
		"RequestTimeTooSkewed":  {403, "differ by more than 15 minutes"},
		"AccessDenied":          {403, "s3:PutObject"},
		"SomethingForbidden":    {403, "s3:PutObject"},
		"InvalidAccessKeyId":    {403, "does not know the key"},
		"SignatureDoesNotMatch": {403, "the secret is not"},
		"PermanentRedirect":     {301, "another region"},
		"NoSuchBucket":          {404, "create it"},
	} {
		_, err := blob.OpenS3(t.Context(), blob.S3Config{URL: answering(t, test.status, code)})
		var refusal *blob.Refusal
		if !errors.As(err, &refusal) || strings.Contains(err.Error(), "hush-hush") {
			t.Errorf("%s: error %v", code, err)
			continue
		}
		for _, want := range []string{test.want, "invoices", "--s3 (EINVOICED_S3)", code} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q does not name %q", code, err, want)
			}
		}
	}
}

func TestServerThatIsAwayAtTheStartIsNoError(t *testing.T) {
	for name, address := range map[string]string{
		"nobody there": "http://k:s@127.0.0.1:1/invoices", "ill": answering(t, 503, "SlowDown"),
	} {
		s := openS3(t, blob.S3Config{URL: address, Attempts: 1})
		if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "bucket invoices") {
			t.Errorf("%s: check tells %v", name, err)
		}
	}
}
