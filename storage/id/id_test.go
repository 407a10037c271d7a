package id

import (
	"regexp"
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

// TestUUIDsSortByTimeAndDiffer ensures version, variant and order (RFC 9562).
func TestUUIDsSortByTimeAndDiffer(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	before := ""
	for range 2000 {
		made := NewUUID(at)
		if !form.MatchString(made) || made <= before {
			t.Fatalf("%s behind %s", made, before)
		}
		before, at = made, at.Add(time.Microsecond)
	}
}
