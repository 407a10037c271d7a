package chain

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// Errors of sending, for errors.Is.
var (
	ErrTaken = errors.New("another job sends the chain")        // it was given to one since it was read, or to a later run
	ErrIdle  = errors.New("nothing of the chain is to be sent") // it was sent already
)

// Due is a chain that a job is to be made for.
type Due struct {
	Chain   string       `db:"id"`
	Account string       `db:"account_id"`
	Mode    account.Mode `db:"mode"`
	Job     string       `db:"job_id"` // the last one, which has ended; empty without one
}

// A chain is due that has records without an outcome and no job that goes on, when its pause is over or a whole batch waits.
const selectDue = `SELECT c.id, c.account_id, c.mode, coalesce(s.job_id, '') AS job_id FROM chains c LEFT JOIN chain_sendings s ON s.chain_id = c.id
	WHERE c.mode = ? AND EXISTS (SELECT 1 FROM chain_records r WHERE r.chain_id = c.id AND r.position = coalesce(s.settled, 0) + 1)
	AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = s.job_id AND j.state IN ('queued', 'running'))
	AND (coalesce(s.due, 0) <= ? OR s.fault = '' AND EXISTS (SELECT 1 FROM chain_records r WHERE r.chain_id = c.id AND r.position = s.settled + ?))
	ORDER BY coalesce(s.due, 0), c.id LIMIT ?`

// Due gives chains of a mode that are to be sent now, at most limit, those that wait longest first. A batch has so many records at most.
func (s *Store) Due(ctx context.Context, mode account.Mode, batch, limit int) (due []Due, err error) {
	if err := s.db.Select(ctx, &due, selectDue, mode, clock.Millis(s.clock.Now()), batch, limit); err != nil {
		return nil, fmt.Errorf("look for chains to send: %w", err)
	}
	return due, nil
}

// Claim gives a chain that is due to a job, in the transaction that accepts the job. The error is ErrTaken where another was faster.
func (s *Store) Claim(tx *db.Tx, d Due, jobID string) error {
	if err := tx.Later("INSERT INTO chain_sendings (chain_id) VALUES (?) ON CONFLICT (chain_id) DO NOTHING", d.Chain); err != nil {
		return err
	}
	return tx.Must(ErrTaken, "UPDATE chain_sendings SET job_id = ?, run = 0 WHERE chain_id = ? AND job_id = ?", jobID, d.Chain, d.Job)
}

// Attempt is a batch that a run may send.
type Attempt struct {
	Owner
	Chain   string
	Job     string
	Run     int64
	Tries   int      // attempts of this batch, with this one
	Records []Record // with their documents, in the order of the chain
	First   Record   // of the chain, which names the issuer
	Begun   time.Time
}

// sending is a row of chain_sendings.
type sending struct {
	Chain   string `db:"chain_id"`
	Settled int64  `db:"settled"`
	Batch   int64  `db:"batch"`
	Tries   int    `db:"tries"`
	Job     string `db:"job_id"`
	Run     int64  `db:"run"`
	Due     int64  `db:"due"`
	Fault   string `db:"fault"`
}

// Begin gives a run of a job the records that it is to send: those of the batch that was begun before and has no answer, else the next ones, at most so
// many. The error is ErrIdle where there are none or the job has sent before, and ErrTaken where a later run has the chain.
func (s *Store) Begin(ctx context.Context, chainID, jobID string, run int64, most int) (Attempt, error) {
	a := Attempt{Chain: chainID, Job: jobID, Run: run}
	var of sending
	err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
		of, err = begin(tx, chainID, jobID, run, most)
		return err
	})
	if err != nil {
		return a, fmt.Errorf("begin to send chain %s: %w", chainID, err)
	}
	a.Tries, a.Begun = of.Tries, s.clock.Now()
	return a, s.load(ctx, &a, of)
}

func begin(tx *db.Tx, chainID, jobID string, run int64, most int) (of sending, err error) {
	if of, err = lockSending(tx, chainID); err != nil {
		return of, err
	}
	switch {
	case of.Job != jobID:
		return of, ErrIdle
	case run <= of.Run:
		return of, ErrTaken
	case of.Batch == 0:
		if err := tx.Get(&of.Batch, "SELECT coalesce(max(position), 0) FROM chain_records WHERE chain_id = ? AND position > ? AND position <= ?", chainID, of.Settled, of.Settled+int64(most)); err != nil {
			return of, err
		}
	}
	if of.Batch == 0 {
		return of, ErrIdle
	}
	of.Tries++
	return of, tx.Must(ErrTaken, "UPDATE chain_sendings SET run = ?, batch = ?, tries = ? WHERE chain_id = ?", run, of.Batch, of.Tries, chainID)
}

