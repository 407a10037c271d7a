package api

import (
	"context"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/account"
)

// TestShares_AnswersOfJobs ensures that the large answers that an account has read, and does not take from the connection, have their share of memory
// as large bodies have: the next of its own waits until one is sent, that of another account does not.
func TestShares_AnswersOfJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := must(Config{MaxBody: 4 << 20, MaxInflightBytes: 64 << 20}.withDefaults())(t)
		s := &Server{capacity: newCapacity(&cfg, &job.Recent{}, job.NewProcessors(1, &job.Recent{}))}
		asks := func(ctx context.Context, accountID string) *call {
			return &call{r: httptest.NewRequestWithContext(ctx, "GET", "/", nil), route: &route{method: "GET"}, key: &account.Key{AccountID: accountID}}
		}
		load := func(c *call, n int64) error {
			leave, err := s.toLoad(c, n)
			leave()
			return err
		}
		large := s.capacity.load/2 - 1
		first, second := asks(t.Context(), "a"), asks(t.Context(), "a")
		if err := load(first, large); err != nil {
			t.Fatal(err)
		}
		got := make(chan error, 1)
		if err := s.toRead(second); err != nil {
			t.Fatal(err)
		}
		go func() { got <- load(second, large) }()
		synctest.Wait()
		if n := s.capacity.reading.Held(); n != 0 {
			t.Errorf("%d read while they wait for room", n)
		}
		select {
		case err := <-got:
			t.Fatalf("the second answer has its room beside the first: %v", err)
		default:
		}
		if err := load(asks(t.Context(), "b"), large/2); err != nil {
			t.Errorf("of another account: %v", err)
		}
		first.release()
		if err := <-got; err != nil {
			t.Errorf("after the first was sent: %v", err)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if err := load(asks(gone, "a"), large); err == nil {
			t.Error("a client that has left has room")
		}
		second.release()
	})
}
