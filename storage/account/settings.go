package account

import (
	"context"
	"encoding/json"
)

// Change is what is to be changed of an account; nil members stay as they are.
type Change struct {
	Name              *string         // as for CreateAccount
	NotificationEmail *string         // one address, or empty for none
	Defaults          json.RawMessage // a JSON object of at most 64 KiB, which replaces the present one
	Plan              *string         // the name of a configured plan, or empty for unlimited
	Lapsed            *bool
}

// Plans knows the configured plans; plan.Set does.
type Plans interface {
	Has(name string) bool // true for the empty name, too
}

// Get gives an account. The error is ErrNotFound for an unknown one.
func (s *Store) Get(ctx context.Context, accountID string) (Account, error) {
	return Account{}, ctx.Err()
}

// Update changes an account and gives it as it is then. The error is ErrInvalid for what Change forbids and ErrNotFound for
// an unknown account.
func (s *Store) Update(ctx context.Context, accountID string, c Change) (Account, error) {
	return Account{}, ctx.Err()
}
