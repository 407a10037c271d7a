package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// MaxIdempotencyKey is the most bytes of an idempotency key.
const MaxIdempotencyKey = 255

const (
	idempotencyFor    = 24 * time.Hour // from the first request
	pageOfExpiredKeys = 500            // rows that one transaction of ExpireIdempotency removes at most
)

// idempotencyRow is a row of the table idempotency_keys.
type idempotencyRow struct {
	KeyID       string `db:"key_id"`
	Key         string `db:"idempotency_key"`
	Fingerprint string `db:"fingerprint"`
	Owner       string `db:"owner"`
	Process     string `db:"process"`
	Expires     int64  `db:"expires"`
	Sealed      []byte `db:"sealed"`
	Account     string `db:"account_id"` // of a kept answer
	Bytes       int64  `db:"bytes"`      // that it takes, with what is a blob
}

// identity binds the sealed answer to its row.
func (r idempotencyRow) identity() string {
	return fmt.Sprintf("idempotency_keys %q %q %s %s", r.KeyID, r.Key, r.Fingerprint, r.Owner)
}

// The parts of an answer whose body is a blob.
const (
	partHead   = "head"
	partBody   = "body"
	partPacked = "packed body"
)

// identityOf binds a part of an answer to its row.
func (r idempotencyRow) identityOf(part string) string { return r.identity() + " " + part }

const selectKey = "SELECT * FROM idempotency_keys WHERE key_id = ? AND idempotency_key = ? AND expires > ?"

// lookUp gives the row of the request's key, nil where there is none; one whose time is over is forgotten. Reading alone, it lets the many wait that
// repeat a request which is under way.
func (l *Ledger) lookUp(ctx context.Context, r Request) (*idempotencyRow, error) {
	var row idempotencyRow
	err := l.db.Get(ctx, &row, "SELECT * FROM idempotency_keys WHERE "+ofKey, r.KeyID, r.Idempotency.Key)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read idempotency key: %w", err)
	}
	now := l.now()
	if row.Expires > now {
		return &row, nil
	}
	if _, err := l.forgetKeys(ctx, ofKey+" AND expires <= ?", r.KeyID, r.Idempotency.Key, now); err != nil {
		return nil, fmt.Errorf("forget idempotency key: %w", err)
	}
	return nil, nil
}

// takeKey makes the key the ticket's, or gives the row of who has it. One statement looks and takes, so that of two requests
// with one key one gets it. A key whose time is over is taken anew, where nothing is kept for it.
func (l *Ledger) takeKey(tx *db.Tx, t Ticket) (*idempotencyRow, error) {
	i, now := t.request.Idempotency, l.cfg.Clock.Now()
	if i == nil {
		return nil, nil
	}
	row := idempotencyRow{
		KeyID: t.request.KeyID, Key: i.Key, Fingerprint: i.Fingerprint, Owner: t.owner, Process: l.cfg.Process,
		Expires: clock.Millis(now.Add(idempotencyFor)),
	}
	n, err := tx.Exec(`INSERT INTO idempotency_keys (key_id, idempotency_key, fingerprint, owner, process, expires) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (key_id, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint, owner = excluded.owner,
		process = excluded.process, expires = excluded.expires, sealed = NULL WHERE idempotency_keys.expires <= ? AND idempotency_keys.bytes = 0`,
		row.KeyID, row.Key, row.Fingerprint, row.Owner, row.Process, row.Expires, clock.Millis(now))
	if err != nil || n == 1 {
		return nil, err
	}
	err = tx.Get(&row, selectKey, row.KeyID, row.Key, clock.Millis(now))
	if errors.Is(err, sql.ErrNoRows) { // released meanwhile: whoever asks again gets it
		return &row, nil
	}
	return &row, err
}

// answered makes a ticket of the row of who has the key. What a kept answer names is there when it is given again.
func (l *Ledger) answered(ctx context.Context, r Request, row *idempotencyRow, err error) (Ticket, error) {
	switch {
	case err != nil:
		return Ticket{}, err
	case row.Fingerprint != r.Idempotency.Fingerprint:
		return Ticket{}, ErrConflict
	case row.Sealed != nil:
		stored, err := l.openAnswer(ctx, row)
		if err == nil && stored.Status == 202 {
			err = l.finishBatches(ctx, r.Account)
		}
		return Ticket{Stored: stored}, err
	case strings.HasPrefix(row.Owner, "job_"):
		return Ticket{JobID: row.Owner}, nil
	}
	return Ticket{Elsewhere: true}, nil
}

// settleKey keeps the answer under the ticket's key, or releases the key where there is none. A row with a process is
// one of a request under way: with none, it was settled, handed over to a job, or taken away.
func (l *Ledger) settleKey(tx *db.Tx, t Ticket, answer kept) (err error) {
	i, n := t.request.Idempotency, int64(0)
	switch {
	case i == nil:
		return nil
	case answer.sealed != nil:
		n, err = tx.Exec(`UPDATE idempotency_keys SET sealed = ?, process = '', account_id = ?, bytes = ?
			WHERE key_id = ? AND idempotency_key = ? AND owner = ? AND process <> ''`,
			answer.sealed, t.request.Account, answer.bytes(), t.request.KeyID, i.Key, t.owner)
	default:
		n, err = tx.Exec("DELETE FROM idempotency_keys WHERE key_id = ? AND idempotency_key = ? AND owner = ? AND process <> ''",
			t.request.KeyID, i.Key, t.owner)
	}
	if err == nil && n == 0 {
		return ErrLost
	}
	return err
}

