package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/klauspost/compress/s2"

	"github.com/einvoiced/einvoiced/storage/blob"
)

// keptHead is what stands before the body in a kept answer.
type keptHead struct {
	Status      int               `json:"status"`
	ContentType string            `json:"contentType"`
	Header      map[string]string `json:"header,omitempty"`
	Packed      bool              `json:"packed,omitempty"` // the body is a blob in the block format of S2
}

// kept is an answer as it is kept: the head as one line of JSON, then the body as it is, or beside the row compressed; both encrypted.
type kept struct {
	sealed []byte // of the row; without a body that is a blob. Nil for an answer that is not kept.
	body   []byte // of the blob; nil where the row has the body
}

// bytes is what it takes.
func (k kept) bytes() int64 { return int64(len(k.sealed) + len(k.body)) }

// keeps tells whether an answer is kept for the ticket.
func (t Ticket) keeps(s *Stored) bool {
	return s != nil && t.request.Idempotency != nil && Replayable(s.Status)
}

// sealAnswer encrypts an answer for the row of the ticket. It is the zero kept where the answer is not to be kept.
func (l *Ledger) sealAnswer(t Ticket, s *Stored) (kept, error) {
	if !t.keeps(s) {
		return kept{}, nil
	}
	head, err := keptHead{s.Status, s.ContentType, s.Header, false}.line()
	if err != nil {
		return kept{}, err
	}
	return kept{sealed: l.cfg.Seal.Seal(append(head, s.Body...), t.row().identity())}, nil
}

// storeAnswer is sealAnswer for an answer of any size: a body that is not small, as input and output of jobs are, is a blob when it returns, since large
// rows hold up other writers. It is compressed, which takes less time than to encrypt and send what is then not there.
func (l *Ledger) storeAnswer(ctx context.Context, t Ticket, s *Stored) (kept, error) {
	if !t.keeps(s) || len(s.Body) <= max(l.cfg.SmallBytes, 0) {
		return l.sealAnswer(t, s)
	}
	head, err := keptHead{s.Status, s.ContentType, s.Header, true}.line()
	if err != nil {
		return kept{}, err
	}
	row := t.row()
	k := kept{l.cfg.Seal.Seal(head, row.identityOf(partHead)), l.cfg.Seal.Seal(s2.Encode(nil, s.Body), row.identityOf(partPacked))}
	if _, err := l.blobs.Put(ctx, answerKey(t.request.Account, t.owner), bytes.NewReader(k.body)); err != nil {
		return kept{}, fmt.Errorf("keep answer: %w", err)
	}
	return k, nil
}

// line is the line before the body.
func (h keptHead) line() ([]byte, error) {
	line, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return append(line, '\n'), nil
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
		if body, err = l.openBody(ctx, row, head.Packed); err != nil {
			return nil, err
		}
	}
	return &Stored{head.Status, head.ContentType, head.Header, body}, nil
}

// openBody reads the body that is a blob. One that is not packed was kept before there was that.
func (l *Ledger) openBody(ctx context.Context, row *idempotencyRow, packed bool) (body []byte, err error) {
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
	if !packed {
		return l.cfg.Seal.Open(sealed.Bytes(), row.identityOf(partBody))
	}
	block, err := l.cfg.Seal.Open(sealed.Bytes(), row.identityOf(partPacked))
	if err != nil {
		return nil, err
	}
	return s2.Decode(nil, block)
}
