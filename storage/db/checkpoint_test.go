package db

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/einvoiced/einvoiced/internal/await"
)

// logOf asks SQLite how long the log is, and how much of it was moved.
func logOf(t *testing.T, d *DB) logState {
	t.Helper()
	state, err := checkpoint(file(d).moves.on, "NOOP")
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// writePages adds so many pages to the log.
func writePages(t *testing.T, d *DB, pages int) {
	t.Helper()
	err := d.Write(t.Context(), func(tx *Tx) error {
		return tx.Later("INSERT INTO pages (bytes) VALUES (zeroblob(?))", pages<<12)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// withPages opens a database for them.
func withPages(t *testing.T, dir string) *DB {
	t.Helper()
	d := open(t, dir)
	if err := d.Write(t.Context(), func(tx *Tx) error { return tx.Later("CREATE TABLE pages (bytes BLOB)") }); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestLogIsMovedBesideTheWriter ensures that the writer leaves the log alone, that it is moved once it is long enough, and that what was moved is what a
// process that opens the file then finds.
func TestLogIsMovedBesideTheWriter(t *testing.T) {
	dir := t.TempDir()
	d := withPages(t, dir)
	var pages int
	if err := file(d).writer.Get(&pages, "PRAGMA wal_autocheckpoint"); err != nil || pages != 0 {
		t.Fatalf("the writer moves every %d pages: %v", pages, err)
	}
	writePages(t, d, pagesToMove/2)
	writePages(t, d, pagesToMove)
	for logOf(t, d).Moved < pagesToMove {
		runtime.Gosched()
	}
	info, err := os.Stat(filepath.Join(dir, "test.db"))
	if err != nil || info.Size() < pagesToMove<<12 {
		t.Errorf("the database has %v bytes: %v", info, err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	var sizes []int
	if err := open(t, dir).Select(t.Context(), &sizes, "SELECT length(bytes) FROM pages ORDER BY 1"); err != nil || fmt.Sprint(sizes) != fmt.Sprint([]int{pagesToMove / 2 << 12, pagesToMove << 12}) {
		t.Errorf("found %v: %v", sizes, err)
	}
}

// TestLogThatIsTooLongBeginsAnew ensures that a database which is always written to keeps its log short.
func TestLogThatIsTooLongBeginsAnew(t *testing.T) {
	d := withPages(t, t.TempDir())
	longest := int64(0)
	for begun := false; !begun; {
		writePages(t, d, pagesToMove/4)
		now := logOf(t, d).Pages
		begun = now < longest
		if longest = max(longest, now); longest > 4*pagesTooLong {
			t.Fatalf("the log has %d pages", longest)
		}
	}
}

// TestLogBeginsAnewWhereADiskIsFull ensures that a log which is not too long, but takes what room there is, does not keep the disk full.
func TestLogBeginsAnewWhereADiskIsFull(t *testing.T) {
	dir := t.TempDir()
	d := withPages(t, dir)
	for range 6 {
		writePages(t, d, pagesToMove/2)
	}
	var most int
	if err := file(d).writer.Get(&most, "PRAGMA max_page_count = 1"); err != nil { // as many as there are
		t.Fatal(err)
	}
	long := logOf(t, d).Pages
	if err := d.Write(t.Context(), func(tx *Tx) error { return tx.Later("INSERT INTO pages (bytes) VALUES (zeroblob(1000000))") }); err == nil {
		t.Fatal("a megabyte went into a full database")
	}
	await.True(t, "the log begins anew, as soon as nobody else is moving it", func() bool {
		if err := d.Write(t.Context(), func(tx *Tx) error { return tx.Later("DELETE FROM pages") }); err != nil {
			t.Fatal(err)
		}
		return logOf(t, d).Pages < long
	})
	info, err := os.Stat(filepath.Join(dir, "test.db-wal"))
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > pagesToMove<<12+4096 {
		t.Errorf("the log has %d bytes", info.Size())
	}
}
