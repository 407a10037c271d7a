package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/peppol"
)

// sendable is a request to send the least that can be sent, which is not judged.
const sendable = `{"xml":"<Invoice xmlns='urn:oasis:names:specification:ubl:schema:xsd:Invoice-2'><CustomizationID>urn:cen.eu:en16931:2017</CustomizationID><ID>1</ID>` +
	`<AccountingSupplierParty><Party><PostalAddress><Country><IdentificationCode>DE</IdentificationCode></Country></PostalAddress></Party></AccountingSupplierParty></Invoice>",` +
	`"recipient":{"peppolId":"0088:2"},"sender":{"peppolId":"0088:1"},"validate":false}`

// configurable are settings of a provider.
const configurable = `{"provider":{"url":"https://ap.example/messages"}}`

// newTransmission gives a transmission of the key full that no job sends; failed or queued.
func (f *fixture) newTransmission(t testing.TB, failed bool) string {
	t.Helper()
	key := must(f.accounts.Verify(t.Context(), f.keys["full"]))(t)
	tr := peppol.Transmission{ID: f.sends.NewID(), Account: key.AccountID, Mode: account.Test, JobID: "job_none", Sender: "0088:1", Recipient: "0088:2", Created: f.sends.Now()}
	tr.MessageID = tr.ID
	document := must(f.sends.Keep(t.Context(), tr.Account, tr.ID, []byte("<a/>")))(t)
	if err := f.database.Write(t.Context(), func(tx *db.Tx) error { return f.sends.Insert(tx, tr, document) }); err != nil {
		t.Fatal(err)
	}
	if failed {
		a := must(f.sends.Begin(t.Context(), tr.ID, "job_none", 1))(t)
		if err := f.sends.Settle(t.Context(), a, peppol.Outcome{State: peppol.Failed, Code: "PEPPOL_SEND_FAILED", Reason: "no"}); err != nil {
			t.Fatal(err)
		}
	}
	return tr.ID
}

// failingJobs accept nothing.
type failingJobs struct {
	Jobs
	err error
}

func (f failingJobs) Accept(context.Context, ledger.NewJob) (ledger.Job, error) {
	return ledger.Job{}, f.err
}

// TestSend_LeavesNoDocumentThatWasNotAccepted ensures that a large document goes where its send is not accepted, and stays where nobody knows.
func TestSend_LeavesNoDocumentThatWasNotAccepted(t *testing.T) {
	for _, c := range []struct {
		err  error
		left int
	}{{errors.New("full"), 0}, {fmt.Errorf("commit: %w", db.ErrInDoubt), 1}} {
		f := newFixture(t, Config{}, func(d *Deps) { d.Jobs = failingJobs{d.Jobs, c.err} })
		document := strings.Replace(sendable, "<ID>1</ID>", "<ID>1</ID><Note>"+strings.Repeat("x", 64<<10)+"</Note>", 1)
		if r := f.ask(t, "full", "POST", "/api/v1/peppol/send", document); r.status < 500 {
			t.Errorf("%v: status %d: %s", c.err, r.status, r.body)
		}
		n := 0
		if err := f.blobs.List(t.Context(), "", func(blob.Object) error { n++; return nil }); err != nil || n != c.left {
			t.Errorf("%v: %d blobs are left, want %d; %v", c.err, n, c.left, err)
		}
	}
}
