package ledger

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/seal"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// mostKept is how long a body may be that is kept in a row.
const mostKept = 32 << 10

// answerOf is a long answer that can be told from others, and is as long compressed.
func answerOf(word string) string {
	noise := make([]byte, mostKept)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // it never fails
	return word + string(noise)
}

// TestLongAnswersAreKeptBesideTheRow ensures that a long answer is given again as it was, encrypted in the store, that it counts to what its account
// has stored as a short one does, and that nothing of either is left when the key is forgotten: by the chore, or by who takes the key anew before it.
func TestLongAnswersAreKeptBesideTheRow(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		blobs int
	}{"short": {"short", 0}, "long": {answerOf("long"), 1}} {
		t.Run(name, func(t *testing.T) {
			f := newInline(t, "")
			f.clock.Add(time.Since(f.clock.Now())) // by which blobs are of now
			r := f.keyed("k", "body")
			do(t, f.Settle(t.Context(), f.begin(t, r), ok(c.body)))
			if got := f.again(t, r).Stored; got.Status != 200 || string(got.Body) != c.body {
				t.Errorf("replayed %d %.20q", got.Status, got.Body)
			}
			if left := f.storedBlobs(t); len(left) != c.blobs {
				t.Errorf("blobs %q, want %d", left, c.blobs)
			}
			if n := f.counted(t, f.account); n < int64(len(c.body)) || n > int64(len(c.body))+1000 {
				t.Errorf("%d bytes are counted for an answer of %d", n, len(c.body))
			}
			f.clock.Add(2 * time.Hour)
			if n, err := f.Sweep(t.Context()); n != 0 || err != nil {
				t.Errorf("%d swept: %v", n, err)
			}
			f.clock.Add(22 * time.Hour)
			do(t, f.Settle(t.Context(), f.begin(t, r), ok(c.body)))
			if n := f.counted(t, f.account); n > int64(len(c.body))+1000 || len(f.storedBlobs(t)) != c.blobs {
				t.Errorf("taken anew: %d bytes are counted, blobs %q", n, f.storedBlobs(t))
			}
			f.clock.Add(24 * time.Hour)
			if n, err := f.ExpireIdempotency(t.Context()); n != 1 || err != nil {
				t.Errorf("%d forgotten: %v", n, err)
			}
			if n, left := f.counted(t, f.account), f.storedBlobs(t); n != 0 || len(left) != 0 || f.rows(t, "idempotency_keys") != 0 {
				t.Errorf("left are %d bytes, blobs %q", n, left)
			}
		})
	}
}

// TestLongAnswersAreEncryptedForTheirRow ensures that neither the store nor another row gives an answer away.
func TestLongAnswersAreEncryptedForTheirRow(t *testing.T) {
	f := newInline(t, "")
	bodies := map[string][]byte{}
	for _, key := range []string{"k", "l"} {
		ticket := f.begin(t, f.keyed(key, "body"))
		do(t, f.Settle(t.Context(), ticket, ok(answerOf("canary-"+key))))
		r, err := f.blobs.Get(t.Context(), answerKey(f.account, ticket.owner))
		do(t, err)
		bodies[ticket.owner], err = io.ReadAll(r)
		do(t, err, r.Close())
		if strings.Contains(string(bodies[ticket.owner]), "canary") {
			t.Error("the store holds the answer in the clear")
		}
	}
	owners := []string{}
	for owner := range bodies {
		owners = append(owners, owner)
	}
	_, err := f.blobs.Put(t.Context(), answerKey(f.account, owners[0]), strings.NewReader(string(bodies[owners[1]])))
	do(t, err)
	damaged := 0
	for _, key := range []string{"k", "l"} {
		if _, err := f.Begin(t.Context(), f.keyed(key, "body")); errors.Is(err, seal.ErrDamaged) {
			damaged++
		}
	}
	if damaged != 1 {
		t.Errorf("%d answers are damaged by the body of another, want 1", damaged)
	}
	do(t, f.blobs.Delete(t.Context(), answerKey(f.account, owners[0])))
	gone := 0
	for _, key := range []string{"k", "l"} {
		if _, err := f.Begin(t.Context(), f.keyed(key, "body")); errors.Is(err, ErrGone) && errors.Is(err, blob.ErrNotFound) {
			gone++
		}
	}
	if gone != 1 {
		t.Errorf("%d answers are gone, want 1", gone)
	}
}

