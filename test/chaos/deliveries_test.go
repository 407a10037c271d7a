//go:build chaos

package chaos

import (
	"bytes"
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// neighbours are two accounts whose webhooks lead to the same host, which answers one of them alone.
type neighbours struct {
	receiver        *harness.Receiver
	enemy, innocent *harness.Client
	webhook         string // of the innocent one
	audit           *harness.Auditor
	silent          atomic.Int64 // requests that were not answered
}

func openNeighbours(t *testing.T, s harness.Setup) *neighbours {
	n := &neighbours{receiver: harness.StartReceiver(t)}
	h := open(t, s, reaches(n.receiver))
	n.audit = h.Audit()
	n.enemy, n.innocent = harness.NewClient(t, h.NewAccountKey("hostile"), h.Bases()...), harness.NewClient(t, h.NewAccountKey("innocent"), h.Bases()...)
	n.webhook, _ = n.receiver.Subscribe(t, n.innocent, "/innocent")
	silence := make(chan struct{})
	t.Cleanup(func() { close(silence) })
	n.receiver.Answer(func(e harness.Event) int {
		if !bytes.Contains(e.Body, []byte(n.webhook)) {
			n.silent.Add(1)
			<-silence
		}
		return http.StatusOK
	})
	return n
}

// burden makes a webhook, tries it and deletes it.
func (n *neighbours) burden(ctx context.Context) {
	a, err := n.enemy.Do(ctx, "POST", "/api/v1/webhooks", []byte(`{"url": "`+n.receiver.URL+`/silent"}`))
	if err != nil || a.Status != http.StatusOK {
		return
	}
	_, id, _ := bytes.Cut(a.Body, []byte(`"whk_`))
	id, _, _ = bytes.Cut(id, []byte(`"`))
	path := "/api/v1/webhooks/whk_" + string(id)
	_, _ = n.enemy.Do(ctx, "POST", path+"/test", nil) // whatever comes of it
	rest(ctx)                                         // it is sent meanwhile
	_, _ = n.enemy.Do(ctx, "DELETE", path, nil)
}

// try has an event delivered to the innocent one.
func (n *neighbours) try(t *testing.T, c *harness.Client) {
	before := n.receiver.Count()
	c.Must(t, "POST", "/api/v1/webhooks/"+n.webhook+"/test", nil)
	harness.Until(t, time.Minute, "it is delivered", func() bool { return n.receiver.Count() > before })
}

// G16: one account makes, tries and deletes webhooks at a host that never answers it. The deliveries of another to the same host come nearly as fast as
// if it were alone.
func TestG16_OneAccountDoesNotHoldUpDeliveries(t *testing.T) {
	inTurn(t, func(t *testing.T, s harness.Setup) {
		n := openNeighbours(t, s)
		a := attack{ask: n.try}
		alone := a.times(t, n.innocent, size(30, 100))
		ctx, stop := context.WithCancel(t.Context())
		var hostile sync.WaitGroup
		for range hostileClients {
			hostile.Go(func() {
				for ctx.Err() == nil {
					n.burden(ctx)
				}
			})
		}
		harness.For(t, size(10*time.Second, time.Minute))
		beside := a.times(t, n.innocent, size(30, 100))
		stop()
		hostile.Wait()
		t.Logf("median %s, p99 %s alone; median %s, p99 %s beside %d hostile clients and %d requests without answer", harness.Percentile(alone, 50), harness.Percentile(alone, 99),
			harness.Percentile(beside, 50), harness.Percentile(beside, 99), hostileClients, n.silent.Load())
		if n.silent.Load() < 300 {
			t.Error("the attack is none")
		}
		if limit := max(3*harness.Percentile(alone, 99), time.Second); harness.Percentile(beside, 99) > limit {
			t.Errorf("p99 is %s, more than %s", harness.Percentile(beside, 99), limit)
		}
		n.audit.Counted()
	})
}
