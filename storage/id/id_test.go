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
		earlierPart, laterPart := rapid.Int64Range(0, 999_999).Draw(t, "part"), rapid.Int64Range(0, 999_999).Draw(t, "part of the later")
		a, b := New("job", time.UnixMilli(earlier).Add(time.Duration(earlierPart))), New("job", time.UnixMilli(later).Add(time.Duration(laterPart)))
		if (earlier < later || earlier == later && earlierPart+16 <= laterPart) && a >= b || a == b {
			t.Fatalf("%d ms %d ns gives %s, %d ms %d ns gives %s", earlier, earlierPart, a, later, laterPart, b)
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
