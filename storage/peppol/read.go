package peppol

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
)

// Get gives a transmission of the account and mode. The error is ErrNotFound for another.
func (s *Store) Get(ctx context.Context, accountID string, mode account.Mode, transmissionID string) (Transmission, error) {
	var r row
	err := s.db.Get(ctx, &r, "SELECT * FROM peppol_transmissions WHERE id = ? AND account_id = ? AND mode = ?", transmissionID, accountID, mode)
	if errors.Is(err, sql.ErrNoRows) {
		return Transmission{}, ErrNotFound
	}
	if err != nil {
		return Transmission{}, fmt.Errorf("read transmission: %w", err)
	}
	return r.transmission(), nil
}

// listed are the columns of lists: all but the receipts, which may be long.
const listed = `id, account_id, mode, state, message_id, job_id, run, attempts, tries, events, sender, recipient, recipient_name, document_type, process, country,
	invoice_number, code, reason, '' AS receipt, created, updated, sent, ended, asked, ask_at, ask_since`

// List gives a page of the transmissions of the account and mode without their receipts, newest first, and tells whether more follow. The error is
// db.ErrPage for a page that is none.
func (s *Store) List(ctx context.Context, accountID string, mode account.Mode, p db.Page) ([]Transmission, bool, error) {
	rows, more, err := db.List[row](ctx, s.db, p, "id", "SELECT "+listed+" FROM peppol_transmissions WHERE account_id = ? AND mode = ?", accountID, mode)
	if err != nil {
		return nil, false, fmt.Errorf("list transmissions: %w", err)
	}
	list := make([]Transmission, len(rows))
	for i, r := range rows {
		list[i] = r.transmission()
	}
	return list, more, nil
}

// Events gives the log of a transmission, oldest first. The error is ErrNotFound.
func (s *Store) Events(ctx context.Context, accountID string, mode account.Mode, transmissionID string) ([]Event, error) {
	if _, err := s.Get(ctx, accountID, mode, transmissionID); err != nil {
		return nil, err
	}
	var rows []struct {
		Number  int    `db:"number"`
		Type    string `db:"type"`
		Message string `db:"message"`
		Created int64  `db:"created"`
	}
	err := s.db.Select(ctx, &rows, "SELECT number, type, message, created FROM peppol_events WHERE transmission_id = ? ORDER BY number", transmissionID)
	if err != nil {
		return nil, fmt.Errorf("read events of a transmission: %w", err)
	}
	list := make([]Event, len(rows))
	for i, r := range rows {
		list[i] = Event{r.Number, r.Type, r.Message, clock.Time(r.Created)}
	}
	return list, nil
}
