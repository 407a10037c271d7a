package api

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/einvoiced/einvoiced/job"
)

// TestPacing_LargeBodiesOfAnAccount ensures that the large bodies of one account come at its rate, all together, while another account comes now and
// then, that this one has a rate of its own, and that who is alone waits for nothing.
func TestPacing_LargeBodiesOfAnAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recent := &job.Recent{}
		p := newPacing(pacedPiece, recent)
		took := func(account string, pieces int) (all time.Duration) {
			for range pieces {
				all += p.wait(t.Context(), account, pacedPiece)
			}
			return all
		}
		recent.Serve("one", time.Now())
		if got := took("one", 100); got != 0 {
			t.Errorf("who is alone waits %s", got)
		}
		recent.Serve("two", time.Now())
		if got := took("one", 1) + took("two", 1); got != 0 {
			t.Errorf("the first piece waits %s", got)
		}
		both := make(chan time.Duration)
		for range 2 {
			go func() { both <- took("one", 5) }()
		}
		if a, b := <-both, <-both; max(a, b).Round(time.Millisecond) != 10*time.Second {
			t.Errorf("two bodies of an account wait %s and %s for 10 pieces", a, b)
		}
		if got := took("two", 1); got != 0 {
			t.Errorf("another account waits %s", got)
		}
		time.Sleep(comesAgain)
		if got := took("one", 100); got != 0 {
			t.Errorf("a minute after the others it waits %s", got)
		}
	})
}

// TestPacing_EndsWithTheRequest ensures that nobody waits for the pace after the end of his request.
func TestPacing_EndsWithTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recent := &job.Recent{}
		recent.Serve("other", time.Now())
		p := newPacing(1, recent)
		ctx, cancel := context.WithCancel(t.Context())
		p.wait(ctx, "one", pacedPiece)
		time.AfterFunc(time.Second, cancel)
		if got := p.wait(ctx, "one", pacedPiece); got != time.Second {
			t.Errorf("it waits %s", got)
		}
	})
}

// TestPacing_ForgetsAccounts ensures that no more than so many are remembered.
func TestPacing_ForgetsAccounts(t *testing.T) {
	recent := &job.Recent{}
	recent.Serve("other", time.Now())
	p := newPacing(pacedPiece, recent)
	for i := range 2*maxLimiters + 1 {
		p.wait(t.Context(), fmt.Sprint(i), 1000)
		if n := len(p.accounts.byKey); n > maxLimiters {
			t.Fatalf("%d accounts are remembered", n)
		}
	}
}

// TestPacing_IsNotCountedAgainstTheClient ensures that a body is paced from its second MiB on, and has the time in which it waits on top of what it
// may be silent.
func TestPacing_IsNotCountedAgainstTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const wait = 7 * time.Second
		in := newIntake(t, Config{}, bytes.NewReader(make([]byte, smallBody+4*pacedPiece)))
		conn := &silent{}
		in.ctrl = http.NewResponseController(conn)
		waits := 0
		in.pace = func(n int) time.Duration {
			if in.n <= smallBody || n > pacedPiece {
				t.Errorf("%d bytes wait after %d", n, in.n)
			}
			waits += n
			time.Sleep(wait)
			return wait
		}
		if err := in.receive(); err != nil {
			t.Fatal(err)
		}
		defer in.close()
		if waits < 3*pacedPiece {
			t.Errorf("%d bytes have waited", waits)
		}
		if last := conn.set[len(conn.set)-2]; last.Before(time.Now()) { // the last one of all takes the deadline away
			t.Errorf("the body ended %s after its deadline", time.Since(last))
		}
	})
}
