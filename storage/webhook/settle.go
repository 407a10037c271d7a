package webhook

import (
	"context"
	"database/sql"
	"fmt"
	"net/textproto"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// Result is what came of an attempt.
type Result struct {
	Started    time.Time
	Latency    time.Duration
	Header     map[string]string // that was sent
	Status     int               // of HTTP; 0 without an answer
	Response   []byte            // the beginning of the answer's body
	Reason     string            // why there is no answer: an outbound.Reason; empty with one
	RetryAfter time.Duration     // that the receiver asked for; 0 where it did not
}

// delivered tells whether the receiver has taken the event.
func (r Result) delivered() bool { return r.Status >= 200 && r.Status < 300 }

// gone is the status of a receiver that wants nothing more (RFC 9110 §15.5.11).
const gone = 410

// outcome names the result in a word.
func (r Result) outcome() string {
	if r.Status != 0 {
		return strconv.Itoa(r.Status)
	}
	return r.Reason
}

// slack is how late the scheduler may enqueue an attempt that is due; it is taken off the jitter, so that no attempt begins more
// than a tenth later than the schedule says.
const slack = 6 * time.Second

// wait gives the time to the next attempt after a number of failures; ok is false after the last. The schedule's waits are minima,
// and a tenth is added at most: at random, so that a receiver that comes back is not run over, or the whole where the receiver asks
// for more time than the wait.
func (s *Store) wait(failures int, retryAfter time.Duration) (d time.Duration, ok bool) {
	if failures >= len(Schedule) {
		return 0, false
	}
	d = Schedule[failures]
	room := max(0, d/10-slack)
	if retryAfter > d {
		return d + room, true
	}
	return d + min(room, max(0, s.cfg.Jitter(room))), true
}

// Settlement is what an attempt means for its delivery.
type Settlement struct {
	State State
	Next  time.Time // of the next attempt; zero where there is none
}

// Settle writes down an attempt and what follows from it: 2xx ends the delivery as delivered, 410 ends it as failed and disables the
// endpoint, everything else counts as a failure, the last of which ends it as failed and owes a mail. The error is ErrLost where
// the delivery is no longer the attempt's; then nothing is written. A delivered event of an account that has used more than half of what it
// may have stored is removed instead, with its log.
func (s *Store) Settle(ctx context.Context, sending Sending, r Result) (Settlement, error) {
	done := s.settlement(sending, r)
	write := func(tx *db.Tx) error { return s.writeDown(tx, sending, r, done) }
	if done.State == Delivered && !sending.once && s.crowded(ctx, sending.Account) {
		write = func(tx *db.Tx) error { return removeDelivered(tx, sending) }
	}
	if err := s.db.Write(ctx, write); err != nil {
		return Settlement{}, fmt.Errorf("settle attempt %d of delivery %s: %w", sending.Attempt, sending.ID, err)
	}
	return done, nil
}

// writeDown writes the attempt and what follows from it.
func (s *Store) writeDown(tx *db.Tx, sending Sending, r Result, done Settlement) error {
	a, err := attemptOf(sending, r, done)
	if err != nil {
		return err
	}
	err = tx.Must(ErrLost, `UPDATE webhook_deliveries SET state = ?, attempts = ?, failures = ?, due = ?, ended = ?, bytes = bytes + ? WHERE id = ? AND run = ? AND state = 'sending'`,
		done.State, sending.Attempt, sending.failures+1, clock.Millis(done.Next), s.ended(done.State), a.bytes(), sending.ID, sending.run)
	if err != nil {
		return err
	}
	if err := tx.LaterNamed(insertAttempt, a); err != nil {
		return err
	}
	if err := s.follow(tx, sending, r, done); err != nil {
		return err
	}
	return volume.Count(tx, sending.Account, a.bytes())
}

// crowded tells whether the log of what was delivered is not to be kept for the account. Where that cannot be told it is.
func (s *Store) crowded(ctx context.Context, accountID string) bool {
	crowded, err := s.cfg.Stored.Crowded(ctx, accountID)
	return err == nil && crowded
}

// removeDelivered ends a delivery by removing it, its log, and its event where it was the last of that.
func removeDelivered(tx *db.Tx, sending Sending) error {
	err := tx.Must(ErrLost, "UPDATE webhook_deliveries SET state = 'delivered' WHERE id = ? AND run = ? AND state = 'sending'", sending.ID, sending.run)
	if err != nil {
		return err
	}
	if err := outbox.Remove(tx, outbox.Enqueue, sending.ID); err != nil {
		return err
	}
	return removeDeliveries(tx, []string{sending.ID})
}

func (s *Store) settlement(sending Sending, r Result) Settlement {
	wait, again := s.wait(sending.failures+1, r.RetryAfter)
	switch {
	case r.delivered():
		return Settlement{State: Delivered}
	case r.Status == gone, sending.once, !again:
		return Settlement{State: Failed}
	}
	return Settlement{State: Pending, Next: s.cfg.Clock.Now().Add(wait)}
}

// ended is the moment for a state that has ended, else NULL.
func (s *Store) ended(state State) sql.NullInt64 {
	return sql.NullInt64{Int64: s.now(), Valid: state.Ended()}
}

// follow writes what follows from an attempt outside of its delivery.
func (s *Store) follow(tx *db.Tx, sending Sending, r Result, done Settlement) error {
	if done.State == Pending {
		return outbox.Add(tx, message(sending.ID, sending.run, clock.Millis(done.Next)))
	}
	if err := outbox.Remove(tx, outbox.Enqueue, sending.ID); err != nil {
		return err
	}
	if r.Status == gone {
		err := tx.Later("UPDATE webhook_endpoints SET enabled = ?, disabled_reason = ?, updated = ? WHERE id = ? AND enabled", false, DisabledGone, s.now(), sending.Endpoint)
		return err
	}
	if done.State == Failed && !sending.once {
		return s.addMail(tx, sending, r)
	}
	return nil
}

const insertAttempt = `INSERT INTO webhook_attempts (delivery_id, attempt, started, latency, url, headers, status, response, reason, next)
	VALUES (:delivery_id, :attempt, :started, :latency, :url, :headers, :status, :response, :reason, :next)`

// attemptOf gives the line of the log.
func attemptOf(sending Sending, r Result, done Settlement) (attemptRow, error) {
	header, err := json.Marshal(r.Header, json.Deterministic(true))
	if err != nil {
		return attemptRow{}, fmt.Errorf("encode header: %w", err)
	}
	return attemptRow{
		Delivery: sending.ID, Attempt: sending.Attempt, Started: clock.Millis(r.Started), Latency: r.Latency.Milliseconds(), URL: sending.URL,
		Headers: string(header), Status: r.Status, Response: text(r.Response), Reason: r.Reason,
		Next: sql.NullInt64{Int64: clock.Millis(done.Next), Valid: !done.Next.IsZero()},
	}, nil
}

// bytes is what the row counts. Where the oldest attempts of a delivery are forgotten, they count until that goes itself.
func (a attemptRow) bytes() int64 {
	return attemptBytes + int64(len(a.URL)+len(a.Headers)+len(a.Response))
}

// text makes of bytes a text that every database takes.
func text(b []byte) string {
	s := strings.ReplaceAll(strings.ToValidUTF8(string(b), string(utf8.RuneError)), "\x00", string(utf8.RuneError))
	return s
}

// Release gives a delivery back whose attempt was broken off by this service: nothing is counted, and it is enqueued at once. The
// error is ErrLost where it is no longer the attempt's.
func (s *Store) Release(ctx context.Context, sending Sending) error {
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		err := tx.Must(ErrLost, "UPDATE webhook_deliveries SET state = 'pending', due = ? WHERE id = ? AND run = ? AND state = 'sending'", s.now(), sending.ID, sending.run)
		if err != nil {
			return err
		}
		return outbox.Add(tx, message(sending.ID, sending.run, s.now()))
	})
	if err != nil {
		return fmt.Errorf("give back delivery %s: %w", sending.ID, err)
	}
	return nil
}

// RetryAfter reads the header field Retry-After (RFC 9110 §10.2.3): seconds, or a moment, which is held against now. It is 0 where
// the field is absent or is neither.
func RetryAfter(header textproto.MIMEHeader, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := time.Parse("Mon, 02 Jan 2006 15:04:05 GMT", value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
