package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
)

// upload begins a request of the role whose document has so many bytes, of which some are sent.
func (f *fixture) upload(t testing.TB, role string, length, sent int) net.Conn {
	t.Helper()
	conn := must(net.Dial("tcp", strings.TrimPrefix(f.url, "http://")))(t)
	t.Cleanup(func() { _ = conn.Close() })
	head := fmt.Sprintf("POST /api/v1/invoice/parse HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n", f.keys[role], length)
	must(fmt.Fprint(conn, head, strings.Repeat(" ", sent)))(t)
	return conn
}

// TestShares_Bodies ensures that one account which holds many large bodies open gets 429 beyond its share, that the bodies of another
// are taken meanwhile, and that what was open goes on.
func TestShares_Bodies(t *testing.T) {
	const mib = 1 << 20
	f := newFixture(t, Config{MaxBody: 4 * mib, MaxInflightBytes: 16 * mib, MaxSpooledBytes: 20 * mib, BodyGrace: time.Minute})
	var open []net.Conn
	for range 3 {
		open = append(open, f.upload(t, "full", 3*mib, 3*mib-1))
		eventually(t, "the body lies in a spool", func() bool { return f.capacity.spooled.Held() == int64(3*len(open)*mib) })
	}
	if r := readReply(t, f.upload(t, "full", 3*mib, 3*mib-1)); r.status != 429 {
		t.Errorf("beyond the share: status %d", r.status)
	}
	if held := f.capacity.coming.Held(); held > mib {
		t.Errorf("bodies of 9 MiB that lie in spools take %d bytes of memory", held)
	}
	scenario{role: "stranger", do: parseAuto, body: `{"data":"` + b64(strings.Repeat("x", mib)) + `"}`, status: 200}.run(t, f)
	scenario{role: "full", do: generateDE, body: "{}", status: 200}.run(t, f)
	for _, conn := range open {
		must(conn.Write([]byte(" ")))(t)
		if r := readReply(t, conn); r.status != 200 {
			t.Errorf("status %d: %s", r.status, r.body)
		}
	}
	eventually(t, "all is given back", func() bool { return idle(f.capacity.spooled) })
}

// idle tells whether nothing is held and nobody waits.
func idle(s interface {
	Held() int64
	Waiting() int
}) bool {
	return s.Held() == 0 && s.Waiting() == 0
}

// TestShares_Processors ensures that the work of one account takes no more processors than there are, however many requests it has, and
// that the request of another account is begun beside it.
func TestShares_Processors(t *testing.T) {
	s := stubborn{entered: make(chan struct{}), letGo: make(chan struct{})}
	f := newFixture(t, Config{Processors: 2}, func(d *Deps) { d.Operations = s })
	var waiting sync.WaitGroup
	for range 5 {
		waiting.Go(func() { scenario{role: "full", do: generateDE, body: "{}", status: 200}.run(t, f) })
	}
	<-s.entered
	<-s.entered
	eventually(t, "the others wait", func() bool { return f.capacity.requests.Held() == 5 && f.capacity.processors.Waiting() == 3 })
	waiting.Go(func() { scenario{role: "stranger", do: generateDE, body: "{}", status: 200}.run(t, f) })
	<-s.entered
	if held := f.capacity.processors.Held(); held != 3 {
		t.Errorf("%d processors are held", held)
	}
	close(s.letGo)
	for range 3 {
		<-s.entered
	}
	waiting.Wait()
}

