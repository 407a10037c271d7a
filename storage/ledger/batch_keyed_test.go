package ledger

import (
	"errors"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
)

// TestBatchKeepsItsAnswerInTheTransactionOfItsJobs ensures that a batch and the answer under its idempotency key are there together or
// not at all.
func TestBatchKeepsItsAnswerInTheTransactionOfItsJobs(t *testing.T) {
	f := newInline(t, "")
	request := Request{Account: f.account, Mode: account.Test, KeyID: testKeyID, Idempotency: &Idempotency{Key: "k", Fingerprint: "f"}}
	answer := Stored{Status: 202, ContentType: "application/json", Body: []byte(`{"id":"bat"}`)}
	batch := func(process *Ledger, ticket Ticket) error {
		w, err := process.AcceptBatch(t.Context(), NewBatch{Account: f.account, Mode: account.Test})
		do(t, err)
		_, err = w.Add(t.Context(), f.newJob("x"))
		do(t, err)
		_, err = w.CommitFor(t.Context(), ticket, answer)
		do(t, w.Abort(t.Context()))
		return err
	}
	jobs := func() int {
		list, _, err := f.List(t.Context(), f.account, account.Test, Page{})
		do(t, err)
		return len(list)
	}
	lost, err := f.Begin(t.Context(), request)
	do(t, err)
	f.clock.Add(time.Minute) // the process is taken for dead
	other := f.process(t, "process_2")
	do(t, other.BeatHolder(t.Context()))
	_, err = other.ReapHolders(t.Context())
	do(t, err)
	if err := batch(f.Ledger, lost); !errors.Is(err, ErrLost) || jobs() != 0 {
		t.Errorf("a ticket that was lost: %v, %d jobs", err, jobs())
	}
	ticket, err := other.Begin(t.Context(), request)
	do(t, err)
	do(t, batch(other, ticket))
	again, err := f.Begin(t.Context(), request)
	do(t, err)
	if jobs() != 1 || again.Stored == nil || again.Stored.Status != 202 || string(again.Stored.Body) != `{"id":"bat"}` {
		t.Errorf("%d jobs, stored %+v", jobs(), again.Stored)
	}
	if err := batch(other, again); !errors.Is(err, ErrInvalid) || jobs() != 1 {
		t.Errorf("a ticket that is a replay: %v, %d jobs", err, jobs())
	}
	free, err := f.Begin(t.Context(), Request{Account: f.account, Mode: account.Test})
	do(t, err)
	if err := batch(f.Ledger, free); err != nil || jobs() != 2 {
		t.Errorf("without a key: %v, %d jobs", err, jobs())
	}
}
