package catalogue

import "github.com/einvoiced/einvoiced/core/format"

// The specification identifiers of variants that no format of the contract writes.
const (
	ublBE       = core + "#conformant#urn:UBL.BE:1.0.0.20180214"
	extendedCTC = core + "#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr"
	gAccount    = nlcius + "#conformant#urn:fdc:nen.nl:gaccount:v1.0"
	billCVD     = core + "#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9"
)

// variants are customisations whose documents keep the detection id of their syntax, and name their country: UBL.BE of Belgium, and the
// extension of EN 16931 for the French reform (AFNOR XP Z12-012).
func variants() []format.Customisation {
	return []format.Customisation{
		{Token: "ubl", Syntax: "ubl", Detection: "UBL", Country: "BE", Contains: "urn:ubl.be:", Specification: ublBE},
		{Token: "ubl", Syntax: "ubl", Detection: "UBL", Country: "FR", Contains: "cpro.gouv.fr:1p0:extended-ctc-fr", Specification: extendedCTC},
		{Token: "cii", Syntax: "cii", Detection: "CII", Country: "FR", Contains: "cpro.gouv.fr:1p0:extended-ctc-fr", Specification: extendedCTC},
	}
}

// versions are what identifiers tell of version and variant, by what they contain; the first that fits counts.
var versions = []format.Version{
	{Contains: "kosit:xrechnung:cvd", Family: "XRechnung", After: "xrechnung_", Specification: billCVD},
	{Contains: "kosit:xrechnung", Family: "XRechnung", After: "xrechnung_"},
	{Contains: "kosit:standard:xrechnung", Family: "XRechnung", After: "xrechnung_"},
	{Contains: "fdc:nen.nl:gaccount", Family: "NLCIUS", Variant: "G-account", After: "gaccount:v", Specification: gAccount},
	{Contains: "fdc:nen.nl:nlcius", Family: "NLCIUS", After: "nlcius:v"},
	{Contains: "poacc:selfbilling", Family: "Peppol BIS", Variant: "self-billing", After: "selfbilling:"},
	{Contains: "poacc:billing", Family: "Peppol BIS", After: "billing:"},
	{Contains: "peppol:pint:selfbilling-", Family: "PINT", Variant: "self-billing", After: "selfbilling-"},
	{Contains: "peppol:pint:nontaxinvoice-", Family: "PINT", Variant: "non-tax", After: "nontaxinvoice-"},
	{Contains: "peppol:pint:billing-", Family: "PINT", After: "billing-"},
	{Contains: "feap.gov.pt:cius-pt", Family: "CIUS-PT", After: "cius-pt:"},
	{Contains: "mfinante.ro:cius-ro", Family: "CIUS-RO", After: "cius-ro:"},
	{Contains: "mfin.gov.hr:cius", Family: "HR-FISK", After: "cius-2025:"},
	{Contains: "urn:ubl.be:", Family: "UBL.BE", After: "ubl.be:"},
	{Contains: "cpro.gouv.fr:1p0:extended-ctc-fr", Family: "EXTENDED-CTC-FR"},
}
