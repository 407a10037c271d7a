package api

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/fair"
)

// tooLargeJSON is the 413 of a limit.
func tooLargeJSON(limit int) string {
	message := fmt.Sprintf("The request body is larger than %d bytes", limit)
	return fmt.Sprintf(`{"error":"PAYLOAD_TOO_LARGE","message":%q,"code":"PAYLOAD_TOO_LARGE","limit":%d,
		"errors":[{"code":"PAYLOAD_TOO_LARGE","message":%q,"field":""}]}`, message, limit, message)
}

// endless is a body that goes on until it is stopped, and counts what was taken from it.
type endless struct{ taken atomic.Int64 }

// Read gives spaces after the beginning of a JSON object.
func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	if e.taken.Add(int64(len(p))) == int64(len(p)) {
		p[0] = '{'
	}
	return len(p), nil
}

// TestBody_Limit ensures the limit to the byte, with a length and in chunks, on both kinds of route, and that hardly more
// than the limit is read.
func TestBody_Limit(t *testing.T) {
	const limit = 1 << 20
	f := newFixture(t, Config{MaxBody: limit, MaxInflightBytes: 8 * limit})
	pad := func(n int) string { return `{"data":"QQ=="` + strings.Repeat(" ", n-15) + "}" }
	for _, do := range []string{generateDE, parseDE, parseAuto} {
		_, path, _ := strings.Cut(do, " ")
		for _, chunked := range []bool{false, true} {
			for size, status := range map[int]int{limit: 200, limit + 1: 413, 3 * limit: 413} {
				t.Run(fmt.Sprintf("%s chunked=%v %d", path, chunked, size), func(t *testing.T) {
					req := must(http.NewRequestWithContext(t.Context(), "POST", f.url+path, strings.NewReader(pad(size))))(t)
					if chunked {
						req.ContentLength = -1
					}
					req.Header.Set("Authorization", "Bearer "+f.keys["full"])
					r := f.send(t, req)
					if r.status != status {
						t.Fatalf("status %d: %s", r.status, r.body)
					}
					checkContract(t, "POST", path, r)
					if status == 413 {
						checkMatch(t, r.body, tooLargeJSON(limit))
						if !r.closed || !strings.Contains(string(r.body), `"error":"PAYLOAD_TOO_LARGE"`) {
							t.Errorf("the connection stays open, or the word is another: %v %s", r.header, r.body)
						}
					}
				})
			}
		}
	}
}

// TestBody_IsNotReadBeyondTheLimit ensures that a client which goes on sending is not listened to.
func TestBody_IsNotReadBeyondTheLimit(t *testing.T) {
	const limit = 1 << 20
	f := newFixture(t, Config{MaxBody: limit, MaxInflightBytes: 8 * limit})
	for _, path := range []string{"/api/v1/invoice/de/xrechnung/generate", "/api/v1/invoice/parse"} {
		read := countReads(t, f, path)
		if read > limit+limit {
			t.Errorf("%s: %d bytes were read of a body limited to %d", path, read, limit)
		}
	}
}

// countReads posts an endless body through a connection in memory and gives how much of it the server took.
func countReads(t *testing.T, f *fixture, path string) int64 {
	t.Helper()
	client, server := net.Pipe()
	listener := &oneConn{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
	listener.conn <- server
	httpServer := HTTPServer(f, f.Log)
	done := make(chan struct{})
	go func() { defer close(done); _ = httpServer.Serve(listener) }()
	defer func() { _ = httpServer.Close(); <-done }()
	body := &endless{}
	req := must(http.NewRequestWithContext(t.Context(), "POST", "http://pipe"+path, body))(t)
	req.Header.Set("Authorization", "Bearer "+f.keys["full"])
	var writer sync.WaitGroup
	writer.Go(func() { _ = req.Write(client) })
	res := must(http.ReadResponse(bufio.NewReader(client), req))(t)
	answer := must(io.ReadAll(res.Body))(t)
	if err := errors.Join(res.Body.Close(), client.Close()); err != nil {
		t.Error(err)
	}
	writer.Wait()
	checkMatch(t, answer, tooLargeJSON(1<<20))
	return body.taken.Load()
}

// oneConn is a listener with one connection.
type oneConn struct {
	conn   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

// Accept gives the connection, then waits for Close.
func (l *oneConn) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *oneConn) Close() error { l.once.Do(func() { close(l.closed) }); return nil }

// Addr is some address.
func (l *oneConn) Addr() net.Addr { return &net.TCPAddr{} }

// TestBody_Slow ensures that a body which drips in is given up: the connection is closed and the answer tells why.
func TestBody_Slow(t *testing.T) {
	f := newFixture(t, Config{BodyGrace: 50 * time.Millisecond})
	for _, path := range []string{"/api/v1/invoice/de/xrechnung/generate", "/api/v1/invoice/parse"} {
		conn := f.begin(t, "full", path, 1000)
		r := readReply(t, conn)
		checkContract(t, "POST", path, r)
		checkMatch(t, r.body, problemJSON("Request Timeout", "REQUEST_TIMEOUT", "The request body did not arrive in time"))
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("the connection stays open: %v", err)
		}
	}
}

