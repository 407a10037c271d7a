package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
)

// mostKept is how many bytes of an answer stand in the row of its idempotency key; a longer body is a blob, since large rows hold up other writers.
const mostKept = 32 << 10

// keptHead is what stands before the body in a kept answer.
type keptHead struct {
	Status      int               `json:"status"`
	ContentType string            `json:"contentType"`
	Header      map[string]string `json:"header,omitempty"`
}

// kept is an answer as it is kept: the head as one line of JSON, then the body as it is; both encrypted.
type kept struct {
	sealed []byte // of the row; without a body that is a blob. Nil for an answer that is not kept.
	body   []byte // of the blob; nil where the row has the body
}

// bytes is what it takes.
func (k kept) bytes() int64 { return int64(len(k.sealed) + len(k.body)) }

// sealAnswer encrypts an answer for the row of the ticket. It is the zero kept where the answer is not to be kept.
func (l *Ledger) sealAnswer(t Ticket, s *Stored) (kept, error) {
	if s == nil || t.request.Idempotency == nil || !Replayable(s.Status) {
		return kept{}, nil
	}
	head, err := headOf(s)
	if err != nil {
		return kept{}, err
	}
	return kept{sealed: l.cfg.Seal.Seal(append(head, s.Body...), t.row().identity())}, nil
}

// storeAnswer is sealAnswer for an answer of any size: a long body is a blob when it returns.
func (l *Ledger) storeAnswer(ctx context.Context, t Ticket, s *Stored) (kept, error) {
	if s == nil || len(s.Body) <= mostKept || t.request.Idempotency == nil || !Replayable(s.Status) {
		return l.sealAnswer(t, s)
	}
	head, err := headOf(s)
	if err != nil {
		return kept{}, err
	}
	row := t.row()
	k := kept{l.cfg.Seal.Seal(head, row.identityOf(partHead)), l.cfg.Seal.Seal(s.Body, row.identityOf(partBody))}
	if _, err := l.blobs.Put(ctx, answerKey(t.request.Account, t.owner), bytes.NewReader(k.body)); err != nil {
		return kept{}, fmt.Errorf("keep answer: %w", err)
	}
	return k, nil
}

// headOf is the line before the body.
func headOf(s *Stored) ([]byte, error) {
	head, err := json.Marshal(keptHead{s.Status, s.ContentType, s.Header})
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return append(head, '\n'), nil
}

// row is what the ticket's answer is bound to.
func (t Ticket) row() idempotencyRow {
	i := t.request.Idempotency
	return idempotencyRow{KeyID: t.request.KeyID, Key: i.Key, Fingerprint: i.Fingerprint, Owner: t.owner}
}

// answerKey is where the body of an answer is kept for the owner of an idempotency key, a ticket.
func answerKey(accountID, owner string) string { return blob.Key(accountID, owner, 0, answerName) }

// openAnswer gives an answer as it was, whichever way it was kept. The error is ErrGone where its body is kept no more.
func (l *Ledger) openAnswer(ctx context.Context, row *idempotencyRow) (*Stored, error) {
	s, err := l.openKeptAnswer(ctx, row)
	if err != nil {
		return nil, fmt.Errorf("open the answer kept for the idempotency key: %w", err)
	}
	return s, nil
}

func (l *Ledger) openKeptAnswer(ctx context.Context, row *idempotencyRow) (*Stored, error) {
	beside := row.Bytes > int64(len(row.Sealed))
	identity := row.identity()
	if beside {
		identity = row.identityOf(partHead)
	}
	plain, err := l.cfg.Seal.Open(row.Sealed, identity)
	if err != nil {
		return nil, err
	}
	line, body, _ := bytes.Cut(plain, []byte("\n"))
	var head keptHead
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("decode it: %w", err)
	}
	if beside {
		if body, err = l.openBody(ctx, row); err != nil {
			return nil, err
		}
	}
	return &Stored{head.Status, head.ContentType, head.Header, body}, nil
}

// openBody reads the body that is a blob.
func (l *Ledger) openBody(ctx context.Context, row *idempotencyRow) (body []byte, err error) {
	r, err := l.blobs.Get(ctx, answerKey(row.Account, row.Owner))
	if errors.Is(err, blob.ErrNotFound) {
		return nil, errors.Join(ErrGone, err)
	}
	if err != nil {
		return nil, err
	}
	defer r.Close() // it was only read
	sealed := bytes.NewBuffer(make([]byte, 0, row.Bytes-int64(len(row.Sealed))+bytes.MinRead))
	if _, err := sealed.ReadFrom(blob.Obedient(ctx, r)); err != nil {
		return nil, err
	}
	return l.cfg.Seal.Open(sealed.Bytes(), row.identityOf(partBody))
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
		return forgetStored(tx, freed)
	})
	return len(gone), err
}
