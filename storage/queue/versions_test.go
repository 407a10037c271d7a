package queue

import (
	"strconv"
	"testing"
)

// TestInside_ForgetsTasksThatAreDone ensures that the server inside keeps nothing of keys that are gone, however many there were, and all of those
// that are there.
func TestInside_ForgetsTasksThatAreDone(t *testing.T) {
	in := startInside()
	defer in.close()
	if err := in.server.Set("kept", "value"); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * keptVersions {
		key := "task:" + strconv.Itoa(i)
		in.server.HSet(key, "state", "pending")
		in.server.Del(key)
	}
	kept := func() (n int) {
		in.server.Lock()
		defer in.server.Unlock()
		for _, counts := range versionsOf(in.server) {
			n += len(*counts)
		}
		return n
	}
	if n := kept(); n < 2*keptVersions {
		t.Fatalf("the server keeps %d counts: these are no longer what grows", n)
	}
	forgetVersions(in.server)
	if n := kept(); n > 0 {
		t.Errorf("%d counts are kept", n)
	}
	if value, err := in.server.Get("kept"); err != nil || value != "value" {
		t.Errorf("%q, %v", value, err)
	}
}
