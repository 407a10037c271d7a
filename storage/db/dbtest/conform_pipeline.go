package dbtest

import (
	"database/sql"
	"errors"
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
)

// laterKeepsItsOrder ensures that each statement sees those before it, whether or not somebody waited for them.
func laterKeepsItsOrder(t *testing.T, r *room) {
	must(t, r.Write(t.Context(), func(tx *db.Tx) error {
		var name string
		err := errors.Join(tx.Later(newAccount, "a", "1"), tx.Later("UPDATE accounts SET name = '2' WHERE id = 'a' AND name = '1'"),
			tx.Get(&name, "SELECT name FROM accounts WHERE id = 'a'"), tx.Later("UPDATE accounts SET name = '3' WHERE id = 'a' AND name = ?", "2"))
		if name != "2" {
			t.Errorf("a statement sees %q, want 2", name)
		}
		return errors.Join(err, tx.LaterNamed("INSERT INTO accounts (id, name, created) VALUES (:id, :name, :created)", struct {
			ID, Name string
			Created  int64
		}{"b", "4", 1}))
	}))
	must(t, r.Write(t.Context(), func(tx *db.Tx) error { return tx.Later("DELETE FROM accounts WHERE id = 'nobody'") }))
	if got := r.names(t); got != "3 4" {
		t.Errorf("names %q, want 3 4", got)
	}
}

func laterFailsTheWrite(t *testing.T, r *room) {
	must(t, r.exec(newAccount, "a", "a"))
	for name, after := range map[string]func(*db.Tx) error{
		"at the commit":          func(*db.Tx) error { return nil },
		"with another statement": func(tx *db.Tx) error { _, err := tx.Exec(newAccount, "c", "c"); return err },
		"whatever comes of it":   func(tx *db.Tx) error { _, _ = tx.Exec(newAccount, "c", "c"); return nil },
	} {
		err := r.Write(t.Context(), func(tx *db.Tx) error {
			return errors.Join(tx.Later(newAccount, "b", "b"), tx.Later(newAccount, "a", "again"), after(tx))
		})
		if err == nil || r.names(t) != "a" {
			t.Errorf("%s: error %v, names %q", name, err, r.names(t))
		}
	}
	must(t, r.exec(newAccount, "d", "d")) // the connection is as good as before
}

func mustChangesOrFails(t *testing.T, r *room) {
	must(t, r.exec(newAccount, "a", "a"))
	gone := errors.New("it is gone")
	rename := func(id, name string) error {
		return r.Write(t.Context(), func(tx *db.Tx) error {
			return errors.Join(tx.Later(newAccount, name, name), tx.Must(gone, "UPDATE accounts SET name = ? WHERE id = ?", name+"!", id), tx.Later(newAccount, name+"?", name+"?"))
		})
	}
	if err := rename("nobody", "b"); !errors.Is(err, gone) || r.names(t) != "a" {
		t.Errorf("error %v, names %q", err, r.names(t))
	}
	if err := rename("a", "c"); err != nil || r.names(t) != "c c! c?" {
		t.Errorf("error %v, names %q", err, r.names(t))
	}
	other := r.Write(t.Context(), func(tx *db.Tx) error { return tx.Must(gone, "UPDATE accounts SET name = NULL WHERE id = 'a'") })
	if other == nil || errors.Is(other, gone) {
		t.Errorf("a statement that fails is taken for one that changes nothing: %v", other)
	}
}

func alsoIsReadAlong(t *testing.T, r *room) {
	must(t, r.exec(newAccount, "a", "a"), r.exec(newAccount, "b", "b"))
	var before, after []string
	var count int
	must(t, r.Write(t.Context(), func(tx *db.Tx) error {
		before, after = nil, nil
		const query = "SELECT id FROM accounts ORDER BY id"
		err := errors.Join(tx.Also(&before, query), tx.Later("DELETE FROM accounts WHERE id = 'a'"), tx.Get(&count, "SELECT count(*) FROM accounts"))
		if !slices.Equal(before, []string{"a", "b"}) || count != 1 {
			t.Errorf("read along: %q, then %d", before, count)
		}
		err = errors.Join(err, tx.Await(), tx.Also(&after, query), tx.Await(), tx.Await())
		if !slices.Equal(after, []string{"b"}) {
			t.Errorf("read at last: %q", after)
		}
		return err
	}))
}

// rowsAreReadIntoFields ensures that transactions read as queries outside of them do: fields by their tags, also of structs in
// structs, columns that nobody knows passed over, NULL, and types of their own.
func rowsAreReadIntoFields(t *testing.T, r *room) {
	type name string
	type inner struct {
		Name name `db:"name"`
	}
	type row struct {
		inner
		ID   string        `db:"id"`
		None sql.NullInt64 `db:"none"`
		Nil  []byte        `db:"empty"`
	}
	must(t, r.exec(newAccount, "a", "A"))
	const query = "SELECT *, CAST(NULL AS BIGINT) AS none, CAST(NULL AS BYTEA) AS empty FROM accounts"
	must(t, r.Write(t.Context(), func(tx *db.Tx) error {
		var one row
		var all []row
		var single name
		var none int
		if err := errors.Join(tx.Get(&one, query), tx.Select(&all, query), tx.Get(&single, "SELECT name FROM accounts")); err != nil {
			return err
		}
		if one.Name != "A" || one.ID != "a" || one.None.Valid || one.Nil != nil || len(all) != 1 || all[0].Name != "A" || single != "A" {
			t.Errorf("read %+v, %+v, %q", one, all, single)
		}
		if err := tx.Get(&none, "SELECT 1 FROM accounts WHERE id = 'b'"); !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("without a row: %v", err)
		}
		return nil
	}))
}

func outcomeIsTold(t *testing.T, r *room) {
	refused := errors.New("refused")
	for _, c := range []struct {
		name string
		end  func(tx *db.Tx) error
		want bool
	}{
		{"committed", func(*db.Tx) error { return nil }, true},
		{"refused", func(*db.Tx) error { return refused }, false},
		{"failed", func(tx *db.Tx) error { return tx.Later("UPDATE accounts SET name = NULL") }, false},
		{"panicked", func(*db.Tx) error { panic("boom") }, false},
	} {
		var told []bool
		err := r.Write(t.Context(), func(tx *db.Tx) error {
			for range 2 {
				tx.After(func(committed bool) { told = append(told, committed) })
			}
			return errors.Join(tx.Later(newAccount, c.name, c.name), c.end(tx))
		})
		if (err == nil) != c.want || !slices.Equal(told, []bool{c.want, c.want}) {
			t.Errorf("%s: error %v, told %v", c.name, err, told)
		}
	}
}