// TestLongAnswersAreKeptCompressed ensures that a long answer that repeats itself takes, and counts as, little; and that one that was kept before answers
// were compressed is given again.
func TestLongAnswersAreKeptCompressed(t *testing.T) {
	f := newInline(t, "")
	r, body := f.keyed("k", "body"), strings.Repeat("<cac:InvoiceLine/>", 10_000)
	ticket := f.begin(t, r)
	do(t, f.Settle(t.Context(), ticket, ok(body)))
	if n := f.counted(t, f.account); n > int64(len(body)/10) {
		t.Errorf("%d bytes are counted for an answer of %d", n, len(body))
	}
	row := ticket.row()
	head, err := keptHead{Status: 200}.line()
	do(t, err)
	large := f.cfg.Seal.Seal([]byte("as it was"), row.identityOf(partBody))
	_, err = f.blobs.Put(t.Context(), answerKey(f.account, ticket.owner), bytes.NewReader(large))
	do(t, err, f.db.Write(t.Context(), func(tx *db.Tx) error {
		sealed := f.cfg.Seal.Seal(head, row.identityOf(partHead))
		return tx.Later("UPDATE idempotency_keys SET sealed = ?, bytes = ?", sealed, len(sealed)+len(large))
	}))
	if got := f.again(t, r).Stored; string(got.Body) != "as it was" {
		t.Errorf("kept uncompressed, it is given as %.20q", got.Body)
	}
}

// TestAnswerOfARequestThatWasCutOffIsSwept ensures that a body which was stored for an answer that was never kept goes.
func TestAnswerOfARequestThatWasCutOffIsSwept(t *testing.T) {
	f := newInline(t, "")
	ticket := f.begin(t, f.keyed("k", "body"))
	_, err := f.storeAnswer(t.Context(), ticket, &Stored{Status: 200, Body: []byte(answerOf("cut"))})
	do(t, err)
	do(t, f.Drop(t.Context(), ticket))
	if n, err := f.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("%d swept at once: %v", n, err)
	}
	f.clock.Add(time.Since(f.clock.Now()) + 2*sweepAge)
	if n, err := f.Sweep(t.Context()); n != 1 || err != nil || len(f.storedBlobs(t)) != 0 {
		t.Errorf("%d swept: %v", n, err)
	}
}

// TestFullAccountKeepsNoMoreAnswers ensures that a request whose answer would be kept is refused where its account has stored what it may; that
// replays and requests without a key are not, and nobody else.
func TestFullAccountKeepsNoMoreAnswers(t *testing.T) {
	f := newInline(t, "")
	f.Ledger.cfg.Stored = volume.NewLimit(f.db, f.clock, mostKept)
	do(t, f.Settle(t.Context(), f.begin(t, f.keyed("k", "body")), ok(answerOf("full")+"and more than that")))
	_, err := f.Begin(t.Context(), f.keyed("l", "body"))
	if full, ok := errors.AsType[*volume.ExceededError](err); !ok || full.Current <= mostKept || full.Limit != mostKept {
		t.Errorf("error %v", err)
	}
	f.again(t, f.keyed("k", "body"))
	f.begin(t, f.live())
	other := f.keyed("m", "body")
	other.Account = f.newAccount(t)
	f.begin(t, other)
	f.clock.Add(25 * time.Hour)
	_, err = f.ExpireIdempotency(t.Context())
	do(t, err)
	f.begin(t, f.keyed("l", "body"))
}
