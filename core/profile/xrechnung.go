package profile

import (
	"slices"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// XRechnung is XRechnung 3.0 (KoSIT, specification 3.0.2), the German core invoice usage specification.
func XRechnung() *Profile {
	return New(Profile{
		Token:           "xrechnung",
		Country:         "DE",
		Specification:   "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0",
		Extension:       XRechnungExtension,
		BusinessProcess: "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0",
		TypeCodes:       []string{"326", "380", "381", "384", "389", "875", "876", "877"},
		TypeRule:        "BR-DE-17",
		Refused:         map[invoice.Type]string{invoice.TypeProforma: "XRechnung has no pro forma invoice; send it as pdf"},
		Steps: slices.Concat([]Step{businessProcess, buyerReference, germanMeansCode}, CommonSteps(),
			[]Step{smallBusiness, outsideScopeRate, constructionNotes, sellerIdentifier, sellerContact, termsSentence, retention, skonto}),
	})
}
