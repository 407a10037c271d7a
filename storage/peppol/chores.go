package peppol

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/volume"
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
	before := func(age time.Duration) int64 { return clock.Millis(s.cfg.Clock.Now().Add(-age)) }
	var n int
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		callbacks, err := tx.Exec("DELETE FROM peppol_callbacks WHERE created < ?", before(callbackMemory))
		if err != nil {
			return err
		}
		documents, err := expireDocuments(tx, before(s.cfg.Retention))
		n = int(callbacks) + documents
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("expire documents of transmissions: %w", err)
	}
	return n, nil
}

// expireDocuments removes some documents that were made before a moment, and counts them out of what their accounts have stored.
func expireDocuments(tx *db.Tx, before int64) (int, error) {
	var gone []struct {
		Account string `db:"account_id"`
		Counted int64  `db:"counted"`
	}
	err := tx.Select(&gone, `DELETE FROM peppol_documents WHERE transmission_id IN (SELECT d.transmission_id FROM peppol_documents d JOIN peppol_transmissions t
		ON t.id = d.transmission_id WHERE d.created < ? AND t.state NOT IN ('queued', 'sending') LIMIT 500)
		RETURNING counted, (SELECT t.account_id FROM peppol_transmissions t WHERE t.id = peppol_documents.transmission_id) AS account_id`, before)
	if err != nil {
		return 0, err
	}
	freed := map[string]int64{}
	for _, g := range gone {
		freed[g.Account] += g.Counted
	}
	return len(gone), volume.CountOut(tx, freed)
}
