package id

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestIDsSortByTimeAndDiffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		earlier := rapid.Int64Range(0, 1<<47).Draw(t, "earlier")
		later := earlier + rapid.Int64Range(0, 1<<40).Draw(t, "by")
		a, b := New("job", time.UnixMilli(earlier)), New("job", time.UnixMilli(later))
		if earlier < later && a >= b || a == b {
			t.Fatalf("%d gives %s, %d gives %s", earlier, a, later, b)
		}
		if !Valid("job", a) || Valid("key", a) {
			t.Fatalf("%s: valid as job %t, as key %t", a, Valid("job", a), Valid("key", a))
		}
	})
}

func TestValidRefusesOtherForms(t *testing.T) {
	good := New("job", time.UnixMilli(1))
	for _, s := range []string{
		"", "job_", good[:len(good)-1], good + "0", strings.ToUpper(good), "key" + good[3:], "job-" + good[4:], good[:len(good)-1] + "u", good[:len(good)-1] + "/",
	} {
		if Valid("job", s) {
			t.Errorf("%q counts as a job's id", s)
		}
	}
}
