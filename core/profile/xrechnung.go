package profile

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// XRechnung is XRechnung 3.0 (KoSIT, specification 3.0.2), the German core invoice usage specification.
func XRechnung() *Profile { return New(xrechnung()) }

// XRechnungCII is XRechnung 3.0 on CII D16B, which has room for one preceding invoice (BG-3).
func XRechnungCII() *Profile {
	p := xrechnung()
	p.Steps = append(p.Steps, onePrecedingInvoice)
	return New(p)
}

func xrechnung() Profile {
	return Profile{
		Token:                "xrechnung",
		Country:              "DE",
		Specification:        "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0",
		Extension:            XRechnungExtension,
		BusinessProcess:      "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0",
		TypeCodes:            []string{"326", "380", "381", "384", "389", "875", "876", "877"},
		TypeRule:             "BR-DE-17",
		Enforced:             []string{"BR-DE-1", "BR-DE-15", "BR-DE-17", "BR-16", "BR-CO-10", "BR-CO-13", "BR-S-08", "BR-CL-10", "BR-61", "BR-CL-23"}, // contract
		ExtensionAttachments: []string{"application/xml"},                                                                                              // BR-DEX-01
		Refused:              map[invoice.Type]string{invoice.TypeProforma: "XRechnung has no pro forma invoice; send it as pdf"},
		Steps: slices.Concat([]Step{businessProcess, buyerReference, germanMeansCode}, CommonSteps(),
			[]Step{vatAddresses, smallBusiness, outsideScopeRate, constructionNotes, sellerIdentifier, sellerContact, termsSentence, retention, skonto}),
	}
}

// onePrecedingInvoice leaves the first preceding invoice (BG-3).
var onePrecedingInvoice = Step{
	Name: "one preceding invoice",
	Derive: func(d *Draft) {
		if all := d.Invoice.ReferencedInvoices; len(all) > 1 {
			const field = "referencedInvoices[1]"
			d.warn(finding.FieldNotWritten, d.Original(field), "%s and what follows it is not written: XRechnung in CII has one preceding invoice (BG-3)", d.Original(field))
			d.Invoice.ReferencedInvoices = all[:1]
		}
	},
}
