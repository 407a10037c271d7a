package peppol

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// long is a document that is kept as a blob.
var long = bytes.Repeat([]byte("<line>A lamp</line>"), 10_000)

// keep inserts a transmission with a document.
func (f *fixture) keep(t *testing.T, job string, document []byte) Transmission {
	t.Helper()
	tr := Transmission{ID: f.NewID(), Account: f.acc, Mode: account.Live, MessageID: "m-" + job, JobID: job, Sender: "0088:1", Recipient: "0088:2", Created: f.Now()}
	d, err := f.Keep(t.Context(), tr.Account, tr.ID, document)
	do(t, err)
	do(t, f.db.Write(t.Context(), func(tx *db.Tx) error { return f.Insert(tx, tr, d) }))
	return tr
}

// kept gives the keys of all blobs.
func (f *fixture) kept(t *testing.T) (keys []string) {
	t.Helper()
	do(t, f.folder.List(t.Context(), "", func(o blob.Object) error { keys = append(keys, o.Key); return nil }))
	return keys
}

// TestDocument_LargeIsABlob ensures that a large document takes no room in the database and little beside it, comes back as it was, and goes when its retention is over.
func TestDocument_LargeIsABlob(t *testing.T) {
	f := newFixture(t)
	for name, document := range map[string][]byte{"small": []byte("<a/>"), "long": long} {
		tr := f.keep(t, name, document)
		a, err := f.Begin(t.Context(), tr.ID, name, 1)
		do(t, err)
		read, err := f.Document(t.Context(), f.acc, account.Live, tr.ID)
		do(t, err)
		if !bytes.Equal(a.Document, document) || !bytes.Equal(read, document) {
			t.Errorf("%s: %d and %d bytes came back of %d", name, len(a.Document), len(read), len(document))
		}
		do(t, f.Settle(t.Context(), a, Outcome{State: Delivered, Receipt: "r"}))
	}
	var row, counted int
	do(t, f.db.Get(t.Context(), &row, "SELECT max(length(bytes)) FROM peppol_documents"))
	do(t, f.db.Get(t.Context(), &counted, "SELECT max(counted) FROM peppol_documents"))
	if keys := f.kept(t); row != len("<a/>") || counted != len(long) || len(keys) != 1 {
		t.Fatalf("the longest row has %d bytes, %d are counted, and the blobs are %v", row, counted, keys)
	}
	if o, err := f.folder.Stat(t.Context(), f.kept(t)[0]); err != nil || o.Size > int64(len(long))/10 {
		t.Errorf("the blob has %d bytes, %v", o.Size, err)
	}
	f.clock.Add(8 * 24 * time.Hour)
	if n, err := f.Expire(t.Context()); n != 2 || err != nil || len(f.kept(t)) != 0 {
		t.Errorf("%d documents were removed, %v; blobs are left: %v", n, err, f.kept(t))
	}
}

// TestDocument_BlobThatIsGone ensures that a document whose blob is missing is told as one whose retention is over.
func TestDocument_BlobThatIsGone(t *testing.T) {
	f := newFixture(t)
	tr := f.keep(t, "job", long)
	do(t, f.folder.Delete(t.Context(), f.kept(t)[0]))
	if _, err := f.Document(t.Context(), f.acc, account.Live, tr.ID); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

// TestDocument_NotInsertedLeavesNothing ensures that a document that was not inserted is dropped, or else swept an hour later, and no other.
func TestDocument_NotInsertedLeavesNothing(t *testing.T) {
	f := newFixture(t)
	d, err := f.Keep(t.Context(), f.acc, f.NewID(), long)
	do(t, err)
	do(t, f.Drop(t.Context(), d))
	if keys := f.kept(t); len(keys) != 0 {
		t.Errorf("dropped, there are still %v", keys)
	}
	kept := f.keep(t, "job", long)
	_, err = f.Keep(t.Context(), f.acc, f.NewID(), long)
	do(t, err)
	jobs, err := ledger.New(ledger.Config{Clock: f.clock}, f.db, f.folder, f.told)
	do(t, err)
	f.clock.Add(time.Since(f.clock.Now()) + 2*time.Hour) // files have the time of the machine
	if n, err := jobs.Sweep(t.Context()); n != 1 || err != nil || !slices.Equal(f.kept(t), []string{documentKey(f.acc, kept.ID)}) {
		t.Errorf("%d were swept, %v; left are %v", n, err, f.kept(t))
	}
}
