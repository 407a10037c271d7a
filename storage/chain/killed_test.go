package chain

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// appender is the variable that makes the tests of this package a process which appends: the database, the account and the first invoice.
const appender = "EINVOICED_TEST_APPENDER"

// appendAlone appends invoices until it is killed, and tells of each that stands.
func appendAlone(told string) error {
	at, rest, _ := strings.Cut(told, " ")
	accountID, from, _ := strings.Cut(rest, " ")
	cfg := db.Config{Path: at, Logger: slog.New(slog.DiscardHandler)}
	if strings.Contains(at, "://") {
		cfg.URL, cfg.Path, cfg.Writers = at, "", 4
	}
	database, err := db.Open(context.Background(), cfg)
	if err != nil {
		return err
	}
	s := New(clock.System{}, database)
	first, _ := strconv.Atoi(from)
	for i := first; ; i++ {
		number := fmt.Sprintf("A-%d", i)
		err := database.Write(context.Background(), func(tx *db.Tx) error {
			_, _, err := s.Append(tx, Owner{Account: accountID, Mode: account.Test, Issuer: "B12345674", Installation: "I-1"}, entry(number, "x"))
			return err
		})
		if err != nil {
			return err
		}
		fmt.Println(number)
	}
}

// TestAppend_ProcessesAreKilled lets processes append to one chain and kills them in the middle, one after another: what they have told of stands, once, and
// the chain has neither a gap nor a fork.
func TestAppend_ProcessesAreKilled(t *testing.T) {
	dbtest.EachConfig(t, func(t *testing.T, cfg db.Config) {
		f := &fixture{db: dbtest.Reopen(t, cfg)}
		f.Store = New(nil, f.db)
		accounts, err := account.New(account.Config{}, f.db)
		if err != nil {
			t.Fatal(err)
		}
		one, err := accounts.CreateAccount(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		f.owner = Owner{Account: one.ID, Mode: account.Test, Issuer: "B12345674", Installation: "I-1"}
		told := make(chan string, 1<<16)
		ended := make(chan struct{})
		const processes = 10
		for p := range processes {
			go func() {
				defer func() { ended <- struct{}{} }()
				killOne(t, cfg, fmt.Sprintf("%s %d", one.ID, 1_000_000*p), 20+7*p, told)
			}()
		}
		for range processes {
			<-ended
		}
		close(told)
		checkKilled(t, f, told)
	})
}

// killOne starts a process and kills it as soon as it has told of so many invoices, while it appends the next.
func killOne(t *testing.T, cfg db.Config, rest string, many int, told chan<- string) {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), appender+"="+cfg.Path+cfg.URL+" "+rest)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Error(err)
		return
	}
	watch := time.AfterFunc(2*time.Minute, func() { _ = c.Process.Kill() })
	defer watch.Stop()
	n := 0
	for lines := bufio.NewScanner(out); lines.Scan(); n++ {
		told <- lines.Text()
		if n+1 == many {
			_ = c.Process.Kill()
		}
	}
	_ = c.Wait() // it was killed
	if n < many {
		t.Errorf("a process told of %d invoices, want %d", n, many)
	}
}

func checkKilled(t *testing.T, f *fixture, told <-chan string) {
	t.Helper()
	records := f.read(t, f.owner, Range{Most: 1 << 20})
	at, previous := map[string]int64{}, ""
	for i, r := range records {
		if r.Position != int64(i+1) || r.Previous != previous || r.Hash != hashOf(previous, r.Number) || at[r.Number] != 0 {
			t.Fatalf("record %d: %+v behind %s", i+1, r, previous)
		}
		at[r.Number], previous = r.Position, r.Hash
	}
	n := 0
	for number := range told {
		n++
		if at[number] == 0 {
			t.Errorf("%s was told of and does not stand", number)
		}
	}
	t.Logf("%d records, %d told of", len(records), n)
}
