package peppol

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// CodeInterrupted is the code of a transmission whose job ended without a word of it.
const CodeInterrupted = "PEPPOL_SEND_FAILED"

// SettleOrphans fails the transmissions whose job has ended without settling them, at most limit, and gives how many: their job was given up
// or canceled.
func (s *Store) SettleOrphans(ctx context.Context, limit int) (int, error) {
	var orphans []row
	err := s.db.Select(ctx, &orphans, `SELECT t.* FROM peppol_transmissions t LEFT JOIN jobs j ON j.id = t.job_id
		WHERE t.state IN ('queued', 'sending') AND (j.id IS NULL OR j.state NOT IN ('queued', 'running')) ORDER BY t.id LIMIT ?`, limit)
	if err != nil {
		return 0, fmt.Errorf("look for transmissions without a job: %w", err)
	}
	for _, o := range orphans {
		failed := Outcome{State: Failed, Code: CodeInterrupted, Reason: "The job that sent it was given up; whether the recipient has the document is not known"}
		err := s.settle(ctx, o.ID, func(_ *db.Tx, r row) error {
			if r.JobID != o.JobID {
				return ErrLost
			}
			return nil
		}, failed)
		if err != nil && !errors.Is(err, ErrLost) {
			return 0, err
		}
	}
	return len(orphans), nil
}

// Expire removes documents whose retention is over, of transmissions that are not under way, and forgets call-backs that are too old to be
// taken again. It gives how many rows went.
func (s *Store) Expire(ctx context.Context) (int, error) {
	var n int64
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		n = 0
		for _, q := range []struct {
			statement string
			before    time.Duration
		}{
			{`DELETE FROM peppol_documents WHERE transmission_id IN (SELECT d.transmission_id FROM peppol_documents d JOIN peppol_transmissions t
				ON t.id = d.transmission_id WHERE d.created < ? AND t.state NOT IN ('queued', 'sending') LIMIT 500)`, s.cfg.Retention},
			{"DELETE FROM peppol_callbacks WHERE created < ?", callbackMemory},
		} {
			gone, err := tx.Exec(q.statement, clock.Millis(s.cfg.Clock.Now().Add(-q.before)))
			if err != nil {
				return err
			}
			n += gone
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("expire documents of transmissions: %w", err)
	}
	return int(n), nil
}
