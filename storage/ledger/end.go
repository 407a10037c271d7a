package ledger

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/outbox"
)

// ending is how a run ends its job: the row tells which job and whose it is, the state and what goes with it.
type ending struct {
	row
	data          []datum
	events        []Event
	registrations []Registration
	refused       []byte // the answer of a run that was refused; nil for other ends
}

// end makes the job final, if it still belongs to the run, and enqueues what its events owe.
func (l *Ledger) end(ctx context.Context, job Job, e ending) error {
	var r row
	var messages []outbox.Entry
	err := l.db.Write(db.ByAccount(ctx, job.Account), func(tx *db.Tx) (err error) {
		r, messages, err = l.endRow(tx, e)
		return err
	})
	if err != nil {
		return fmt.Errorf("finish run %d of job %s: %w", job.Run, job.ID, err)
	}
	l.enqueue(messages)
	l.cfg.Watch.Ended(r.job())
	return nil
}

const endStatement = `UPDATE jobs SET state = ?, progress = CASE WHEN ? THEN 100 ELSE progress END, finished = ?, expires = ?, input_until = ?, status = ?,
	answer_size = ?, answer_sha256 = ?, artifact_size = ?, artifact_sha256 = ?, artifact_filename = ?, artifact_mime = ?,
	failure_code = ?, failure_message = ?, attempts = attempts + ?, crashes = crashes + ?, blamed = blamed + ?, rulebooks_number = ?, rulebooks_digest = ?
	WHERE id = ? AND run = ? AND state = 'running' RETURNING *`

// endRow writes all that belongs to the end of a job: state, output, events, usage. It gives the row, and what is to be enqueued after the
// commit. The error is ErrLost where the job is not the run's.
func (l *Ledger) endRow(tx *db.Tx, e ending) (r row, messages []outbox.Entry, err error) {
	publish, err := l.ask(tx, e.Account, e.Mode)
	if err != nil {
		return r, nil, fmt.Errorf("publish the end: %w", err)
	}
	now := l.cfg.Clock.Now()
	err = tx.Get(&r, endStatement, e.State, e.State == Succeeded, clock.Millis(now), clock.Millis(now.Add(l.cfg.Retention)), l.inputUntil(e.State, now), e.Status,
		e.AnswerSize, e.AnswerSHA256, e.ArtifactSize, e.ArtifactSHA256, e.ArtifactFilename, e.ArtifactMime,
		e.FailureCode, e.FailureMessage, e.Attempts, e.Crashes, e.Blamed, e.RulebooksNumber, e.RulebooksDigest, e.ID, e.Run)
	if errors.Is(err, sql.ErrNoRows) {
		return r, nil, ErrLost
	}
	if err != nil {
		return r, nil, err
	}
	if err := insertData(tx, r.ID, e.data...); err != nil {
		return r, nil, err
	}
	told, err := publish(l.announce(r, e)...)
	if err != nil {
		return r, nil, fmt.Errorf("publish the end: %w", err)
	}
	registered, err := l.register(tx, e.Account, e.Mode, e.registrations)
	if err != nil {
		return r, nil, err
	}
	if err := l.letGo(tx, r); err != nil {
		return r, nil, err
	}
	return r, told.Messages, l.countStored(tx, r.Account, r.AnswerSize+r.ArtifactSize+told.Bytes+registered)
}

// announce gives the events of the end and, where it is to be announced, the job's own.
func (l *Ledger) announce(r row, e ending) []Event {
	if !r.Announce || l.cfg.JobEvent == nil {
		return e.events
	}
	return append(slices.Clip(e.events), l.cfg.JobEvent(r.job(), e.refused))
}

// letGo counts what a job that has succeeded has reserved, and gives back what another end leaves: reservations, and the
// idempotency key if there is no answer to replay. Others may wait for the account's usage, so it comes late in a transaction.
func (l *Ledger) letGo(tx *db.Tx, r row) error {
	if !r.Holds {
		return nil
	}
	if !Replayable(r.Status) {
		if err := l.freeKey(tx, r.ID); err != nil {
			return err
		}
	}
	if r.State == Succeeded {
		return l.commit(tx, r.ID)
	}
	return l.release(tx, r.ID)
}
