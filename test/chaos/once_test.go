//go:build chaos

package chaos

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// C1: many callers with one key at once, spread over the API processes, cause one effect.
func TestC1_OneKeyManyCallers(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		h := open(t, s)
		customer, audit := h.Customer(), h.Audit()
		order := harness.Only(harness.Learn(t, customer, harness.Orders(t)), "generate")[0]
		for name, prefer := range map[string]string{"inline": "", "job": "respond-async"} {
			before, jobs := harness.Units(t, customer), len(audit.Rows())
			answers := together(t, customer, order, 50, "Idempotency-Key", "one-"+name, "Prefer", prefer)
			bodies, replays := map[string]int{}, 0
			for _, a := range answers {
				if a.Status == 409 {
					continue // it was under way
				}
				if a.Status != 200 && a.Status != 202 {
					t.Fatalf("%s: status %d: %.300s", name, a.Status, a.Body)
				}
				if said := string(a.Body); a.Status == 200 {
					bodies[said]++
				} else {
					bodies[jobOf(t, a)]++
				}
				if a.Header.Get("Idempotent-Replayed") == "true" {
					replays++
				}
			}
			if len(bodies) != 1 {
				t.Errorf("%s: %d different answers", name, len(bodies))
			}
			if n := len(audit.Rows()) - jobs; name == "job" && n != 1 || name == "inline" && n != 0 {
				t.Errorf("%s: %d jobs", name, n)
			}
			audit.Settled(time.Minute)
			audit.Counted()
			if sum := total(harness.Units(t, customer)) - total(before); sum != 1 {
				t.Errorf("%s: %d units", name, sum)
			}
			if replays == 0 && name == "inline" {
				t.Errorf("%s: no answer tells that it is a replay", name)
			}
		}
	})
}

// together sends the same request from many callers beside each other.
func together(t *testing.T, c *harness.Client, o harness.Order, n int, header ...string) []harness.Answer {
	t.Helper()
	answers, errs := make([]harness.Answer, n), make([]error, n)
	var callers sync.WaitGroup
	for i := range n {
		callers.Go(func() { answers[i], errs[i] = c.Do(t.Context(), "POST", o.Path, o.Body, header...) })
	}
	callers.Wait()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	return answers
}

func total(units map[string]int) (sum int) {
	for _, n := range units {
		sum += n
	}
	return sum
}

// C5: the answer is lost on the way after the effect. Sent again, the request is answered with the stored answer, byte for byte.
func TestC5_AnswerLost(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		h := open(t, s)
		customer := h.Customer()
		order := harness.Only(harness.Learn(t, customer, harness.Orders(t)), "generate")[0]
		before := total(harness.Units(t, customer))
		send(t, customer, order, "lost")
		harness.Until(t, time.Minute, "the effect has happened", func() bool { return total(harness.Units(t, customer)) == before+1 })
		for _, base := range h.Bases() {
			a, _, err := customer.At(base).Stubborn(t.Context(), "POST", order.Path, order.Body, "Idempotency-Key", "lost")
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a.Body, order.Want.Body) || a.Status != 200 || a.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s: status %d, replayed %q, %d bytes of %d", base, a.Status, a.Header.Get("Idempotent-Replayed"), len(a.Body), len(order.Want.Body))
			}
		}
		if n := total(harness.Units(t, customer)); n != before+1 {
			t.Errorf("%d units", n-before)
		}
	})
}

// send sends a request and reads no more of its answer than that there is one.
func send(t *testing.T, c *harness.Client, o harness.Order, key string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.Bases[0], "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	req, err := http.NewRequest("POST", c.Bases[0]+o.Path, bytes.NewReader(o.Body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.Key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(conn).Peek(1); err != nil {
		t.Fatal(err)
	}
}

// G2: a customer with one job does not wait for another's thousands.
func TestG2_NoisyNeighbour(t *testing.T) {
	inTurn(t, func(t *testing.T, s harness.Setup) {
		h := open(t, s)
		customer, audit := h.Customer(), h.Audit()
		orders := harness.Learn(t, customer, harness.Orders(t))
		neighbour := harness.NewClient(t, h.NewAccountKey("neighbour"), h.Bases()...)
		load := &harness.Load{Client: customer, Orders: orders, Jobs: size(1000, 10_000), Beside: 8, Seed: 8}
		raid{jobs: load.Jobs, whom: nobody}.send(t, h, load)
		if audit.Unfinished() < load.Jobs/10 {
			t.Logf("only %d jobs wait", audit.Unfinished())
		}
		began := time.Now()
		job := jobOf(t, neighbour.Want(t, 202, "POST", orders[0].Path, orders[0].Body, "Prefer", "respond-async"))
		harness.Until(t, time.Minute, "the neighbour's job has ended", func() bool {
			return audit.Number("SELECT count(*) FROM jobs WHERE id = ? AND state = 'succeeded'", job) == 1
		})
		if took, left := time.Since(began), audit.Unfinished(); took > 2500*time.Millisecond {
			t.Errorf("the neighbour's job took %s while %d others waited", took, left)
		} else {
			t.Logf("the neighbour's job took %s while %d others waited", took, left)
		}
		audit.Settled(5 * time.Minute)
		audit.Counted()
	})
}
