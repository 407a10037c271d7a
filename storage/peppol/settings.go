package peppol

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
)

// callbackMemory is how long a call-back is remembered. Those with a time of their own are refused long before.
const callbackMemory = 30 * 24 * time.Hour

// Settings are what an account and mode has configured. What they mean is agreed between who writes and who sends.
type Settings struct {
	CallbackID string // pcb_…
	Data       []byte // JSON; sealed in the database, because there are secrets in it
	Updated    time.Time
}

type settingsRow struct {
	Account    string       `db:"account_id"`
	Mode       account.Mode `db:"mode"`
	CallbackID string       `db:"callback_id"`
	Sealed     []byte       `db:"sealed"`
	Updated    int64        `db:"updated"`
}

// identity is what settings are sealed for.
func identity(accountID string, mode account.Mode) string {
	return "peppol settings " + accountID + " " + string(mode)
}

// Settings gives what is configured. The error is ErrNotConfigured.
func (s *Store) Settings(ctx context.Context, accountID string, mode account.Mode) (Settings, error) {
	_, settings, err := s.readSettings(ctx, "account_id = ? AND mode = ?", accountID, mode)
	return settings, err
}

func (s *Store) readSettings(ctx context.Context, condition string, args ...any) (settingsRow, Settings, error) {
	var r settingsRow
	err := s.db.Get(ctx, &r, "SELECT * FROM peppol_settings WHERE "+condition, args...)
	if errors.Is(err, sql.ErrNoRows) {
		return r, Settings{}, ErrNotConfigured
	}
	if err != nil {
		return r, Settings{}, fmt.Errorf("read Peppol settings: %w", err)
	}
	data, err := s.sealer.Open(r.Sealed, identity(r.Account, r.Mode))
	if err != nil {
		return r, Settings{}, fmt.Errorf("open Peppol settings: %w", err)
	}
	return r, Settings{r.CallbackID, data, clock.Time(r.Updated)}, nil
}

// Configure writes settings in place of those that there are. The id of call-backs stays.
func (s *Store) Configure(ctx context.Context, accountID string, mode account.Mode, data []byte) (Settings, error) {
	var r settingsRow
	err := s.db.Write(ctx, func(tx *db.Tx) error {
		r = settingsRow{}
		return tx.Get(&r, `INSERT INTO peppol_settings (account_id, mode, callback_id, sealed, updated) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (account_id, mode) DO UPDATE SET sealed = excluded.sealed, updated = excluded.updated RETURNING *`,
			accountID, mode, id.New("pcb", s.cfg.Clock.Now()), s.sealer.Seal(data, identity(accountID, mode)), s.now())
	})
	if err != nil {
		return Settings{}, fmt.Errorf("write Peppol settings: %w", err)
	}
	return Settings{r.CallbackID, data, clock.Time(r.Updated)}, nil
}

// Caller is who a call-back claims to be for.
type Caller struct {
	Account string
	Mode    account.Mode
	Settings
}

// Caller gives the settings that a call-back belongs to, by the id in its path. The error is ErrNotFound.
func (s *Store) Caller(ctx context.Context, callbackID string) (Caller, error) {
	r, settings, err := s.readSettings(ctx, "callback_id = ?", callbackID)
	if errors.Is(err, ErrNotConfigured) {
		return Caller{}, ErrNotFound
	}
	return Caller{r.Account, r.Mode, settings}, err
}

// Message gives the transmission of a message id, of the account and mode. The error is ErrNotFound.
func (s *Store) Message(ctx context.Context, accountID string, mode account.Mode, messageID string) (Transmission, error) {
	var r row
	err := s.db.Get(ctx, &r, "SELECT * FROM peppol_transmissions WHERE message_id = ? AND account_id = ? AND mode = ?", messageID, accountID, mode)
	if errors.Is(err, sql.ErrNoRows) {
		return Transmission{}, ErrNotFound
	}
	if err != nil {
		return Transmission{}, fmt.Errorf("read transmission of a message: %w", err)
	}
	return r.transmission(), nil
}

// TakeCallback settles a transmission by a call-back that was verified, once for each digest. The error is ErrReplayed, or ErrNotFound
// where the message is none of the caller's.
func (s *Store) TakeCallback(ctx context.Context, c Caller, digest, messageID string, o Outcome) error {
	t, err := s.Message(ctx, c.Account, c.Mode, messageID)
	if err != nil {
		return err
	}
	if _, ok := follows[o.State]; !ok {
		return fmt.Errorf("call-back with the state %q: %w", o.State, ErrState)
	}
	return s.settle(ctx, t.ID, func(tx *db.Tx, _ row) error {
		n, err := tx.Exec("INSERT INTO peppol_callbacks (callback_id, digest, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", c.CallbackID, digest, s.now())
		if err == nil && n == 0 {
			return ErrReplayed
		}
		return err
	}, o)
}
