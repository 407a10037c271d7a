package harness

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Books are what a customer can see of money and messages: units used, and events received.
type Books struct {
	t        T
	client   *Client
	receiver *Receiver
	before   map[string]int // units by entitlement
}

// Keep opens the books of a customer: units are counted from here on, and the receiver gets the events of jobs.
func Keep(t T, c *Client, r *Receiver) *Books {
	t.Helper()
	r.Subscribe(t, c, "/books", "job.succeeded", "job.failed")
	return &Books{t: t, client: c, receiver: r, before: Units(t, c)}
}

// Units gives what GET /api/v1/usage tells, by entitlement.
func Units(t T, c *Client) map[string]int {
	t.Helper()
	var usage struct {
		Data []struct {
			Entitlement string
			Current     int
		}
	}
	a, _, err := c.Stubborn(t.Context(), "GET", "/api/v1/usage", nil)
	if err != nil {
		t.Fatalf("usage: %v", err)
	}
	a.JSON(t, &usage)
	units := map[string]int{}
	for _, d := range usage.Data {
		units[d.Entitlement] = d.Current
	}
	return units
}

// Balance holds that each of the jobs published one event, which arrived under one delivery id, and that the units used are those of the
// jobs that succeeded. It waits for the events.
func (b *Books) Balance(rows map[string]Row, accepted []Accepted, atMost time.Duration) {
	b.t.Helper()
	missing := func() (jobs []string) {
		seen := map[string]bool{}
		for _, e := range b.receiver.Events() {
			seen[e.Job] = true
		}
		for _, job := range accepted {
			if !seen[job.ID] {
				jobs = append(jobs, job.ID)
			}
		}
		return jobs
	}
	if !held(atMost, func() bool { return len(missing()) == 0 }) {
		lost := missing()
		b.t.Fatalf("of %d jobs %d have no event within %s, among them %s", len(accepted), len(lost), atMost, lost[0])
	}
	faults := append(b.events(accepted), b.units(rows, accepted)...)
	if len(faults) > 0 {
		b.t.Fatalf("%d faults in the books:\n%s", len(faults), strings.Join(faults[:min(20, len(faults))], "\n"))
	}
}

// events finds jobs with several events, and events with several deliveries.
func (b *Books) events(accepted []Accepted) (faults []string) {
	ours := map[string]bool{}
	for _, job := range accepted {
		ours[job.ID] = true
	}
	byJob, byEvent := map[string][]string{}, map[string][]string{}
	for _, e := range b.receiver.Events() {
		if !ours[e.Job] {
			continue
		}
		if !slices.Contains(byJob[e.Job], e.ID) {
			byJob[e.Job] = append(byJob[e.Job], e.ID)
		}
		if !slices.Contains(byEvent[e.ID], e.Delivery) {
			byEvent[e.ID] = append(byEvent[e.ID], e.Delivery)
		}
	}
	for job, events := range byJob {
		if len(events) != 1 {
			faults = append(faults, fmt.Sprintf("job %s has events %v", job, events))
		}
	}
	for event, deliveries := range byEvent {
		if len(deliveries) != 1 || deliveries[0] == "" {
			faults = append(faults, fmt.Sprintf("event %s has deliveries %q", event, deliveries))
		}
	}
	return faults
}

// units compares what was counted with what succeeded: one unit for each document made or read, none for validations.
func (b *Books) units(rows map[string]Row, accepted []Accepted) (faults []string) {
	b.t.Helper()
	want := map[string]int{}
	for _, job := range accepted {
		if rows[job.ID].State != "succeeded" {
			continue
		}
		switch job.Order.Operation {
		case "generate":
			want["create"]++
		case "parse":
			want["parse"]++
		}
	}
	got := map[string]int{}
	for entitlement, n := range Units(b.t, b.client) {
		right := entitlement[strings.LastIndexByte(entitlement, ':')+1:]
		got[right] += n - b.before[entitlement]
	}
	for _, right := range []string{"create", "parse"} {
		if got[right] != want[right] {
			faults = append(faults, fmt.Sprintf("%d units of %s were counted, %d jobs succeeded", got[right], right, want[right]))
		}
	}
	return faults
}

// Resent counts the deliveries that came more than once.
func (r *Receiver) Resent() (twice, all int) {
	seen := map[string]int{}
	for _, e := range r.Events() {
		seen[e.Delivery]++
	}
	for _, n := range seen {
		if n > 1 {
			twice++
		}
	}
	return twice, len(seen)
}

// Object gives the object of the event that an order's job publishes, as JSON.
func (e Event) Object() json.RawMessage {
	var shape struct {
		Data struct{ Object json.RawMessage }
	}
	_ = json.Unmarshal(e.Body, &shape) // an object that is not there is empty
	return shape.Data.Object
}
