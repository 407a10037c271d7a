package ledger

import (
	"errors"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
)

// Registration is something that is to be written down along with the success that it belongs to, such as the record of an invoice that was made.
type Registration struct {
	Kind string // what it is; agreed between who does the work and who registers
	Data []byte
}

// Registrar takes registrations over in the transaction of the success, and gives how many bytes it has stored for the account, which that counts. An error of
// it undoes the success: neither is the answer given, nor does the job succeed.
type Registrar interface {
	Register(tx *db.Tx, accountID string, mode account.Mode, r Registration) (stored int64, err error)
}

// errNoRegistrar says that there is something to register and nobody who does.
var errNoRegistrar = errors.New("no registrar is configured")

// register hands registrations over, in their order, and gives what they have stored.
func (l *Ledger) register(tx *db.Tx, accountID string, mode account.Mode, registrations []Registration) (stored int64, err error) {
	if len(registrations) > 0 && l.cfg.Registrar == nil {
		return 0, errNoRegistrar
	}
	for _, r := range registrations {
		n, err := l.cfg.Registrar.Register(tx, accountID, mode, r)
		if err != nil {
			return 0, err
		}
		stored += n
	}
	return stored, nil
}
