package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// wait is one line of the table: how long small inline requests took.
type wait struct {
	Setup, What   string
	Requests      int
	P50, P99, Max time.Duration
	Long          int // long jobs that ended meanwhile
}

// pace is how often a small request is sent: far below what the machine can do, so that waiting is what is measured.
const pace = 20 * time.Millisecond

// inline measures small inline validations alone, while jobs that generate and validate long invoices run, and while callers besides
// send such jobs and fetch their answers all the time.
func inline(t *measurement, o options, h *harness.System, c *harness.Client) []wait {
	order := small(t, c)
	alone := ask(t, o, c, order)
	alone.What = "alone"
	orders := long(t, o, c)
	backlog := leave(t, h, c, orders, o.backlog)
	during := ask(t, o, c, order)
	during.What, during.Long = fmt.Sprintf("while jobs of %d lines run", o.lines), withdraw(t, c, backlog)
	stop := make(chan struct{})
	var ended int
	var work sync.WaitGroup
	work.Go(func() { ended = keepBusy(t, c, orders, stop) })
	beside := ask(t, o, c, order)
	close(stop)
	work.Wait()
	beside.What, beside.Long = "and are sent and fetched on this machine", ended
	waits := []wait{alone, during, beside}
	for i := range waits {
		waits[i].Setup = h.Name
	}
	return waits
}

// leave has n long jobs accepted and gives their ids. Workers that are processes of their own begin when all are there.
func leave(t *measurement, h *harness.System, c *harness.Client, orders []harness.Order, n int) (ids []string) {
	for _, r := range h.Roles {
		if r.Command == "worker" {
			r.Pause()
			defer r.Resume()
		}
	}
	for i := range n {
		o := orders[i%len(orders)]
		var job struct{ ID string }
		c.Want(t, 202, "POST", o.Path, o.Body, "Prefer", "respond-async").JSON(t, &job)
		ids = append(ids, job.ID)
	}
	return ids
}

// withdraw cancels the jobs that have not ended, and counts those that have. One at least must not have: else there was a time without.
func withdraw(t *measurement, c *harness.Client, ids []string) (ended int) {
	for _, id := range ids {
		var job struct{ Status string }
		c.Want(t, 200, "GET", "/api/v1/jobs/"+id, nil).JSON(t, &job)
		switch job.Status {
		case "succeeded":
			ended++
		case "queued", "running":
			c.Must(t, "DELETE", "/api/v1/jobs/"+id, nil) // it may have ended meanwhile
		default:
			t.Fatalf("a long job is %s", job.Status)
		}
	}
	if ended == len(ids) {
		t.Fatalf("all %d long jobs ended before the measurement did: ask for more with -backlog", ended)
	}
	return ended
}

// ask sends a small request at each beat, whether or not the one before is answered, and measures from the beat to the answer.
func ask(t *measurement, o options, c *harness.Client, order harness.Order) wait {
	var mu sync.Mutex
	var times []time.Duration
	var failed string
	var work sync.WaitGroup
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for end := time.Now().Add(o.inline); time.Now().Before(end); {
		began := <-tick.C
		work.Go(func() {
			a, err := c.Do(t.ctx, "POST", order.Path, order.Body)
			mu.Lock()
			defer mu.Unlock()
			times = append(times, time.Since(began))
			if err != nil || a.Status != 200 {
				failed = fmt.Sprintf("status %d: %v", a.Status, err)
			}
		})
	}
	work.Wait()
	if failed != "" {
		t.Fatalf("an inline request: %s", failed)
	}
	slices.Sort(times)
	return wait{Requests: len(times), P50: harness.Percentile(times, 50), P99: harness.Percentile(times, 99), Max: times[len(times)-1]}
}

// long gives the orders of a long invoice: to generate it, and to validate what that gave.
func long(t *measurement, o options, c *harness.Client) []harness.Order {
	generate := harness.Order{Operation: "generate", Path: "/api/v1/invoice/de/xrechnung/generate", Body: longInvoice(o.lines)}
	a := c.Want(t, 200, "POST", generate.Path, generate.Body)
	var answer struct{ Data string }
	a.JSON(t, &answer)
	document, err := base64.StdEncoding.DecodeString(answer.Data)
	if err != nil || !bytes.Contains(document, []byte("<")) {
		t.Fatalf("the long invoice is no document: %v", err)
	}
	body, _ := json.Marshal(map[string]string{"data": answer.Data}) // strings can be written
	return []harness.Order{generate, {Operation: "validate", Path: "/api/v1/invoice/de/xrechnung/validate", Body: body}}
}

// keepBusy has two long jobs under way or waiting until stop, and counts those that ended.
func keepBusy(t *measurement, c *harness.Client, orders []harness.Order, stop <-chan struct{}) (ended int) {
	var mu sync.Mutex
	var work sync.WaitGroup
	for i := range 2 {
		work.Go(func() {
			for n := i; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				o := orders[n%len(orders)]
				a, err := c.Do(t.ctx, "POST", o.Path, o.Body, "Prefer", "respond-async, wait=100")
				mu.Lock()
				if err == nil && a.Status == 200 {
					ended++
				}
				mu.Unlock()
			}
		})
	}
	work.Wait()
	return ended
}

// longInvoice is the request of an invoice of n lines with its totals.
func longInvoice(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"invoice": {"invoiceNumber": "2026-LONG", "type": "invoice", "issueDate": "2026-03-02", "dueDate": "2026-04-01",
		"deliveryDate": "2026-02-27", "currency": "EUR", "buyerReference": "04011000-12345-03",
		"seller": {"name": "Weserhandel GmbH", "street": "Am Wall 1", "city": "Bremen", "postalCode": "28195", "countryCode": "DE", "vatId": "DE123456789",
			"email": "rechnung@weserhandel.example", "contact": {"name": "Anke Meyer", "phone": "+49 421 66969 1", "email": "meyer@weserhandel.example"},
			"bankAccount": {"iban": "DE02120300000000202051"}},
		"buyer": {"name": "Stadtwerke Musterstadt", "street": "Ring 2", "city": "Musterstadt", "postalCode": "12345", "countryCode": "DE", "email": "eingang@stadtwerke.example"},
		"paymentMethods": [{"type": "credit_transfer"}],
		"items": [`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"description": "Position %d", "quantity": 2, "unit": "C62", "unitPrice": 5, "taxRate": 19, "taxCategoryCode": "S", "netAmount": 10, "taxAmount": 1.9}`, i+1)
	}
	fmt.Fprintf(&b, `], "taxSummary": [{"taxRate": 19, "taxCategoryCode": "S", "netAmount": %d, "taxAmount": %d.%d}], "subtotal": %d, "total": %d.%d}}`,
		10*n, 19*n/10, 19*n%10, 10*n, 119*n/10, 119*n%10)
	return b.Bytes()
}
