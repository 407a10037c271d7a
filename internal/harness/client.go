package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// Client asks the API as a customer does: one address after the other, with one key.
type Client struct {
	Bases []string // http://host:port
	Key   string

	http *http.Client
	next atomic.Int64
}

// NewClient makes a client whose connections end with the test.
func NewClient(t T, key string, bases ...string) *Client {
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(transport.CloseIdleConnections)
	return &Client{Bases: bases, Key: key, http: &http.Client{Transport: transport, Timeout: 2 * time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// As gives the same client with another key.
func (c *Client) As(key string) *Client { return &Client{Bases: c.Bases, Key: key, http: c.http} }

// At gives the same client that asks one address alone.
func (c *Client) At(base string) *Client {
	return &Client{Bases: []string{base}, Key: c.Key, http: c.http}
}

// Answer is what the API answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// JSON reads the body into a value; what is no such JSON ends the test.
func (a Answer) JSON(t T, into any) {
	t.Helper()
	if err := json.Unmarshal(a.Body, into); err != nil {
		t.Fatalf("status %d: the answer is no such JSON: %v: %.400s", a.Status, err, a.Body)
	}
}

// Do sends one request to the next address. header are names and values in turn.
func (c *Client) Do(ctx context.Context, method, path string, body []byte, header ...string) (Answer, error) {
	base := c.Bases[int(c.next.Add(1)-1)%len(c.Bases)]
	req, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	if c.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.Key)
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := c.http.Do(req)
	if err != nil {
		return Answer{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return Answer{Status: res.StatusCode, Header: res.Header, Body: data}, err
}

// Must is Do that ends the test where no answer comes.
func (c *Client) Must(t T, method, path string, body []byte, header ...string) Answer {
	t.Helper()
	a, err := c.Do(t.Context(), method, path, body, header...)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

// Want is Must that ends the test at another status.
func (c *Client) Want(t T, status int, method, path string, body []byte, header ...string) Answer {
	t.Helper()
	a := c.Must(t, method, path, body, header...)
	if a.Status != status {
		t.Fatalf("%s %s: status %d, want %d: %.600s", method, path, a.Status, status, a.Body)
	}
	return a
}

// Stubborn sends a request until it is answered with something else than 429 and 5xx, as a customer's retries do. It gives how often it
// was sent. A conflict that says that the first attempt is under way is waited for, too.
func (c *Client) Stubborn(ctx context.Context, method, path string, body []byte, header ...string) (Answer, int, error) {
	const pause = 50 * time.Millisecond
	for tries := 1; ; tries++ {
		a, err := c.Do(ctx, method, path, body, header...)
		if err == nil && a.Status < 500 && a.Status != http.StatusTooManyRequests && !underway(a) {
			return a, tries, nil
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return a, tries, fmt.Errorf("%s %s given up: status %d, %w: %.300s", method, path, a.Status, ctx.Err(), a.Body)
		case <-timer.C:
		}
	}
}

func underway(a Answer) bool {
	return a.Status == http.StatusConflict && !bytes.Contains(a.Body, []byte("IDEMPOTENCY_CONFLICT"))
}
