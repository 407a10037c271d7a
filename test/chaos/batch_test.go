//go:build chaos

package chaos

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// dyingInBatches builds the program that dies when it has moved some jobs of a batch, where EINVOICED_TEST_KILL asks for it.
func dyingInBatches(t *testing.T) string {
	t.Helper()
	return built("dying-in-batches", func(into string) string {
		fault := harness.Fault{Folder: "storage/ledger", Func: "Ledger.moveEntries", Code: `killAt("moving")`}
		return harness.BuildFaulty(t, into, []harness.Fault{fault}, map[string]string{fault.Folder: fmt.Sprintf(killer, "ledger")})
	})
}

// batchLine is a line of a batch: a request that is to become a job.
func batchLine(path string, body []byte) []byte {
	return fmt.Appendf(nil, `{"method":"POST","path":%q,"body":%s}`+"\n", path, bytes.ReplaceAll(body, []byte("\n"), []byte(" ")))
}

// C8: the process dies between the commit of a batch and the moving of its last jobs. The answer that is given again names jobs that are
// there.
func TestC8_ReplayedBatchIsThereAtOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, s harness.Setup) {
		h := open(t, s, func(p *harness.Plan) { p.Program = dyingInBatches(t) })
		customer, audit := h.Customer(), h.Audit()
		order := harness.Only(harness.Learn(t, customer, harness.Orders(t)), "generate")[0]
		const lines = 8000
		body, header := bytes.Repeat(batchLine(order.Path, order.Body), lines), []string{"Content-Type", "application/x-ndjson", "Idempotency-Key", "batch"}
		victim := h.APIs()[0]
		victim.Kill()
		victim.Override("EINVOICED_TEST_KILL", "moving:3")
		victim.Restart(t)
		if a, err := customer.At(victim.Base).Do(t.Context(), "POST", "/api/v1/jobs", body, header...); err == nil {
			t.Fatalf("the process did not die: status %d: %.300s", a.Status, a.Body)
		}
		if n := audit.Number("SELECT count(*) FROM batches WHERE committed IS NOT NULL AND moved IS NULL"); n != 1 {
			t.Fatalf("%d batches are committed and not moved", n)
		}
		victim.Override("EINVOICED_TEST_KILL", "")
		victim.Restart(t)
		began := time.Now()
		a, _, err := customer.Stubborn(t.Context(), "POST", "/api/v1/jobs", body, header...)
		if err != nil || a.Status != 202 || a.Header.Get("Idempotent-Replayed") != "true" {
			t.Fatalf("sent again: status %d, error %v: %.300s", a.Status, err, a.Body)
		}
		t.Logf("replayed after %s", time.Since(began).Round(time.Millisecond))
		var batch struct{ Jobs []string }
		if a.JSON(t, &batch); len(batch.Jobs) != lines {
			t.Fatalf("%d jobs", len(batch.Jobs))
		}
		last := "/api/v1/jobs/" + batch.Jobs[lines-1]
		for _, method := range []string{"GET", "DELETE"} {
			customer.Want(t, 200, method, last, nil)
		}
		audit.Settled(5 * time.Minute)
		audit.Counted()
		if n := audit.Number("SELECT count(*) FROM jobs WHERE batch_id <> ''"); n != lines {
			t.Errorf("%d jobs of the batch", n)
		}
	})
}
