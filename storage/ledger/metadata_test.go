package ledger

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/storage/account"
)

// pairs makes n pairs of metadata.
func pairs(n int) map[string]string {
	metadata := map[string]string{}
	for i := range n {
		metadata[fmt.Sprint("key ", i)] = "Größe \"1\" <€>"
	}
	return metadata
}

func TestMetadataComesBack(t *testing.T) {
	f := newFixture(t)
	for name, metadata := range map[string]map[string]string{
		"none": nil, "sixteen pairs": pairs(16), "an empty value": {"a": ""},
		"the longest": {strings.Repeat("é", 40): strings.Repeat("€", 500)},
	} {
		n := f.newJob("x")
		n.Metadata, n.Announce = metadata, true
		job, err := f.Accept(t.Context(), n)
		do(t, err)
		if got := f.get(t, job); cmp.Diff(metadata, got.Metadata) != "" || !got.Announce {
			t.Errorf("%s: came back as %q, announced %t", name, got.Metadata, got.Announce)
		}
	}
	w, err := f.AcceptBatch(t.Context(), NewBatch{f.account, account.Test})
	do(t, err)
	n := f.newJob("x")
	n.Metadata, n.Announce = pairs(2), true
	jobID, err := w.Add(t.Context(), n)
	do(t, err)
	b, err := w.Commit(t.Context())
	do(t, err)
	got := f.get(t, Job{ID: jobID, Account: f.account, Mode: account.Test})
	if cmp.Diff(pairs(2), got.Metadata) != "" || !got.Announce || got.Batch != b.ID {
		t.Errorf("job of a batch: %+v", got)
	}
}

func TestMetadataIsChecked(t *testing.T) {
	f := newFixture(t)
	for name, metadata := range map[string]map[string]string{
		"seventeen pairs": pairs(17), "an empty key": {"": "x"}, "a long key": {strings.Repeat("é", 41): "x"},
		"a long value": {"a": strings.Repeat("€", 501)}, "no text": {"a": "\xff"}, "a key that is no text": {"\xff": "x"},
	} {
		n := f.newJob("x")
		n.Metadata = metadata
		if _, err := f.Accept(t.Context(), n); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: error %v, want ErrInvalid", name, err)
		}
	}
}