// countStored counts what is stored beyond what was admitted; it comes last in a transaction.
func (l *Ledger) countStored(tx *db.Tx, accountID string, bytes int64) error {
	tx.After(func(committed bool) {
		if committed {
			l.cfg.Stored.Added(accountID, bytes)
		}
	})
	return volume.Count(tx, accountID, bytes)
}

// adopt hands what a ticket holds, charges and idempotency key, over to a job. The error is ErrLost where the ticket's
// process was taken for dead meanwhile, and ErrInvalid for a ticket that is not the right to answer.
func (l *Ledger) adopt(tx *db.Tx, t Ticket, jobID string) error {
	if !t.yours() {
		return fmt.Errorf("ticket of a request that is not this one's to answer: %w", ErrInvalid)
	}
	if i := t.request.Idempotency; i != nil {
		n, err := tx.Exec("UPDATE idempotency_keys SET owner = ?, process = '' WHERE key_id = ? AND idempotency_key = ? AND owner = ? AND process <> ''",
			jobID, t.request.KeyID, i.Key, t.owner)
		if err != nil {
			return err
		}
		if n == 0 {
			return ErrLost
		}
	}
	if t.reserved {
		n, err := tx.Exec("UPDATE reservations SET owner = ?, process = '' WHERE owner = ?", jobID, t.owner)
		if err == nil && n < int64(len(t.charges)) {
			return ErrLost
		}
		return err
	}
	r := reservation{Owner: jobID, Account: t.request.Account, Period: t.period}
	return insertReservations(tx, r, t.charges, make([]limit, len(t.charges)))
}

// freeKey releases the idempotency key that points to a job: at every end that leaves no answer to replay (see Replayable),
// and when the job is erased or expires.
func (l *Ledger) freeKey(tx *db.Tx, jobID string) error {
	err := tx.Later("DELETE FROM idempotency_keys WHERE owner = ?", jobID)
	return err
}

// Replayable tells whether an answer of the HTTP status is kept under its idempotency key. Others, such as 429 and 503, tell
// of the moment: the same request may be answered otherwise a little later.
func Replayable(status int) bool {
	return status >= 200 && status < 300 || status == 400 || status == 422
}

// ExpireIdempotency forgets idempotency keys whose 24 hours are over, a page of them, and gives how many. What is kept for them goes first: cut off in
// between, it is done once more.
func (l *Ledger) ExpireIdempotency(ctx context.Context) (int, error) {
	var page keyPage
	if err := l.db.Get(ctx, &page, selectExpiredKeys, l.now(), pageOfExpiredKeys); err != nil {
		return 0, fmt.Errorf("find expired idempotency keys: %w", err)
	}
	if !page.First.Valid {
		return 0, nil
	}
	n, err := l.forgetKeys(ctx, ofPage, page.First.Int64, page.Last.Int64)
	if err != nil {
		return 0, fmt.Errorf("forget idempotency keys: %w", err)
	}
	return n, nil
}

// forgetKeys removes the rows of a condition along with what is kept for them, and gives how many there were. None of them may be of a time that is
// not over.
func (l *Ledger) forgetKeys(ctx context.Context, condition string, args ...any) (int, error) {
	var large, gone []idempotencyRow
	err := l.db.Select(ctx, &large, "SELECT * FROM idempotency_keys WHERE "+condition+" AND bytes > length(sealed)", args...)
	if err != nil {
		return 0, err
	}
	for _, row := range large {
		if err := l.blobs.Delete(ctx, answerKey(row.Account, row.Owner)); err != nil {
			return 0, err
		}
	}
	err = l.db.Write(ctx, func(tx *db.Tx) error {
		gone = nil
		err := tx.Select(&gone, "DELETE FROM idempotency_keys WHERE "+condition+" RETURNING account_id, bytes", args...)
		if err != nil {
			return err
		}
		freed := map[string]int64{}
		for _, row := range gone {
			if row.Bytes > 0 {
				freed[row.Account] += row.Bytes
			}
		}
		return volume.CountOut(tx, freed)
	})
	return len(gone), err
}

// keyPage is from when to when the keys of a page expire.
type keyPage struct{ First, Last sql.NullInt64 }

// The page of expired keys is a range of times, so that it goes along the index however many keys there are. A key that is taken anew meanwhile has
// left the range.
const (
	selectExpiredKeys = `SELECT min(expires) AS first, max(expires) AS last FROM
		(SELECT expires FROM idempotency_keys WHERE expires <= ? ORDER BY expires LIMIT ?) page`
	ofPage = "expires >= ? AND expires <= ?"
	ofKey  = "key_id = ? AND idempotency_key = ?"
)
