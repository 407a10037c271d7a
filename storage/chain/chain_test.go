package chain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

func TestMain(m *testing.M) {
	if told := os.Getenv(appender); told != "" {
		fmt.Fprintln(os.Stderr, appendAlone(told))
		os.Exit(1)
	}
	goleak.VerifyTestMain(dbtest.OnEach(m))
}

// fixture is a store with an account on a clock that stands.
type fixture struct {
	*Store
	db    *db.DB
	hand  *clock.Hand
	owner Owner
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	return fixtureOn(t, dbtest.Open(t))
}

// entry is the entry of an invoice whose hash is one of its number and the hash before.
func entry(number, content string) Entry {
	return Entry{Number: number, Day: "30-06-2026", Content: content, Make: func(last *Record, at time.Time) (Record, error) {
		r := Record{Generated: at.UTC().Format(time.RFC3339), Type: "F1", Tax: "0.21", Total: "1.21", Document: []byte("<" + number + "/>")}
		if last != nil {
			r.Previous = last.Hash
		}
		r.Hash = hashOf(r.Previous, number)
		return r, nil
	}}
}

func hashOf(previous, number string) string {
	sum := sha256.Sum256([]byte(previous + "|" + number))
	return hex.EncodeToString(sum[:])
}

func cancel(number string) Entry {
	e := entry(number, "cancel")
	e.Cancels = true
	return e
}

func (f *fixture) add(t testing.TB, o Owner, e Entry) (r Record, appended bool, err error) {
	t.Helper()
	err = f.db.Write(t.Context(), func(tx *db.Tx) (err error) {
		r, appended, err = f.Append(tx, o, e)
		return err
	})
	return r, appended, err
}