// TestShares_Reads ensures that an account which reads much leaves room for the lists of others, and waits for none of its own work.
func TestShares_Reads(t *testing.T) {
	f := newFixture(t, Config{Processors: 1})
	asks := func(method, accountID string) *call {
		return &call{r: httptest.NewRequestWithContext(t.Context(), method, "/", nil), route: &route{method: method}, key: &account.Key{AccountID: accountID}}
	}
	working, err := f.process(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	defer working()
	first, other := asks("GET", "a"), asks("GET", "b")
	if err := f.toRead(first); err != nil || f.capacity.reading.Held() != 1 {
		t.Fatalf("%v, %d read", err, f.capacity.reading.Held())
	}
	if err := f.toRead(asks("DELETE", "a")); err != nil || f.capacity.reading.Held() != 1 {
		t.Errorf("a request that writes: %v, %d read", err, f.capacity.reading.Held())
	}
	second := make(chan *call)
	go func() {
		c := asks("GET", "a")
		if err := f.toRead(c); err != nil {
			t.Error(err)
		}
		second <- c
	}()
	eventually(t, "the second waits", func() bool { return f.capacity.reading.Waiting() == 1 })
	if err := f.toRead(other); err != nil {
		t.Fatal(err)
	}
	first.doneReading()
	(<-second).doneReading()
	other.doneReading()
	if n := f.capacity.reading.Held(); n != 0 {
		t.Errorf("%d read", n)
	}
}

// TestShares_StoringALargeBodyIsWork ensures that what is stored is read while there is a processor for it, and that the processor is given back
// at the end, where the reader gives up, and where it waits for something else.
func TestShares_StoringALargeBodyIsWork(t *testing.T) {
	f := newFixture(t, Config{Processors: 1})
	ctx, cancel := context.WithCancelCause(t.Context())
	c := &call{r: httptest.NewRequestWithContext(ctx, "POST", "/", nil), key: &account.Key{AccountID: "full"}}
	other, err := f.process(t.Context(), "full")
	if err != nil {
		t.Fatal(err)
	}
	whole, leave := f.inWork(c, strings.NewReader("body"))
	read := make(chan string)
	go func() {
		data, err := io.ReadAll(whole)
		read <- fmt.Sprint(string(data), err)
	}()
	eventually(t, "it waits", func() bool { return f.capacity.processors.Waiting() == 1 })
	other()
	if got := <-read; got != "body<nil>" || f.capacity.processors.Held() != 0 {
		t.Errorf("%s, %d processors are held", got, f.capacity.processors.Held())
	}
	leave()

	part, leave := f.inWork(c, strings.NewReader("body"))
	part.(*working).patience = time.Hour
	if _, err := part.Read(make([]byte, 2)); err != nil || f.capacity.processors.Held() != 1 {
		t.Errorf("error %v, %d processors are held", err, f.capacity.processors.Held())
	}
	slow, leaveSlow := f.inWork(&call{r: c.r, key: &account.Key{AccountID: "slow"}}, strings.NewReader("body"))
	if _, err := slow.Read(make([]byte, 2)); err != nil {
		t.Error(err)
	}
	eventually(t, "who does not come back gives it back", func() bool { return f.capacity.processors.Held() == 1 })
	if rest, err := io.ReadAll(slow); string(rest) != "dy" || err != nil {
		t.Errorf("%q, error %v", rest, err)
	}
	leaveSlow()
	late, leaveLate := f.inWork(c, strings.NewReader("body"))
	cancel(errClientGone)
	if _, err := late.Read(make([]byte, 2)); !errors.Is(err, errClientGone) {
		t.Errorf("error %v", err)
	}
	leave()
	leaveLate()
	if held := f.capacity.processors.Held(); held != 0 {
		t.Errorf("%d processors are held", held)
	}
}

// TestShares_ProcessorLostAtOnce ensures that a processor may be given back while it is being taken: the machine may stand still for longer than
// anybody's patience between the two.
func TestShares_ProcessorLostAtOnce(t *testing.T) {
	held := make(chan struct{}, 1)
	await := func() (func(), error) {
		held <- struct{}{}
		return func() { <-held }, nil
	}
	for range 1_000 {
		w := &working{from: strings.NewReader("body"), await: await, ended: t.Context().Err, patience: -1}
		if data, err := io.ReadAll(w); string(data) != "body" || err != nil {
			t.Fatalf("%q, error %v", data, err)
		}
		if len(held) != 0 {
			t.Fatal("the processor is held after the end")
		}
	}
}

// TestShares_Requests ensures that an account with as many requests under way as it may have gets 429, and another does not.
func TestShares_Requests(t *testing.T) {
	f := newFixture(t, Config{MaxOpen: 4, BodyGrace: time.Minute})
	for range 2 {
		f.begin(t, "full", "/api/v1/invoice/de/xrechnung/generate", 1000)
	}
	eventually(t, "both are under way", func() bool { return f.capacity.open.Held() == 2 })
	scenario{role: "full", do: "GET /api/v1/invoice/formats", status: 429}.run(t, f)
	scenario{role: "stranger", do: "GET /api/v1/invoice/formats", status: 200}.run(t, f)
}