// TestBody_SlowAndUnread ensures that a body which no handler wants cannot hold the connection either.
func TestBody_SlowAndUnread(t *testing.T) {
	f := newFixture(t, Config{BodyGrace: 50 * time.Millisecond})
	for _, path := range []string{"/nowhere", "/api/v1/version", "/api/v1/invoice/parse"} {
		conn := f.begin(t, "malformed", path, 1000)
		if r := readReply(t, conn); r.status < 400 {
			t.Errorf("%s: status %d", path, r.status)
		}
		if n, err := conn.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%s: the connection stays open: %v", path, err)
		}
	}
}

// begin sends the header of a request and the first bytes of its body.
func (f *fixture) begin(t testing.TB, role, path string, length int) net.Conn {
	t.Helper()
	conn := must(net.Dial("tcp", strings.TrimPrefix(f.url, "http://")))(t)
	t.Cleanup(func() { _ = conn.Close() })
	_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n{", path, f.keys[role], length)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func readReply(t testing.TB, conn net.Conn) reply {
	t.Helper()
	_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	res := must(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	defer res.Body.Close()
	return reply{res.StatusCode, res.Header, must(io.ReadAll(res.Body))(t), res.Close}
}

// TestBody_ManySlowClients ensures that other clients are answered while many bodies drip in (at a smaller scale).
func TestBody_ManySlowClients(t *testing.T) {
	f := newFixture(t, Config{BodyGrace: time.Minute, MaxInflight: 10})
	for range 200 {
		f.begin(t, "full", "/api/v1/invoice/de/xrechnung/generate", 1000)
	}
	scenario{role: "full", do: generateDE, body: "{}", status: 200}.run(t, f)
}

// TestBody_ClientLeaves ensures that a client which leaves in mid-body is logged as 499 and is no failure of ours.
func TestBody_ClientLeaves(t *testing.T) {
	f := newFixture(t, Config{})
	conn := f.begin(t, "full", "/api/v1/invoice/de/xrechnung/generate", 1000)
	eventually(t, "the body is being read", func() bool {
		return !idle(f.capacity.coming)
	})
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the log tells of it", func() bool { return strings.Contains(f.log.String(), `"status":499`) })
	if strings.Contains(f.log.String(), `"ERROR"`) {
		t.Errorf("logged as an error: %s", f.log)
	}
}

// stubborn waits in Generate until it is let go.
type stubborn struct {
	fakeOperations
	entered chan struct{}
	letGo   chan struct{}
}

// Generate tells that it was entered, and waits.
func (s stubborn) Generate(ctx context.Context, req operation.GenerateRequest) (*operation.GenerateAnswer, error) {
	s.entered <- struct{}{}
	select {
	case <-s.letGo:
		return s.fakeOperations.Generate(ctx, req)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestOperation_ClientLeaves ensures that the work for a client that left is ended, and logged as 499.
func TestOperation_ClientLeaves(t *testing.T) {
	s := stubborn{entered: make(chan struct{}), letGo: make(chan struct{})}
	f := newFixture(t, Config{}, func(d *Deps) { d.Operations = s })
	conn := f.begin(t, "full", "/api/v1/invoice/de/xrechnung/generate", 1)
	<-s.entered
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the log tells of it", func() bool { return strings.Contains(f.log.String(), `"status":499`) })
}

// TestAdmission_Requests ensures that what exceeds the capacity gets 429 at once, without Retry-After, and that room comes
// back.
func TestAdmission_Requests(t *testing.T) {
	s := stubborn{entered: make(chan struct{}), letGo: make(chan struct{})}
	f := newFixture(t, Config{MaxInflight: 4, Processors: 2}, func(d *Deps) { d.Operations = s })
	var busy sync.WaitGroup
	for range 2 {
		busy.Go(func() { scenario{role: "full", do: generateDE, body: "{}", status: 200}.run(t, f) })
		<-s.entered
	}
	r := f.ask(t, "full", "POST", "/api/v1/invoice/parse", `{"data":"QQ=="}`)
	checkContract(t, "POST", "/api/v1/invoice/parse", r)
	checkMatch(t, r.body, wordJSON("RATE_LIMITED", "The server is working at its capacity; retry with exponential backoff"))
	if r.status != 429 || r.header.Get("Retry-After") != "" {
		t.Errorf("status %d, header %v", r.status, r.header)
	}
	scenario{role: "full", do: "GET /api/v1/invoice/formats", status: 200}.run(t, f)        // needs no room
	scenario{role: "stranger", do: parseDE, body: `{"data":"QQ=="}`, status: 200}.run(t, f) // has a share of its own
	close(s.letGo)
	busy.Wait()
	scenario{role: "full", do: parseDE, body: `{"data":"QQ=="}`, status: 200}.run(t, f)
}

// manyItems is the JSON of an invoice with n empty items.
func manyItems(n int) []byte {
	return []byte(`{"invoice":{"items":[` + strings.TrimSuffix(strings.Repeat("{},", n), ",") + "]}}")
}

// TestBody_Lines ensures that too many lines are refused with their true count, and too deep ones, before anything is decoded.
func TestBody_Lines(t *testing.T) {
	f := newFixture(t, Config{Lines: invoice.Limits{MaxItems: 10, MaxLines: 20, MaxSubItemDepth: 3}})
	deep := func(levels int) string {
		return `{"items":[` + strings.Repeat(`{"subItems":[`, levels) + "{}" + strings.Repeat("]}", levels) + "]}"
	}
	tooDeep := `{"error":"SUB_ITEMS_TOO_DEEP","message":"…","code":"SUB_ITEMS_TOO_DEEP","field":"items[0].subItems","errors":"…"}`
	runScenarios(t, f, []scenario{
		{name: "the limit", role: "full", do: generateDE, body: string(manyItems(10)), status: 200},
		{name: "one more", role: "full", do: generateDE, body: string(manyItems(11)), status: 400,
			want: `{"error":"TOO_MANY_LINE_ITEMS","message":"…","code":"TOO_MANY_LINE_ITEMS","field":"items","lineItems":{"count":11,"limit":10},"errors":["…"]}`},
		{name: "also as a job", role: "full", do: generateDE, body: string(manyItems(11)), header: []string{"Prefer", async}, status: 400},
		{name: "depth", role: "full", do: generateDE, body: deep(3), status: 200},
		{name: "too deep", role: "full", do: generateDE, body: deep(4), status: 400, want: tooDeep},
		{name: "much too deep", role: "full", do: generateDE, body: deep(100_000), status: 400, want: tooDeep},
	})
}

// newIntake is the intake of a body that does not come from a connection.
func newIntake(t testing.TB, cfg Config, body io.Reader) *intake {
	cfg = must(cfg.withDefaults())(t)
	return &intake{body: body, cfg: &cfg, lease: &lease{capacity: newCapacity(&cfg, &job.Recent{}, nil), account: "a"}, limit: cfg.MaxBody}
}

// TestBody_GrowsWithoutKnownLength ensures that bodies of any length arrive whole, in memory or in a spool, and leave nothing behind.
func TestBody_GrowsWithoutKnownLength(t *testing.T) {
	for _, size := range []int{0, 1, step - 1, step, step + 1, 3 * step, smallBody - 1, smallBody, smallBody + 1, 3 << 20} {
		for _, room := range []int64{64 << 10, 64 << 20} {
			body := bytes.Repeat([]byte("ab"), size)[:size]
			in := newIntake(t, Config{MaxBody: 4 << 20, MaxInflightBytes: 8 << 20}, bytes.NewReader(body))
			in.lease.capacity.coming = fair.New(room, nil)
			in.turn = func() error { return in.load(t.Context()) }
			got, err := in.bytes()
			if err != nil || !bytes.Equal(got, body) {
				t.Errorf("size %d: %d bytes, %v", size, len(got), err)
			}
			if large := size >= smallBody || int64(size) >= room/copies; large != (in.lease.loaded > 0) || large && in.lease.coming+in.lease.spooled > 0 {
				t.Errorf("size %d in room for %d: %+v", size, room, in.lease)
			}
			in.close()
			if c := in.lease.capacity; !idle(c.coming) || !idle(c.spooled) || !idle(c.loaded) {
				t.Errorf("size %d: something is left", size)
			}
		}
	}
}

// silent counts the deadlines of a connection, and is a response writer for nobody.
type silent struct {
	http.ResponseWriter
	set []time.Time
}

// SetReadDeadline implements what http.ResponseController asks for.
func (s *silent) SetReadDeadline(t time.Time) error { s.set = append(s.set, t); return nil }

// TestBody_PaceIsOfTheLastSeconds ensures that a body which has come fast may be silent no longer than one that has just begun, and that
// one which goes on slowly is waited for.
func TestBody_PaceIsOfTheLastSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from, to := io.Pipe()
		in := newIntake(t, Config{}, from)
		conn := &silent{}
		in.ctrl = http.NewResponseController(conn)
		due := func() time.Duration { return time.Until(conn.set[len(conn.set)-1]) }
		done := make(chan error)
		go func() { done <- in.receive() }()
		send := func(n int) {
			_, err := to.Write(make([]byte, n))
			synctest.Wait()
			if err != nil {
				t.Fatal(err)
			}
		}
		send(64 << 20)
		if due() > in.cfg.BodyGrace {
			t.Errorf("after 64 MiB the body may be silent for %s", due())
		}
		for range 20 {
			time.Sleep(9 * time.Second)
			if send(100 << 10); due() <= 0 {
				t.Fatal("a body that goes on is given up")
			}
		}
		before := due()
		time.Sleep(time.Second)
		if send(100); due() >= before {
			t.Error("a few bytes buy time")
		}
		_ = to.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		in.close()
	})
}

// TestHTTPServer_HoldsSlowClientsOff ensures the time limits of header and idle connections.
func TestHTTPServer_HoldsSlowClientsOff(t *testing.T) {
	s := HTTPServer(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	if s.ReadHeaderTimeout > 5*time.Second || s.IdleTimeout > time.Minute || s.MaxHeaderBytes > 32<<10 || s.ReadHeaderTimeout*s.IdleTimeout == 0 {
		t.Errorf("%+v", s)
	}
}

// TestExpectContinue ensures that a body which cannot be taken is not asked for.
func TestExpectContinue(t *testing.T) {
	f := newFixture(t, Config{})
	conn := must(net.Dial("tcp", strings.TrimPrefix(f.url, "http://")))(t)
	defer conn.Close()
	fmt.Fprintf(conn, "POST /api/v1/invoice/parse HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 999999999\r\nExpect: 100-continue\r\n\r\n", f.keys["full"])
	if r := readReply(t, conn); r.status != 413 {
		t.Errorf("status %d", r.status)
	}
}

// TestConfig_RefusesNonsense ensures that limits which contradict each other are told at the start.
func TestConfig_RefusesNonsense(t *testing.T) {
	for _, cfg := range []Config{{MaxBody: -1}, {MaxInflight: -1}, {MaxBody: 10, MaxInflightBytes: 9}, {BodyGrace: -1}, {MaxWait: -1}} {
		if _, err := New(cfg, Deps{}); err == nil {
			t.Errorf("%+v was accepted", cfg)
		}
	}
	if _, err := New(Config{}, Deps{}); err == nil {
		t.Error("a server without parts was accepted")
	}
}

// TestBody_BufferGrowsToWhatIsDeclared ensures that a buffer becomes as large as the client says the body is where that is not far from what has come,
// with a byte in which the end is found, and else twice as large: who declares much and sends little gets little.
func TestBody_BufferGrowsToWhatIsDeclared(t *testing.T) {
	for _, c := range []struct {
		declared   int64
		size, want int
	}{
		{-1, step, 2 * step}, {0, step, 2 * step}, {step, step, step + 1}, {5 * step, step, 5*step + 1}, {8 * step, step, 2 * step},
		{1 << 40, step, 2 * step}, {9 * step, 2 * step, 9*step + 1},
	} {
		in := &intake{declared: c.declared}
		if got := in.grown(c.size); got != c.want {
			t.Errorf("%d bytes declared, %d full: %d, want %d", c.declared, c.size, got, c.want)
		}
	}
}
