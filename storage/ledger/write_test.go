package ledger

import (
	"context"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
)

// exec runs one statement in a transaction of its own.
func (f *fixture) exec(t testing.TB, query string, args ...any) {
	t.Helper()
	do(t, f.db.Write(context.Background(), func(tx *db.Tx) error {
		_, err := tx.Exec(query, args...)
		return err
	}))
}

// use is a transaction that counts units in March.
func use(accountID, entitlement string, units int64) func(*db.Tx) error {
	return func(tx *db.Tx) error { return count(tx, accountID, march, Charge{entitlement, units}) }
}

// holdWriter occupies the one writer of SQLite until the returned function is called: whoever writes meanwhile hangs.
func holdWriter(t *testing.T, f *fixture) (free func()) {
	t.Helper()
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- f.db.Write(context.Background(), func(*db.Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	return func() {
		t.Helper()
		close(release)
		do(t, <-done)
	}
}
