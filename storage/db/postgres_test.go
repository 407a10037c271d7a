package db_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
)

// TestLanguageOfTheDatabaseChangesNoOrder ensures that a database whose texts sort as people expect keeps the order of bytes, in
// which ids sort by time, also in columns of tables that were there before.
func TestLanguageOfTheDatabaseChangesNoOrder(t *testing.T) {
	server := os.Getenv(dbtest.Variable)
	if server == "" {
		return
	}
	name := "test_" + strings.ToLower(rand.Text())
	dbtest.Admin(t, server, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'")
	t.Cleanup(func() { dbtest.Admin(t, server, "DROP DATABASE "+name) })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	cfg := db.Config{URL: u.String()}
	if _, err := db.MigrateTo(t.Context(), cfg, 2, "INSERT INTO accounts (id, name, created) VALUES ('b', '', 1), ('B', '', 1), ('a', '', 1), ('_', '', 1)"); err != nil {
		t.Fatal(err)
	}
	d := dbtest.Reopen(t, cfg)
	var ids []string
	if err := d.Select(t.Context(), &ids, "SELECT id FROM accounts ORDER BY id"); err != nil || strings.Join(ids, "") != "B_ab" {
		t.Errorf("order %q, error %v", ids, err)
	}
	var others []string
	if err := d.Select(t.Context(), &others, `SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'`); err != nil || len(others) > 0 {
		t.Errorf("of another order are %q, error %v", others, err)
	}
}

// TestServerThatDoesNotAnswerIsGivenUp ensures that a connection which is silent costs a try and not the write.
func TestServerThatDoesNotAnswerIsGivenUp(t *testing.T) {
	cluster := newCluster(t, func(cfg *db.Config) { cfg.Timeout = 300 * time.Millisecond })
	if cluster == nil {
		return
	}
	release := make(chan struct{})
	free := sync.OnceFunc(func() { close(release) })
	defer free()
	cluster.onCommit(func(*link) error {
		<-release
		return errCut
	})
	if err := cluster.add(t.Context(), "a"); err != nil || cluster.ran.Load() != 2 {
		t.Errorf("error %v after %d tries", err, cluster.ran.Load())
	}
	free()
	if n := count(t, cluster.direct, "a"); n != 1 {
		t.Errorf("the entry is there %d times", n)
	}
}

func TestWrongServerOrPasswordIsToldAtOnce(t *testing.T) {
	server := os.Getenv(dbtest.Variable)
	if server == "" {
		return
	}
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(){
		"no such database": func() { u.Path = "/nowhere" },
		"no such user":     func() { u.User = url.UserPassword("nobody", "hunter2") },
		"nobody there":     func() { u.Host = "127.0.0.1:1" },
		"no URL":           func() { u.Scheme = "http" },
	} {
		change()
		d, err := db.Open(t.Context(), db.Config{URL: u.String()})
		if err == nil {
			t.Errorf("%s: opened", name)
			d.Close()
		} else if strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the error tells the password: %v", name, err)
		}
	}
}

// TestHealthDoesNotWaitBehindWork ensures that a busy database is not taken for a sick one.
func TestHealthDoesNotWaitBehindWork(t *testing.T) {
	dbtest.EachConfig(t, func(t *testing.T, cfg db.Config) {
		cfg.Writers, cfg.Readers = 1, 1
		d := dbtest.Reopen(t, cfg)
		begun, free, done := make(chan struct{}), make(chan struct{}), make(chan error)
		go func() {
			done <- d.Write(context.Background(), func(*db.Tx) error {
				close(begun)
				<-free
				return nil
			})
		}()
		<-begun
		healthy := d.Health(t.Context())
		close(free)
		if err := errors.Join(healthy, <-done); err != nil {
			t.Error(err)
		}
	})
}

// TestServerGivesUpWhoIsCutOff ensures that the server is told when to end what a process that is cut off has left: one that is silent in a
// transaction after 30 s, and one that does not answer after 25 s, of which PostgreSQL waits 10 and asks three times, each 5 s.
func TestServerGivesUpWhoIsCutOff(t *testing.T) {
	server := os.Getenv(dbtest.Variable)
	if server == "" {
		return
	}
	d := dbtest.Reopen(t, dbtest.PostgreSQL(t, server))
	for name, want := range map[string]string{
		"statement_timeout": "30s", "idle_in_transaction_session_timeout": "30s",
		"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3",
	} {
		var got string
		err := d.Write(t.Context(), func(tx *db.Tx) error { return tx.Get(&got, "SELECT current_setting(?)", name) })
		if err != nil || got != want {
			t.Errorf("%s: %q, want %q, error %v", name, got, want, err)
		}
	}
}

// TestConnectionsAreSharedByAccount ensures that an account whose transactions take long leaves a connection to those of another that has written lately.
func TestConnectionsAreSharedByAccount(t *testing.T) {
	server := os.Getenv(dbtest.Variable)
	if server == "" {
		return
	}
	cfg := dbtest.PostgreSQL(t, server)
	cfg.Writers = 4
	d := dbtest.Reopen(t, cfg)
	add := func(account, name string, wait func()) error {
		return d.Write(db.ByAccount(t.Context(), account), func(tx *db.Tx) error {
			_, err := tx.Exec("INSERT INTO accounts (id, name, created) VALUES (?, ?, 1)", name, name)
			wait()
			return err
		})
	}
	if err := add("other", "before", func() {}); err != nil {
		t.Fatal(err)
	}
	begun, free := make(chan struct{}, 40), make(chan struct{})
	var writers sync.WaitGroup
	for i := range 40 {
		writers.Go(func() {
			if err := add("many", fmt.Sprint(i), func() { begun <- struct{}{}; <-free }); err != nil {
				t.Error(err)
			}
		})
	}
	for range cfg.Writers - 1 {
		<-begun
	}
	if err := add("other", "beside", func() {}); err != nil {
		t.Error(err)
	}
	select {
	case <-begun:
		t.Error("the account has all connections")
	default:
	}
	close(free)
	writers.Wait()
}
