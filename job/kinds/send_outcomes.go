package kinds

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	core "github.com/einvoiced/einvoiced/core/peppol"
	"github.com/einvoiced/einvoiced/storage/peppol"
)

// TestOutcomes are what comes of sends with test keys, by the end of the recipient's id. Any other recipient gets the document.
var TestOutcomes = []struct {
	Ending  string
	Outcome peppol.Outcome
}{
	{"-unknown", peppol.Outcome{State: peppol.Failed, Code: finding.PeppolRecipientUnknown, Reason: "The recipient is not registered in the network (test mode)"}},
	{"-unsupported", peppol.Outcome{State: peppol.Failed, Code: finding.PeppolDocumentUnsupported, Reason: "The recipient does not take this document type in this process (test mode)"}},
	{"-failed", peppol.Outcome{State: peppol.Failed, Code: finding.PeppolSendFailed, Reason: "The recipient's access point has refused the message (test mode)"}},
	{"-sent", peppol.Outcome{State: peppol.Sent, Reason: "handed over; the receipt does not come (test mode)"}},
	{"-retried", peppol.Outcome{}},
}

// testOutcome is what comes of an attempt with a test key: the same each time, without a network.
func testOutcome(a peppol.Attempt) (peppol.Outcome, error) {
	for _, t := range TestOutcomes {
		if !strings.HasSuffix(a.Recipient, t.Ending) {
			continue
		}
		switch {
		case t.Outcome.State != "":
			return t.Outcome, nil
		case a.Tries == 1:
			return peppol.Outcome{}, &SendFault{Message: "no answer came (test mode)"}
		}
	}
	return peppol.Outcome{State: peppol.Delivered, Reason: "the receipt came (test mode)", Receipt: "test:" + a.MessageID}, nil
}

// TestEntry is what a look-up with a test key tells: of a recipient whose id ends in -unknown that it is not registered, of any other that it
// takes Peppol BIS Billing. The error is core.ErrUnregistered.
func TestEntry(p core.Participant) (core.Entry, error) {
	if strings.HasSuffix(p.ID, "-unknown") {
		return core.Entry{}, core.ErrUnregistered
	}
	entry := core.Entry{SMP: "https://smp.test.invalid"}
	for _, local := range []string{"Invoice", "CreditNote"} {
		entry.DocumentTypes = append(entry.DocumentTypes, core.DocumentType{Scheme: core.DocumentScheme,
			Value: "urn:oasis:names:specification:ubl:schema:xsd:" + local + "-2::" + local + "##urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0::2.1"})
	}
	return entry, nil
}
