package catalogue

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/format/cii"
	"github.com/einvoiced/einvoiced/core/profile"
)

// The specification identifiers (BT-24) as the publishers of the customisations give them.
const (
	core      = "urn:cen.eu:en16931:2017"
	peppolBIS = profile.PeppolBilling
	selfBIS   = profile.PeppolSelfBilling
	ciusPT    = profile.CIUSPT
	ciusRO    = profile.CIUSRO
	nlcius    = core + "#compliant#urn:fdc:nen.nl:nlcius:v1.0"
	hrCIUS    = profile.CroatianCIUS
)

// customisations are all rows. Those that nothing in a document tells come first; of the others a document is of the first that it
// names.
func customisations() []format.Customisation {
	rows := []format.Customisation{
		{Token: "ubl", Syntax: "ubl", Detection: "UBL", Specification: core},
		{Token: "cii", Syntax: "cii", Detection: "CII", Specification: core},
		{Token: "qr-bill", Syntax: "qr-bill", Detection: "QR_BILL", Alternatives: []string{"CH", "LI"}, Steps: profile.QRBill()},
	}
	rows = append(rows, xrechnung()...)
	families := families()
	for _, row := range families {
		row.Syntax = "ubl"
		rows = append(rows, row)
	}
	rows = append(rows,
		format.Customisation{Token: "peppol-ubl", Syntax: "ubl", Sole: true, Detection: "PEPPOL_BIS_UBL", Specification: peppolBIS,
			Steps: profile.PeppolBIS("peppol-ubl"), Takes: profile.NotSelfBilled},
		format.Customisation{Token: "peppol-ubl", Syntax: "ubl", Sole: true, Detection: "PEPPOL_BIS_UBL", Specification: selfBIS,
			Steps: profile.PeppolSelfBilled("peppol-ubl"), Takes: profile.SelfBilled},
		format.Customisation{Token: "efactura", Syntax: "ubl", Country: "RO", Detection: "CIUS_RO", Sole: true, Specification: ciusRO, Steps: profile.Romania()})
	for _, row := range families {
		row.Syntax, row.Token, row.Detection, row.Specification, row.Process, row.Alternatives, row.Sole = "cii", "cii", "CII", "", "", nil, false
		row.Steps, row.Takes = nil, nil
		rows = append(rows, row)
	}
	return slices.Concat(rows, variants(), hybrids(), nationalCustomisations())
}

// xrechnung is XRechnung in both syntaxes, under the identifiers of KoSIT and of its predecessor.
func xrechnung() []format.Customisation {
	steps := profile.XRechnung()
	row := format.Customisation{Token: "xrechnung", Country: "DE", Sole: true, Specification: steps.Specification}
	ubl, inCII := row, row
	ubl.Syntax, ubl.Detection, ubl.Steps = "ubl", "XRECHNUNG_UBL", steps
	inCII.Syntax, inCII.Detection, inCII.Steps = "cii", "XRECHNUNG_CII", profile.XRechnungCII()
	var rows []format.Customisation
	for _, contains := range []string{"xeinkauf.de:kosit:xrechnung", "xoev-de:kosit:standard:xrechnung"} {
		ubl.Contains, inCII.Contains = contains, contains
		rows = append(rows, ubl, inCII)
	}
	return rows
}

