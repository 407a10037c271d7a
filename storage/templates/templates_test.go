package templates

import (
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// fixture is a Store on a new database with a clock that is moved by hand, and the owners of templates.
type fixture struct {
	*Store
	clock *clock.Hand
	own   Owner
	other []Owner // the other mode of the account, and another account
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{clock: clock.NewHand(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))}
	database := dbtest.Open(t)
	accounts, err := account.New(account.Config{Clock: f.clock}, database)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, name := range []string{"ours", "theirs"} {
		a, err := accounts.CreateAccount(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, a.ID)
	}
	f.Store = New(database, f.clock)
	f.own, f.other = Owner{ids[0], account.Live}, []Owner{{ids[0], account.Test}, {ids[1], account.Live}}
	return f
}

func (f *fixture) create(t *testing.T, name string) Template {
	t.Helper()
	made, err := f.Create(t.Context(), f.own, Change{Name: name, Text: []byte(`{"n":1}`)})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestVersions ensures that a change makes a version, that older ones stay as they were, and that the oldest go.
func TestVersions(t *testing.T) {
	f := newFixture(t)
	made := f.create(t, "Plain")
	for i := 2; i <= keptVersions+1; i++ {
		f.clock.Add(time.Second)
		changed, err := f.Update(t.Context(), f.own, made.ID, Change{Name: "Plain " + strconv.Itoa(i), Text: []byte(`{"n":` + strconv.Itoa(i) + `}`)})
		if err != nil || changed.Version != i {
			t.Fatalf("%+v, %v", changed, err)
		}
	}
	for version, want := range map[int]string{0: `{"n":51}`, 2: `{"n":2}`, 51: `{"n":51}`} {
		got, err := f.Get(t.Context(), f.own, strings.ToUpper(made.ID), version)
		if err != nil || string(got.Text) != want || got.Name != "Plain 51" || !got.Created.Equal(made.Created) || version != 0 && got.Version != version {
			t.Errorf("version %d: %+v, %v", version, got, err)
		}
	}
	for _, gone := range []int{1, 52, -1} {
		if _, err := f.Get(t.Context(), f.own, made.ID, gone); !errors.Is(err, ErrNotFound) {
			t.Errorf("version %d: %v", gone, err)
		}
	}
	if _, err := f.Update(t.Context(), f.own, made.ID, Change{Name: "x", Text: []byte("{}"), Of: 50}); !errors.Is(err, ErrChanged) {
		t.Errorf("a change of an older version: %v", err)
	}
}

// TestOwners ensures that nobody sees, changes or deletes the templates of others.
func TestOwners(t *testing.T) {
	f := newFixture(t)
	made := f.create(t, "Plain")
	for _, other := range f.other {
		_, get := f.Get(t.Context(), other, made.ID, 0)
		_, update := f.Update(t.Context(), other, made.ID, Change{Name: "x", Text: []byte("{}")})
		list, more, err := f.List(t.Context(), other, db.Page{})
		if !errors.Is(get, ErrNotFound) || !errors.Is(update, ErrNotFound) || !errors.Is(f.Delete(t.Context(), other, made.ID), ErrNotFound) || len(list) > 0 || more || err != nil {
			t.Errorf("%v: %v, %v, %v, %v", other, get, update, list, err)
		}
	}
	if err := f.Delete(t.Context(), f.own, made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Get(t.Context(), f.own, made.ID, 0); !errors.Is(err, ErrNotFound) {
		t.Errorf("deleted: %v", err)
	}
}

// TestList ensures that lists are newest first, in pages, without the texts.
func TestList(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"a", "b", "c"} {
		f.create(t, name)
		f.clock.Add(time.Second)
	}
	first, more, err := f.List(t.Context(), f.own, db.Page{Limit: 2})
	if err != nil || !more || len(first) != 2 || first[0].Name != "c" || first[0].Text != nil {
		t.Fatalf("%+v, %v, %v", first, more, err)
	}
	rest, more, err := f.List(t.Context(), f.own, db.Page{StartingAfter: first[1].ID})
	if err != nil || more || len(rest) != 1 || rest[0].Name != "a" {
		t.Errorf("%+v, %v, %v", rest, more, err)
	}
	if _, _, err := f.List(t.Context(), f.own, db.Page{Limit: 1000}); !errors.Is(err, ErrBadPage) {
		t.Errorf("a page that is none: %v", err)
	}
}

// TestRefused has a row for each change that is not acceptable.
func TestRefused(t *testing.T) {
	f := newFixture(t)
	for field, c := range map[string][]Change{
		"name":     {{Text: []byte("{}")}, {Name: strings.Repeat("x", 201), Text: []byte("{}")}, {Name: "a\nb", Text: []byte("{}")}},
		"template": {{Name: "x", Text: make([]byte, MaxSize+1)}},
	} {
		for _, change := range c {
			_, err := f.Create(t.Context(), f.own, change)
			if invalid, ok := errors.AsType[*InvalidError](err); !ok || invalid.Field != field {
				t.Errorf("%s: %v", field, err)
			}
		}
	}
	if _, err := f.Create(t.Context(), Owner{"acc_unknown", account.Live}, Change{Name: "x", Text: []byte("{}")}); !errors.Is(err, account.ErrNotFound) {
		t.Errorf("an unknown account: %v", err)
	}
	undone := errors.New("undone")
	if _, err := f.Create(t.Context(), f.own, Change{Name: "x", Text: []byte("{}")}, func(*db.Tx, Template) error { return undone }); !errors.Is(err, undone) {
		t.Errorf("along: %v", err)
	}
	if list, _, err := f.List(t.Context(), f.own, db.Page{}); err != nil || len(list) > 0 {
		t.Errorf("something was saved: %v, %v", list, err)
	}
}

// TestVersionsCountAsStored ensures that each version that is kept counts for its account, and no longer when it goes.
func TestVersionsCountAsStored(t *testing.T) {
	f := newFixture(t)
	want := func(bytes int64, when string) {
		t.Helper()
		var counted int64
		if err := f.db.Get(t.Context(), &counted, "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM stored_inputs WHERE account_id = ?", f.own.Account); err != nil || counted != bytes {
			t.Errorf("%s: %d bytes are counted, want %d; %v", when, counted, bytes, err)
		}
	}
	made := f.create(t, "a")
	size := int64(len(made.Text))
	want(size, "a template was saved")
	for range 2 * keptVersions {
		if _, err := f.Update(t.Context(), f.own, made.ID, Change{Name: "a", Text: made.Text}); err != nil {
			t.Fatal(err)
		}
	}
	want(keptVersions*size, "it was changed often")
	if _, err := f.Update(t.Context(), f.other[0], made.ID, Change{Name: "a", Text: made.Text}); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	want(keptVersions*size, "who must not has changed it")
	if err := f.Delete(t.Context(), f.own, made.ID); err != nil {
		t.Fatal(err)
	}
	want(0, "it was deleted")
}
