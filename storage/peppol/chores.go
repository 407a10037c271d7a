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
	var gone []expired
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		callbacks, err := tx.Exec(`DELETE FROM peppol_callbacks WHERE (callback_id, digest) IN (SELECT callback_id, digest FROM peppol_callbacks WHERE created < ?
			ORDER BY created LIMIT ?)`, before(callbackMemory), mostForgotten)
		if err != nil {
			return err
		}
		gone, err = expireDocuments(tx, before(s.cfg.Retention))
		n = int(callbacks) + len(gone)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("expire documents of transmissions: %w", err)
	}
	for _, d := range gone { // what is left where this is cut off is swept
		if d.Size > 0 {
			continue
		}
		if err := s.blobs.Delete(ctx, documentKey(d.Account, d.ID)); err != nil {
			return n, fmt.Errorf("remove document of transmission %s: %w", d.ID, err)
		}
	}
	return n, nil
}

// How much is removed in one transaction: others wait for it, and a document may have 16 MiB.
const (
	mostForgotten    = 5_000 // call-backs
	mostExpired      = 500   // documents
	mostExpiredBytes = 32 << 20
)

// expired is a document whose row has gone.
type expired struct {
	ID      string `db:"transmission_id"`
	Account string `db:"account_id"`
	Counted int64  `db:"counted"`
	Size    int64  `db:"size"` // of the row; 0 where the document is a blob
}

// expireDocuments removes the rows of some documents that were made before a moment, and counts them out of what their accounts have stored.
func expireDocuments(tx *db.Tx, before int64) ([]expired, error) {
	var old []expired
	err := tx.Select(&old, `SELECT d.transmission_id, t.account_id, d.counted, length(d.bytes) AS size FROM peppol_documents d JOIN peppol_transmissions t
		ON t.id = d.transmission_id WHERE d.created < ? AND t.state NOT IN ('queued', 'sending') ORDER BY d.created LIMIT ?`, before, mostExpired)
	if err != nil {
		return nil, err
	}
	freed, size := map[string]int64{}, int64(0)
	for i, d := range old {
		if size += d.Size; i > 0 && size > mostExpiredBytes {
			old = old[:i]
			break
		}
		gone, err := tx.Exec("DELETE FROM peppol_documents WHERE transmission_id = ?", d.ID)
		if err != nil {
			return nil, err
		}
		freed[d.Account] += gone * d.Counted
	}
	return old, volume.CountOut(tx, freed)
}
