package ledger

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/einvoiced/einvoiced/storage/blob"
)

// signing is a store that signs.
type signing struct {
	blob.Store
	err error
}

// SignedURL tells what was asked.
func (s signing) SignedURL(_ context.Context, key, filename, mimeType string, ttl time.Duration) (string, error) {
	return "https://store.example/" + key + "?" + filename + "&" + mimeType + "&" + ttl.String(), s.err
}

// TestArtifactIsLinkedWhereTheStoreSigns ensures that only artifacts which are blobs have an address of their own, and only where the
// store gives one.
func TestArtifactIsLinkedWhereTheStoreSigns(t *testing.T) {
	f := newFixture(t)
	large := Job{ID: "job_1", Account: "acc_1", Run: 2, Artifact: &Artifact{"re.xml", "application/xml", blob.Info{Size: mostSmall + 1}}}
	small := large
	small.Artifact = &Artifact{"re.xml", "application/xml", blob.Info{Size: mostSmall}}
	if url, err := f.ArtifactURL(t.Context(), large, time.Minute); url != "" || err != nil {
		t.Errorf("a folder: %q, %v", url, err)
	}
	f.Ledger.blobs = signing{Store: f.blobs}
	for name, c := range map[string]struct {
		job  Job
		want string
	}{
		"large":   {large, "https://store.example/acc_1/job_1/2/artifact?re.xml&application/xml&1m0s"},
		"small":   {small, ""},
		"without": {Job{ID: "job_1"}, ""},
	} {
		if url, err := f.ArtifactURL(t.Context(), c.job, time.Minute); url != c.want || err != nil {
			t.Errorf("%s: %q, %v", name, url, err)
		}
	}
	f.Ledger.blobs = signing{Store: f.blobs, err: errors.New("no key")}
	if _, err := f.ArtifactURL(t.Context(), large, time.Minute); err == nil {
		t.Error("a failure is not told")
	}
}