func lockSending(tx *db.Tx, chainID string) (of sending, err error) {
	err = tx.Get(&of, "SELECT * FROM chain_sendings WHERE chain_id = ?"+tx.Lock(), chainID)
	return of, err
}

// load reads what an attempt sends.
func (s *Store) load(ctx context.Context, a *Attempt, of sending) error {
	err := s.db.Get(ctx, &a.Owner, "SELECT account_id, mode, issuer, installation FROM chains WHERE id = ?", a.Chain)
	if err != nil {
		return fmt.Errorf("read chain %s: %w", a.Chain, err)
	}
	c := Chain{ID: a.Chain, db: s.db}
	first, err := c.Read(ctx, Range{Most: 1, Documents: true})
	if err != nil {
		return err
	}
	a.First = first[0]
	a.Records, err = c.Read(ctx, Range{After: of.Settled, Most: int(of.Batch - of.Settled), Documents: true})
	return err
}

// Outcome is what became of a record that was sent.
type Outcome struct {
	Position int64  `db:"position"`
	State    string `db:"state"`   // accepted, accepted_with_errors, rejected
	Code     string `db:"code"`    // of an error; empty without one
	Message  string `db:"message"` // of the receiver
	CSV      string `db:"csv"`     // the receiver's code for the submission; empty without one
	Answered int64  `db:"answered"`
}

// Settle writes what became of the records of an attempt, one outcome for each in their order; the next submission waits for so long after it. The error is
// ErrTaken where a later run has the chain.
func (s *Store) Settle(ctx context.Context, a Attempt, outcomes []Outcome, wait time.Duration) error {
	if len(outcomes) != len(a.Records) {
		return fmt.Errorf("settle chain %s: %d outcomes for %d records", a.Chain, len(outcomes), len(a.Records))
	}
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		if err := s.mine(tx, a); err != nil {
			return err
		}
		now := clock.Millis(s.clock.Now())
		for i, o := range outcomes {
			err := tx.Later("INSERT INTO chain_outcomes (chain_id, position, state, code, message, csv, answered) VALUES (?, ?, ?, ?, ?, ?, ?)",
				a.Chain, a.Records[i].Position, o.State, o.Code, o.Message, o.CSV, now)
			if err != nil {
				return err
			}
		}
		return tx.Later("UPDATE chain_sendings SET settled = batch, batch = 0, tries = 0, job_id = '', due = ?, fault = '' WHERE chain_id = ?",
			clock.Millis(a.Begun.Add(wait)), a.Chain)
	})
	if err != nil {
		return fmt.Errorf("settle chain %s: %w", a.Chain, err)
	}
	return nil
}

// NoteFault writes down why an attempt has brought no answer that counts. The same records are sent again, not before the wait is over. The error is
// ErrTaken where a later run has the chain.
func (s *Store) NoteFault(ctx context.Context, a Attempt, fault string, wait time.Duration) error {
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		if err := s.mine(tx, a); err != nil {
			return err
		}
		return tx.Later("UPDATE chain_sendings SET job_id = '', due = ?, fault = ? WHERE chain_id = ?", clock.Millis(s.clock.Now().Add(wait)), fault, a.Chain)
	})
	if err != nil {
		return fmt.Errorf("note a fault of chain %s: %w", a.Chain, err)
	}
	return nil
}

// mine locks the row of an attempt, where it is still the run's.
func (s *Store) mine(tx *db.Tx, a Attempt) error {
	of, err := lockSending(tx, a.Chain)
	if err == nil && (of.Job != a.Job || of.Run != a.Run) {
		err = ErrTaken
	}
	return err
}

// Outcomes gives the outcomes of records from one position to another, by position. Records that have none are pending.
func (c *Chain) Outcomes(ctx context.Context, from, to int64) (map[int64]Outcome, error) {
	var rows []Outcome
	err := c.db.Select(ctx, &rows, "SELECT position, state, code, message, csv, answered FROM chain_outcomes WHERE chain_id = ? AND position BETWEEN ? AND ?", c.ID, from, to)
	if err != nil {
		return nil, fmt.Errorf("read outcomes of the chain: %w", err)
	}
	outcomes := make(map[int64]Outcome, len(rows))
	for _, o := range rows {
		outcomes[o.Position] = o
	}
	return outcomes, nil
}

// Fault says why the last attempt to send the chain has brought no answer; empty where it has, or there was none.
func (c *Chain) Fault(ctx context.Context) (string, error) {
	var faults []string
	if err := c.db.Select(ctx, &faults, "SELECT fault FROM chain_sendings WHERE chain_id = ?", c.ID); err != nil {
		return "", fmt.Errorf("read how the chain was sent: %w", err)
	}
	if len(faults) == 0 {
		return "", nil
	}
	return faults[0], nil
}
