package subprocess

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestFilter ensures that the output of a program is given, within its bound, and that what it died of is told.
func TestFilter(t *testing.T) {
	t.Setenv("SECRET", "secret")
	for _, test := range []struct {
		name, script, want string
		err                error
	}{
		{"output", "tr a-z A-Z", "TEXT", nil},
		{"nothing", "cat >/dev/null", "", nil},
		{"as much as there may be", "cat; printf 345678", "text345678", nil},
		{"too much", "cat; cat /dev/zero", "", ErrOutput},
		{"a failure", "echo what it was >&2; exit 3", "", ErrDied},
		{"secrets", "printf \"$SECRET\"", "", nil},
	} {
		got, err := Filter(t.Context(), []string{"sh", "-c", test.script}, []byte("text"), 10)
		if !errors.Is(err, test.err) || string(got) != test.want || test.err == ErrDied && !strings.Contains(err.Error(), "what it was") {
			t.Errorf("%s: %q, %v", test.name, got, err)
		}
	}
}

// TestFilter_EndsWithItsContext ensures that a program which does not end is killed, and why is told.
func TestFilter_EndsWithItsContext(t *testing.T) {
	enough := errors.New("enough")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, enough)
	defer cancel()
	if _, err := Filter(ctx, []string{"sh", "-c", "cat >/dev/null; while :; do :; done"}, []byte("text"), 10); !errors.Is(err, enough) {
		t.Errorf("%v", err)
	}
}
