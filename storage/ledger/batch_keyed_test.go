package ledger

import (
	"errors"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/outbox/outboxtest"
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

// TestReplayOfABatchFindsItsJobsAtOnce ensures that the answer to a batch names no job that is not there, when its process has died
// between the commit and the moving of the jobs, and is not taken for dead yet.
func TestReplayOfABatchFindsItsJobsAtOnce(t *testing.T) {
	t.Parallel()
	f := newInline(t, "")
	request := Request{Account: f.account, Mode: account.Test, KeyID: testKeyID, Idempotency: &Idempotency{Key: "k", Fingerprint: "f"}}
	ticket, err := f.Begin(t.Context(), request)
	do(t, err)
	w, ids := f.openBatch(t, chunkJobs+10)
	sealed, err := f.sealAnswer(ticket, &Stored{Status: 202, Body: []byte("{}")})
	do(t, err)
	do(t, w.flush(t.Context()), f.db.Write(t.Context(), func(tx *db.Tx) error {
		return errors.Join(w.commit(tx), f.settleKey(tx, ticket, sealed))
	})) // and the process is killed here
	last := ids[len(ids)-1]
	if _, err := f.Get(t.Context(), f.account, account.Test, last); !errors.Is(err, ErrNotFound) {
		t.Fatalf("the jobs were moved before: %v", err)
	}
	again, err := f.process(t, "process_2").Begin(t.Context(), request)
	if err != nil || again.Stored == nil {
		t.Fatalf("replay: %+v, error %v", again, err)
	}
	job, err := f.Get(t.Context(), f.account, account.Test, last)
	if err != nil || job.State != Queued {
		t.Errorf("the last job is %+v, error %v", job, err)
	}
	if job, err = f.Cancel(t.Context(), f.account, account.Test, last); err != nil || job.State != Canceled {
		t.Errorf("cancelled, the last job is %+v, error %v", job, err)
	}
	if owed := outboxtest.Due(t, f.outbox); len(owed) != len(ids)-1 {
		t.Errorf("%d messages are due, error %v", len(owed), err)
	}
}