// families are the customisations of EN 16931 and PINT with what their identifiers contain. CII has no detection ids of its own for
// them.
func families() []format.Customisation {
	return []format.Customisation{
		{Token: "ubl", Detection: "PINT_AE", Sole: true, Country: "AE", Contains: "urn:peppol:pint:billing-1@ae", Specification: profile.PintAE,
			Steps: profile.Emirates(), Takes: profile.NotSelfBilled},
		{Token: "ubl", Detection: "PINT_AE", Sole: true, Country: "AE", Contains: "urn:peppol:pint:selfbilling-1@ae", Specification: profile.PintAESelfBilling,
			Steps: profile.EmiratesSelfBilled(), Takes: profile.SelfBilled},
		{Token: "ubl", Detection: "PINT_ANZ", Sole: true, Alternatives: []string{"AU", "NZ"}, Contains: "urn:peppol:pint:billing-1@aunz-1", Specification: profile.PintANZ,
			Steps: profile.Tasman(), Takes: profile.NotSelfBilled},
		{Token: "ubl", Detection: "PINT_ANZ", Sole: true, Alternatives: []string{"AU", "NZ"}, Contains: "@aunz-1", Specification: profile.PintANZSelfBilling,
			Steps: profile.TasmanSelfBilled(), Takes: profile.SelfBilled},
		{Token: "ubl", Detection: "PINT_JP", Sole: true, Country: "JP", Contains: "urn:peppol:pint:billing-1@jp-1", Specification: profile.PintJP,
			Steps: profile.Japan(), Takes: profile.TaxRegistered},
		{Token: "ubl", Detection: "PINT_JP", Sole: true, Country: "JP", Contains: "urn:peppol:pint:nontaxinvoice-1@jp-1", Specification: profile.PintJPNonTax,
			Steps: profile.JapanNonTax(), Takes: profile.NotTaxRegistered},
		{Token: "ubl", Detection: "PINT_JP", Sole: true, Country: "JP", Contains: "urn:peppol:pint:selfbilling-1@jp-1", Specification: profile.PintJPSelfBilling,
			Steps: profile.JapanSelfBilled(), Takes: profile.SelfBilled},
		{Token: "ubl", Detection: "PINT_JP", Sole: true, Country: "JP", Contains: "@jp-1", Specification: profile.PintJP},
		{Token: "ubl", Detection: "PINT_JP", Sole: true, Country: "JP", Contains: "@jp-ntr-1", Specification: profile.PintJPNonTax},
		{Token: "ubl", Detection: "PINT_OM", Sole: true, Country: "OM", Contains: "urn:peppol:pint:billing-1@om-1", Specification: profile.PintOM,
			Steps: profile.Oman(), Takes: profile.NotSelfBilled},
		{Token: "ubl", Detection: "PINT_OM", Sole: true, Country: "OM", Contains: "@om-1", Specification: profile.PintOMSelfBilling,
			Steps: profile.OmanSelfBilled(), Takes: profile.SelfBilled},
		{Token: "ubl", Detection: "CIUS_PT", Sole: true, Country: "PT", Contains: "feap.gov.pt:cius-pt", Specification: ciusPT, Steps: profile.Portugal()},
		{Token: "ubl", Detection: "CIUS_RO", Sole: true, Country: "RO", Contains: "mfinante.ro:cius-ro", Specification: ciusRO, Steps: profile.Romania()},
		{Token: "ubl", Detection: "CIUS_NL", Country: "NL", Contains: "fdc:nen.nl:nlcius", Specification: nlcius,
			Steps: profile.NLCIUS("ubl"), Takes: profile.Dutch},
		{Token: "hr-fisk", Detection: "HR_FISK", Sole: true, Country: "HR", Contains: "mfin.gov.hr:cius", Specification: hrCIUS, Steps: profile.Fiskalizacija()},
		{Token: "ubl", Detection: "CIUS_SK", Country: "SK"}, // no identifier is published: nothing is detected as it
		{Token: "ubl", Detection: "PEPPOL_BIS_UBL", Contains: "fdc:peppol.eu:2017:poacc:billing", Process: "urn:fdc:peppol.eu:2017:poacc:billing:", Specification: peppolBIS,
			Steps: profile.PeppolBIS("ubl"), Takes: profile.NotSelfBilled},
		{Token: "ubl", Detection: "PEPPOL_BIS_UBL", Contains: "fdc:peppol.eu:2017:poacc:selfbilling", Process: "urn:fdc:peppol.eu:2017:poacc:selfbilling:",
			Specification: selfBIS, Steps: profile.PeppolSelfBilled("ubl"), Takes: profile.SelfBilled},
	}
}

// guidelines begin the last part of the specification identifiers of Factur-X and ZUGFeRD 2, which goes on with the profile.
var guidelines = []string{"urn:factur-x.eu:1p0:", "urn:zugferd.de:2p0:"}

// profiles are those of Factur-X and ZUGFeRD: as their identifiers name them, as formatOptions and detection ids do. That of EN 16931
// usually has the identifier of the standard, which any CII invoice may have.
var profiles = []struct{ guideline, name string }{
	{"minimum", "MINIMUM"}, {"basicwl", "BASIC_WL"}, {"basic", "BASIC"}, {"en16931", "EN16931"}, {"extended", "EXTENDED"},
}

// hybrids are the invoices in CII that a PDF carries. ZUGFeRD and Factur-X share identifiers; sellers in France and Belgium make it
// Factur-X (supplement §1b, identity of hybrids).
func hybrids() []format.Customisation {
	var rows []format.Customisation
	for _, p := range profiles {
		row := format.Customisation{Syntax: "cii", Profile: p.name, Carrier: "pdf", Specification: specificationOf(p.name)}
		for _, g := range guidelines {
			row.Ends = append(row.Ends, strings.TrimPrefix(g, "urn:")+p.guideline) // after urn: or, in documents of 2018, compliant:
		}
		row.Editions = editions[p.name]
		french, other := row, row
		if row.Editions != nil {
			french.Steps, other.Steps = steps("facturx", p.name), steps("zugferd", p.name)
		}
		french.Token, french.Detection, french.Sellers = "facturx", "FACTURX_"+p.name, []string{"FR", "BE"}
		other.Token, other.Detection = "zugferd", "ZUGFERD_"+p.name
		rows = append(rows, french, other)
	}
	return rows
}

// editions are those of the CII table that each profile which is written has in the versions of ZUGFeRD and Factur-X.
var editions = map[string]map[string]string{
	"BASIC":   {"": cii.Basic},
	"EN16931": {"": cii.EN16931},
	"EXTENDED": {"2.3": cii.Extended107, "1.0": cii.Extended107, "1.07": cii.Extended107, "2.4": cii.Extended108, "1.08": cii.Extended108,
		"2.5": cii.Extended, "1.09": cii.Extended},
}

// steps are those by which an invoice becomes a document of a profile.
func steps(token, name string) *profile.Profile {
	if name == "EXTENDED" {
		return profile.ExtendedHybrid(token, specificationOf(name))
	}
	return profile.Hybrid(token, specificationOf(name))
}

// specificationOf is the specification identifier of a profile of Factur-X 1.0 and ZUGFeRD 2 (Factur-X 1.09, chapter 7.1).
func specificationOf(profile string) string {
	guideline := guidelines[0] + strings.ReplaceAll(strings.ToLower(profile), "_", "")
	switch profile {
	case "BASIC":
		return core + "#compliant#" + guideline
	case "EN16931":
		return core
	case "EXTENDED":
		return core + "#conformant#" + guideline
	}
	return guideline
}
