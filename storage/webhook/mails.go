package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// Mail is the news that a delivery has failed, owed to the account once for each time.
type Mail struct {
	Delivery string       `db:"delivery_id"`
	Round    int          `db:"round"` // 1, and one more for each time the delivery was asked for again
	Account  string       `db:"account_id"`
	Mode     account.Mode `db:"mode"`
	Endpoint string       `db:"endpoint_id"`
	URL      string       `db:"url"`
	Event    string       `db:"type"`
	Attempts int          `db:"attempts"`
	Outcome  string       `db:"outcome"` // of the last attempt: a status of HTTP, or why there was none
	Created  int64        `db:"created"` // when the delivery failed, in milliseconds since 1970
	Tries    int          `db:"tries"`   // of this mail, this one with it
}

// Failed is when the delivery failed.
func (m Mail) Failed() time.Time { return clock.Time(m.Created) }

// Between two tries of a mail pass mailAgain and twice the time before, up to mailSlowest.
const (
	mailAgain   = time.Minute
	mailSlowest = time.Hour
)

func (s *Store) addMail(tx *db.Tx, sending Sending, r Result) error {
	err := tx.Later(`INSERT INTO webhook_mails (delivery_id, round, account_id, mode, endpoint_id, url, type, attempts, outcome, created, due)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (delivery_id, round) DO NOTHING`, sending.ID, sending.round, sending.Account, sending.mode,
		sending.Endpoint, sending.URL, sending.Event, sending.failures+1, r.outcome(), s.now(), s.now())
	return err
}

// DueMails gives at most limit mails that are due to the caller, who sends each and says so with MailSent. One that is not said to
// be sent is due again after a minute, two, four …, an hour at most.
func (s *Store) DueMails(ctx context.Context, limit int) ([]Mail, error) {
	var mails []Mail
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		mails = nil
		err := tx.Select(&mails, `SELECT delivery_id, round, account_id, mode, endpoint_id, url, type, attempts, outcome, created, tries FROM webhook_mails
			WHERE sent IS NULL AND due <= ? ORDER BY due LIMIT ?`+tx.SkipLocked(), s.now(), limit)
		for i := range mails {
			m := &mails[i]
			again := min(mailAgain<<min(m.Tries, 10), mailSlowest)
			m.Tries++
			_, failed := tx.Exec("UPDATE webhook_mails SET due = ?, tries = ? WHERE delivery_id = ? AND round = ?",
				clock.Millis(s.cfg.Clock.Now().Add(again)), m.Tries, m.Delivery, m.Round)
			err = errors.Join(err, failed)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read owed mail: %w", err)
	}
	return mails, nil
}

// MailSent says that a mail is owed no more.
func (s *Store) MailSent(ctx context.Context, m Mail) error {
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		err := tx.Later("UPDATE webhook_mails SET sent = ? WHERE delivery_id = ? AND round = ?", s.now(), m.Delivery, m.Round)
		return err
	})
	if err != nil {
		return fmt.Errorf("note mail as sent: %w", err)
	}
	return nil
}
