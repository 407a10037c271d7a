package account

import (
	"context"
	"errors"
	"fmt"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/id"
)

// errNotFirst says that there are accounts already.
var errNotFirst = errors.New("there are accounts already")

// CreateFirst makes an account with the name and a key in it, unless there is an account; made tells which. Of processes that try at once one
// does it. show gets the secret before the commit and so never too late: what it has shown is void where the process dies then, and there is
// no account. An error of it undoes the whole. It is called once.
func (s *Store) CreateFirst(ctx context.Context, name string, n NewKey, show func(secret string) error) (made bool, err error) {
	now := s.clock.Now()
	owner := accountRow{ID: id.New("acc", now), Name: name, Created: clock.Millis(now), Defaults: "{}"}
	n.AccountID = owner.ID
	if err := errors.Join(checkAccountName(name), n.check()); err != nil {
		return false, err
	}
	row, secret, err := s.newRow(n)
	if err != nil {
		return false, err
	}
	shown := false
	err = s.db.Write(ctx, func(tx *db.Tx) error {
		if err := insertFirst(tx, owner, row); err != nil || shown {
			return err
		}
		shown = true
		return show(secret)
	})
	if errors.Is(err, errNotFirst) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("create first account: %w", err)
	}
	return true, nil
}

// insertFirst writes account and key where there is no account, and keeps others from writing one meanwhile.
func insertFirst(tx *db.Tx, owner accountRow, key keyRow) error {
	if err := tx.LockTable("accounts"); err != nil {
		return err
	}
	var accounts int
	if err := tx.Get(&accounts, "SELECT count(*) FROM accounts"); err != nil {
		return err
	}
	if accounts > 0 {
		return errNotFirst
	}
	if _, err := tx.Named(insertAccount, owner); err != nil {
		return err
	}
	_, err := tx.Named(insertKey, key)
	return err
}
