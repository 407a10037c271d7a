package api

import (
	"testing"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
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
	if err := f.database.Write(t.Context(), func(tx *db.Tx) error { return f.sends.Insert(tx, tr, []byte("<a/>")) }); err != nil {
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