func (f *fixture) read(t testing.TB, o Owner, r Range) []Record {
	t.Helper()
	c, err := f.Find(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	records, err := c.Read(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// TestAppend_SaysOnce ensures what may follow what: the same is no second record, and another content and what was canceled are errors.
func TestAppend_SaysOnce(t *testing.T) {
	f := newFixture(t)
	for i, step := range []struct {
		entry    Entry
		appended bool
		position int64
		err      error
	}{
		{entry("A-1", "x"), true, 1, nil},
		{entry("A-1", "x"), false, 1, nil},
		{entry("A-1", "y"), false, 0, ErrOther},
		{cancel("A-2"), false, 0, ErrUnknown},
		{entry("A-2", "x"), true, 2, nil},
		{cancel("A-1"), true, 3, nil},
		{cancel("A-1"), false, 3, nil},
		{entry("A-1", "x"), false, 0, ErrCanceled},
		{entry("A-2", "x"), false, 2, nil},
		{entry("A-3", "x"), true, 4, nil},
	} {
		r, appended, err := f.add(t, f.owner, step.entry)
		if appended != step.appended || !errors.Is(err, step.err) || err == nil && r.Position != step.position {
			t.Errorf("step %d: appended %v at %d, error %v", i, appended, r.Position, err)
		}
	}
	previous := ""
	for i, r := range f.read(t, f.owner, Range{Most: 100, Documents: true}) {
		if r.Position != int64(i+1) || r.Previous != previous || string(r.Document) != "<"+r.Number+"/>" {
			t.Errorf("%d: %+v", i, r)
		}
		previous = r.Hash
	}
}

// TestAppend_ChainsAreApart ensures that account, mode, issuer and installation each have a chain of their own.
func TestAppend_ChainsAreApart(t *testing.T) {
	f := newFixture(t)
	live, other, second := f.owner, f.owner, f.owner
	live.Mode, other.Issuer, second.Installation = account.Live, "B87654321", "I-2"
	for i, o := range []Owner{f.owner, live, other, second} {
		f.hand.Add(time.Second)
		if r, appended, err := f.add(t, o, entry("A-1", fmt.Sprint(i))); err != nil || !appended || r.Position != 1 {
			t.Errorf("%+v: %+v %v", o, r, err)
		}
	}
	latest := f.owner
	latest.Installation = ""
	if c, err := f.Find(t.Context(), latest); err != nil || c.Installation != "I-2" {
		t.Errorf("without an installation: %+v %v", c, err)
	}
	nobody := f.owner
	nobody.Issuer = "A28015865"
	if _, err := f.Find(t.Context(), nobody); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// TestAppend_TimeNeverGoesBack ensures that a clock which is set back makes no record that is older than the one before.
func TestAppend_TimeNeverGoesBack(t *testing.T) {
	f := newFixture(t)
	first, _, _ := f.add(t, f.owner, entry("A-1", "x"))
	f.hand.Add(-time.Hour)
	second, _, err := f.add(t, f.owner, entry("A-2", "x"))
	if err != nil || second.Created != first.Created || second.Generated != first.Generated || first.Created%1000 != 0 {
		t.Errorf("%+v, then %+v, %v", first, second, err)
	}
}

// TestAppend_GoesWithItsTransaction ensures that what fails afterwards leaves no record, and no gap.
func TestAppend_GoesWithItsTransaction(t *testing.T) {
	f := newFixture(t)
	undone := errors.New("the rest has failed")
	err := f.db.Write(t.Context(), func(tx *db.Tx) error {
		_, _, err := f.Append(tx, f.owner, entry("A-1", "x"))
		return errors.Join(err, undone)
	})
	if !errors.Is(err, undone) {
		t.Fatal(err)
	}
	if r, _, err := f.add(t, f.owner, entry("A-2", "x")); err != nil || r.Position != 1 || r.Previous != "" {
		t.Errorf("%+v %v", r, err)
	}
}

// TestRead_Periods ensures which records a period has, and pages.
func TestRead_Periods(t *testing.T) {
	f := newFixture(t)
	start := f.hand.Now().Truncate(time.Second)
	for i := range 5 {
		if _, _, err := f.add(t, f.owner, entry(fmt.Sprint(i), "x")); err != nil {
			t.Fatal(err)
		}
		f.hand.Add(time.Hour)
	}
	after := func(hours int) time.Time { return start.Add(time.Duration(hours) * time.Hour) }
	for name, c := range map[string]struct {
		period Period
		page   Range
		want   string
	}{
		"all":              {Period{}, Range{Most: 9}, "01234"},
		"from":             {Period{From: after(1)}, Range{Most: 9}, "1234"},
		"to":               {Period{To: after(2)}, Range{Most: 9}, "01"},
		"both, a page":     {Period{From: start, To: after(4)}, Range{Most: 2, After: 1}, "12"},
		"before it all":    {Period{To: start}, Range{Most: 9}, ""},
		"an empty one":     {Period{From: after(2), To: after(2)}, Range{Most: 9}, ""},
		"within an hour":   {Period{From: start.Add(time.Second), To: after(1)}, Range{Most: 9}, ""},
		"from after it":    {Period{From: after(9)}, Range{Most: 9}, ""},
		"it is not over":   {Period{From: after(3), To: after(99)}, Range{Most: 9}, "34"},
		"behind it all":    {Period{}, Range{After: 5, Most: 9}, ""},
		"behind its end":   {Period{To: after(2)}, Range{After: 3, Most: 9}, ""},
		"before its start": {Period{From: after(3)}, Range{After: 1, Most: 9}, "34"},
	} {
		if got := f.numbers(t, c.period, c.page); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// numbers gives the numbers of the invoices in a page of a period, one behind the other.
func (f *fixture) numbers(t *testing.T, p Period, page Range) (numbers string) {
	t.Helper()
	found, err := f.Find(t.Context(), f.owner)
	if err != nil {
		t.Fatal(err)
	}
	asked, err := found.Within(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	asked.After, asked.Most = max(asked.After, page.After), page.Most
	for _, r := range f.read(t, f.owner, asked) {
		numbers += r.Number
		if r.Document != nil {
			t.Error("a document")
		}
	}
	return numbers
}

// TestAppend_Together appends from several processes at once to one chain: it has no gap and no fork, each record stands once, and every hash is right. Some
// of them say what others say, and some of the transactions fail after they have appended.
func TestAppend_Together(t *testing.T) {
	dbtest.EachConfig(t, func(t *testing.T, cfg db.Config) {
		f := fixtureOn(t, dbtest.Reopen(t, cfg))
		stores := []*Store{f.Store, New(f.hand, dbtest.Reopen(t, cfg)), New(f.hand, dbtest.Reopen(t, cfg))}
		total := concurrentAppends
		if testing.Short() {
			total = 300
		}
		var work sync.WaitGroup
		const workers = 24
		for w := range workers {
			work.Go(func() {
				for i := w; i < total; i += workers {
					appendOne(t, stores[i%len(stores)], f.owner, i)
				}
			})
		}
		work.Wait()
		checkChain(t, f, total)
	})
}

// concurrentAppends is how many invoices are appended together.
const concurrentAppends = 10_000

// appendOne appends an invoice until it stands; every seventh transaction fails at first.
func appendOne(t *testing.T, s *Store, o Owner, i int) {
	undone := errors.New("undone")
	for try := 0; ; try++ {
		err := s.db.Write(context.Background(), func(tx *db.Tx) error {
			_, _, err := s.Append(tx, o, entry(fmt.Sprintf("A-%d", i/2*2), "x")) // two say the same
			if err == nil && try == 0 && i%7 == 0 {
				return undone
			}
			return err
		})
		if err == nil {
			return
		}
		if !errors.Is(err, undone) {
			t.Errorf("%d: %v", i, err)
			return
		}
	}
}

func checkChain(t *testing.T, f *fixture, total int) {
	t.Helper()
	records := f.read(t, f.owner, Range{Most: total + 1})
	if len(records) != (total+1)/2 {
		t.Fatalf("%d records, want %d", len(records), (total+1)/2)
	}
	seen, previous := map[string]bool{}, ""
	for i, r := range records {
		if r.Position != int64(i+1) || r.Previous != previous || r.Hash != hashOf(previous, r.Number) || seen[r.Number] {
			t.Fatalf("record %d: %+v behind %s", i+1, r, previous)
		}
		seen[r.Number], previous = true, r.Hash
	}
}

// TestQueriesUseTheirIndexes ensures that appending to a long chain costs no more than to a short one.
func TestQueriesUseTheirIndexes(t *testing.T) {
	f := newFixture(t)
	dbtest.ReadsThrough(t, f.db, "chain_records_by_invoice", selectInvoice, "c", "n", "d")
}

// BenchmarkAppend appends to one chain, one transaction each.
func BenchmarkAppend(b *testing.B) {
	f := newFixture(b)
	i := 0
	for b.Loop() {
		if _, _, err := f.add(b, f.owner, entry(fmt.Sprint(i), "x")); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
