package db

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// childFolder names the variable that makes this test program write to a database there, for others to watch.
const childFolder = "EINVOICED_TEST_POWER_CHILD"

const (
	powerWriters = 8
	powerWrites  = 20     // of each writer
	powerBytes   = 24_000 // of each write: enough for the log to be folded into the file under way
)

// powerName is what the write with the id stores; it fills pages, so that a torn one shows.
func powerName(id string) string { return strings.Repeat(id+" ", powerBytes/len(id)) }

// writeAsChild writes to a database and says of each write that it was acknowledged, with one system call.
func writeAsChild(dir string) error {
	d, err := Open(context.Background(), Config{Path: filepath.Join(dir, "data", "test.db"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	var writers sync.WaitGroup
	for w := range powerWriters {
		writers.Go(func() {
			for i := range powerWrites {
				id := fmt.Sprintf("%d-%d", w, i)
				err := d.Write(context.Background(), func(tx *Tx) error {
					_, err := tx.Exec("INSERT INTO accounts (id, name, created) VALUES (?, ?, 1)", id, powerName(id))
					return err
				})
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				os.Stdout.WriteString(ackPrefix + id + "\n")
			}
		})
	}
	writers.Wait()
	return d.Close()
}

// TestPowerCutLosesNothingThatWasAcknowledged records what a writing process asks of the operating system, and rebuilds for 100
// moments what a disk may hold if the power goes then: what was synced, and of the rest nothing, everything, or any sectors of it,
// whatever their order. Each time every acknowledged write is there, and the file is whole.
func TestPowerCutLosesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Log("strace is not installed: this is tested where it is")
		return
	}
	dir := t.TempDir()
	if out, err := exec.Command(strace, "-o", filepath.Join(dir, "try"), "true").CombinedOutput(); err != nil {
		t.Logf("strace may not watch processes here: this is tested where it may: %v\n%s", err, out)
		return
	}
	cmd := exec.Command(strace, "-f", "-y", "-xx", "-s", "1000000", "-e", "signal=none",
		"-e", "trace=openat,pwrite64,write,fsync,fdatasync,ftruncate,unlink,unlinkat,mkdirat", "-o", filepath.Join(dir, "trace"), os.Args[0])
	cmd.Env = append(os.Environ(), childFolder+"="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	trace := readTrace(t, filepath.Join(dir, "trace"), dir)
	cuts := 100
	if testing.Short() {
		cuts = 25
	}
	random := rand.New(rand.NewPCG(1, uint64(len(trace.events))))
	folded := 0
	for i := range cuts {
		disk := trace.cut(random.IntN(trace.end), []survival{none, all, sectors}[i%3], random)
		if disk.write(t, filepath.Join(t.TempDir(), "after")) {
			folded++
		}
	}
	if folded == 0 {
		t.Error("no cut came after the log was folded into the file: the test writes too little")
	}
}

// write puts the files into a folder and checks what a process that starts there finds. It tells whether the main file has grown
// beyond the schema.
func (d disk) write(t *testing.T, dir string) (folded bool) {
	t.Helper()
	for name, data := range d.files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "data", "test.db")
	after, err := Open(t.Context(), Config{Path: path, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Errorf("cut at %s: %v", d.moment, err)
		return false
	}
	defer after.Close()
	var verdict string
	if err := after.Get(t.Context(), &verdict, "PRAGMA integrity_check"); err != nil || verdict != "ok" {
		t.Errorf("cut at %s: %v, %s", d.moment, err, verdict)
	}
	rows := []struct{ ID, Name string }{}
	if err := after.Select(t.Context(), &rows, "SELECT id, name FROM accounts"); err != nil {
		t.Errorf("cut at %s: %v", d.moment, err)
	}
	there := map[string]bool{}
	for _, r := range rows {
		there[r.ID] = r.Name == powerName(r.ID)
	}
	for _, id := range d.acknowledged {
		if !there[id] {
			t.Errorf("cut at %s: write %s was acknowledged and is lost", d.moment, id)
		}
	}
	return len(d.files[filepath.Join("data", "test.db")]) > 1<<20
}
