package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
)

// made gives a folder with a database, as a service that has stopped leaves it.
func made(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	database, err := db.Open(t.Context(), db.Config{Path: filepath.Join(dir, "einvoiced.db")})
	if err != nil {
		t.Fatal(err)
	}
	if err := database.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestOnlyTheServiceMakesStores ensures that every other command which works on a folder says, where there is nothing, what to do, and
// leaves nothing behind.
func TestOnlyTheServiceMakesStores(t *testing.T) {
	hint := "--data (EINVOICED_DATA) names the folder of a service; einvoiced serve makes it"
	for _, args := range [][]string{
		{"keys", "create"}, {"keys", "list"}, {"keys", "revoke", "key_1"},
		{"accounts", "create", "x"}, {"accounts", "list"}, {"accounts", "update", "acc_1", "--name", "x"},
		{"jobs", "list"}, {"jobs", "show", "job_1"}, {"jobs", "cancel", "job_1"}, {"jobs", "erase", "job_1"},
		{"backup", filepath.Join(t.TempDir(), "copy.db")},
	} {
		dir := filepath.Join(t.TempDir(), "data")
		stdout, stderr, code := run(t, "", append(args, "--data", dir)...)
		want := "einvoiced: no database at " + filepath.Join(dir, "einvoiced.db") + ": einvoiced has not kept anything there yet\nhint: " + hint + "\n"
		if code != exitUsage || stdout != "" || stderr != want {
			t.Errorf("%s: exit code %d\ngot  %swant %s", strings.Join(args, " "), code, stderr, want)
		}
		absent(t, dir)
	}
	dir := filepath.Join(t.TempDir(), "data")
	stdout, _, code := run(t, "", "doctor", "--data", dir)
	if code != exitInvalid || strings.Count(stdout, hint) != 3 { // disk, database, and what asks the database
		t.Errorf("doctor: exit code %d\n%s", code, stdout)
	}
	absent(t, dir)
}

func absent(t testing.TB, path string) {
	t.Helper()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("%s was made: %v", path, err)
	}
}

// TestJobs_NeedTheirDocuments ensures that no folder of documents is made beside a database that has its documents elsewhere.
func TestJobs_NeedTheirDocuments(t *testing.T) {
	dir := made(t)
	_, stderr, code := run(t, "", "jobs", "list", "--data", dir)
	if code != exitUsage || !strings.Contains(stderr, "hint: --s3 (EINVOICED_S3) or --data (EINVOICED_DATA) names where the service keeps its documents") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	absent(t, filepath.Join(dir, "blobs"))
}
