package webhook

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/outbox"
	"github.com/einvoiced/einvoiced/storage/volume"
)

// Delivery is a delivery with the log of its attempts.
type Delivery struct {
	ID       string // dlv_…
	Endpoint string // whk_…
	EventID  string // evt_…
	Event    string // type of the event
	Payload  []byte // the body, byte for byte
	State    State
	Created  time.Time
	Next     time.Time // of the next attempt; zero where none is planned
	Attempts []Attempt // the last first
}

// Attempt is a line of the log.
type Attempt struct {
	Number   int // from 1
	Started  time.Time
	Latency  time.Duration
	URL      string
	Header   map[string]string // that was sent
	Status   int               // of HTTP; 0 without an answer
	Response string            // the beginning of the answer's body
	Reason   string            // why there is no answer; empty with one
	Next     time.Time         // of the attempt after it, as it was planned; zero for the last
}

const selectLogged = `SELECT d.*, v.type, v.payload FROM webhook_deliveries d JOIN webhook_events v ON v.id = d.event_id`

// loggedRow is a delivery with its event.
type loggedRow struct {
	deliveryRow
	eventRow
}

func (r loggedRow) delivery() Delivery {
	d := Delivery{
		ID: r.ID, Endpoint: r.Endpoint, EventID: r.deliveryRow.Event, Event: r.Type, Payload: r.Payload, State: r.State, Created: clock.Time(r.Created),
	}
	if r.State == Pending {
		d.Next = clock.Time(r.Due)
	}
	return d
}

// Deliveries gives the deliveries to an endpoint, newest first, and whether more follow in the direction of the page. The error is
// ErrNotFound or ErrBadPage.
func (s *Store) Deliveries(ctx context.Context, accountID string, mode account.Mode, endpointID string, p Page) ([]Delivery, bool, error) {
	if _, err := s.read(ctx, accountID, mode, endpointID); err != nil {
		return nil, false, err
	}
	rows, more, err := db.List[loggedRow](ctx, s.db, p, "d.id", selectLogged+" WHERE d.endpoint_id = ?", endpointID)
	if err != nil {
		return nil, false, fmt.Errorf("list deliveries: %w", err)
	}
	deliveries := make([]Delivery, len(rows))
	for i, r := range rows {
		deliveries[i] = r.delivery()
	}
	return deliveries, more, s.addAttempts(ctx, deliveries)
}

// keptAttempts is how many attempts the log of a delivery has, which may be delivered again as often as somebody asks for it.
const keptAttempts = 100

// ShortResponse is how much of a response is read of all attempts but the last of a delivery, in characters.
const ShortResponse = 500

const selectAttempts = `
	SELECT a.delivery_id, a.attempt, a.started, a.latency, a.url, a.headers, a.status, a.reason, a.next,
		CASE WHEN l.place = 1 THEN a.response ELSE substr(a.response, 1, ?) END AS response
	FROM (SELECT delivery_id, attempt, row_number() OVER (PARTITION BY delivery_id ORDER BY attempt DESC) AS place
		FROM webhook_attempts WHERE delivery_id %s) l
	JOIN webhook_attempts a ON a.delivery_id = l.delivery_id AND a.attempt = l.attempt
	WHERE l.place <= ? ORDER BY a.attempt DESC`

// forgetAttempts removes all but the newest attempts of a delivery.
const forgetAttempts = `DELETE FROM webhook_attempts WHERE delivery_id = ?
	AND attempt <= (SELECT max(attempt) FROM webhook_attempts WHERE delivery_id = ?) - ?`

// addAttempts reads the log of the deliveries: the newest attempts of each.
func (s *Store) addAttempts(ctx context.Context, deliveries []Delivery) error {
	if len(deliveries) == 0 {
		return nil
	}
	at, ids := map[string]*Delivery{}, make([]string, len(deliveries))
	for i := range deliveries {
		ids[i] = deliveries[i].ID
		at[ids[i]] = &deliveries[i]
	}
	among, args := db.In(ids)
	var rows []attemptRow
	err := s.db.Select(ctx, &rows, fmt.Sprintf(selectAttempts, among), slices.Concat([]any{ShortResponse}, args, []any{keptAttempts})...)
	if err != nil {
		return fmt.Errorf("read attempts: %w", err)
	}
	for _, r := range rows {
		d := at[r.Delivery]
		d.Attempts = append(d.Attempts, r.attempt())
	}
	return nil
}

// attemptRow is a row of the table webhook_attempts.
type attemptRow struct {
	Delivery string        `db:"delivery_id"`
	Attempt  int           `db:"attempt"`
	Started  int64         `db:"started"`
	Latency  int64         `db:"latency"`
	URL      string        `db:"url"`
	Headers  string        `db:"headers"`
	Status   int           `db:"status"`
	Response string        `db:"response"`
	Reason   string        `db:"reason"`
	Next     sql.NullInt64 `db:"next"`
}

