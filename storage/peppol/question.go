package peppol

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// Question is a sent transmission whose provider is to be asked what became of it.
type Question struct {
	Transmission
	Run   int64     // that has sent it
	Asked int       // how often the provider was asked before
	Since time.Time // when it was sent last
}

// The most of all questions, and of those of one account and mode, that are given at a time: so that an account whose provider is slow holds up none of the others.
const (
	questions           = 1000
	questionsOfAnybody  = 50
	statementOfQuestion = `SELECT * FROM peppol_transmissions WHERE id IN (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY account_id, mode ORDER BY ask_at, id) AS place
		FROM peppol_transmissions WHERE ask_at IS NOT NULL AND ask_at <= ? AND state = 'sent') AS due WHERE place <= ?) ORDER BY ask_at, id LIMIT ?`
)

// Questions gives the transmissions whose providers are to be asked now, those that wait longest first.
func (s *Store) Questions(ctx context.Context) ([]Question, error) {
	var rows []row
	if err := s.db.Select(ctx, &rows, statementOfQuestion, s.now(), questionsOfAnybody, questions); err != nil {
		return nil, fmt.Errorf("look for transmissions to ask about: %w", err)
	}
	list := make([]Question, len(rows))
	for i, r := range rows {
		list[i] = Question{Transmission: r.transmission(), Run: r.Run, Asked: r.Asked}
		if r.AskSince != nil {
			list[i].Since = clock.Time(*r.AskSince)
		}
	}
	return list, nil
}

// Ask notes that the provider is about to be asked, and when it is to be asked again; a zero time means not at all. It gives the transmission with its document, which
// is empty where its retention is over. The error is ErrLost where somebody else has asked, or where the answer has come.
func (s *Store) Ask(ctx context.Context, q Question, again time.Time) (Attempt, error) {
	var at *int64
	if !again.IsZero() {
		millis := clock.Millis(again)
		at = &millis
	}
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		n, err := tx.Exec("UPDATE peppol_transmissions SET asked = asked + 1, ask_at = ? WHERE id = ? AND state = 'sent' AND asked = ? AND ask_at IS NOT NULL", at, q.ID, q.Asked)
		if err == nil && n == 0 {
			return ErrLost
		}
		return err
	})
	if err != nil {
		return Attempt{}, fmt.Errorf("note a question about %s: %w", q.ID, err)
	}
	document, err := s.document(ctx, q.Account, q.ID)
	if errors.Is(err, ErrNotFound) {
		err = nil
	}
	return Attempt{q.Transmission, q.Run, document}, err
}