func (r attemptRow) attempt() Attempt {
	a := Attempt{
		Number: r.Attempt, Started: clock.Time(r.Started), Latency: time.Duration(r.Latency) * time.Millisecond, URL: r.URL, Status: r.Status,
		Response: r.Response, Reason: r.Reason, Next: clock.Time(r.Next.Int64),
	}
	_ = json.Unmarshal([]byte(r.Headers), &a.Header) // written by logAttempt alone
	return a
}

// Delivery gives a delivery of the account and mode with its log. The error is ErrNotFound.
func (s *Store) Delivery(ctx context.Context, accountID string, mode account.Mode, deliveryID string) (Delivery, error) {
	var r loggedRow
	err := s.db.Get(ctx, &r, selectLogged+` JOIN webhook_endpoints e ON e.id = d.endpoint_id
		WHERE d.id = ? AND e.account_id = ? AND e.mode = ? AND e.deleted IS NULL`, deliveryID, accountID, mode)
	if errors.Is(err, sql.ErrNoRows) {
		return Delivery{}, ErrNotFound
	}
	if err != nil {
		return Delivery{}, fmt.Errorf("read delivery: %w", err)
	}
	one := []Delivery{r.delivery()}
	return one[0], s.addAttempts(ctx, one)
}

// Test sends a trial to an endpoint, enabled or not: one attempt of an event of type TestType. The error is ErrNotFound, or a
// *volume.ExceededError.
func (s *Store) Test(ctx context.Context, accountID string, mode account.Mode, endpointID string) (Delivery, error) {
	if err := s.cfg.Stored.Admit(ctx, accountID, 0); err != nil {
		return Delivery{}, fmt.Errorf("try webhook: %w", err)
	}
	object, err := json.Marshal(map[string]string{"webhook": endpointID, "message": "This is a trial. Nothing has happened."}, json.Deterministic(true))
	if err != nil {
		return Delivery{}, fmt.Errorf("encode trial: %w", err)
	}
	var entry outbox.Entry
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		var r endpointRow
		if err := tx.Get(&r, ownEndpoint, endpointID, accountID, mode); errors.Is(err, sql.ErrNoRows) {
			return ErrNotFound
		} else if err != nil {
			return err
		}
		v, err := s.insertEvent(tx, ledger.Event{Type: TestType, Object: object})
		if err != nil {
			return err
		}
		d := s.newDelivery(endpointID, v)
		d.Once = true
		if entry, err = s.insertDelivery(tx, d); err != nil {
			return err
		}
		return volume.Count(tx, accountID, d.Bytes)
	})
	if err != nil {
		return Delivery{}, fmt.Errorf("try webhook: %w", err)
	}
	s.queue.EnqueueSoon(entry.Queue, entry.Subject, entry.Run)
	return s.Delivery(ctx, accountID, mode, entry.Subject)
}

// Redeliver begins the schedule of a delivery anew, with its id and its bytes. The error is ErrNotFound, ErrUnended for one that
// is still being attempted, or a *volume.ExceededError.
func (s *Store) Redeliver(ctx context.Context, accountID string, mode account.Mode, deliveryID string) (Delivery, error) {
	if err := s.cfg.Stored.Admit(ctx, accountID, 0); err != nil {
		return Delivery{}, fmt.Errorf("redeliver %s: %w", deliveryID, err)
	}
	if _, err := s.Delivery(ctx, accountID, mode, deliveryID); err != nil {
		return Delivery{}, err
	}
	var entry outbox.Entry
	err := s.db.Write(ctx, func(tx *db.Tx) (err error) {
		var run int64
		err = tx.Get(&run, `UPDATE webhook_deliveries SET state = 'pending', failures = 0, round = round + 1, due = ?, ended = NULL
			WHERE id = ? AND state IN ('delivered', 'failed', 'canceled') RETURNING run`, s.now(), deliveryID)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrUnended
		}
		if err != nil {
			return err
		}
		if _, err := tx.Exec(forgetAttempts, deliveryID, deliveryID, keptAttempts); err != nil {
			return err
		}
		entry, err = s.addNow(tx, deliveryID, run)
		return err
	})
	if err != nil {
		return Delivery{}, fmt.Errorf("redeliver %s: %w", deliveryID, err)
	}
	d, err := s.Delivery(ctx, accountID, mode, deliveryID) // which may be gone as soon as it was delivered
	s.queue.EnqueueSoon(entry.Queue, entry.Subject, entry.Run)
	return d, err
}
