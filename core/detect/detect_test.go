package detect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/einvoiced/einvoiced/core/catalogue"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
)

const (
	ublInvoice = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
	ublCredit  = "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2"
	ciiInvoice = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
	core       = "urn:cen.eu:en16931:2017"
)

// ubl is a UBL invoice with these identifiers and a seller in the country; what is empty is left out.
func ubl(specification, process, country string) string {
	return fmt.Sprintf(`<Invoice xmlns=%q>%s%s%s</Invoice>`, ublInvoice, element("CustomizationID", specification), element("ProfileID", process),
		wrapped("AccountingSupplierParty/Party/PostalAddress/Country", element("IdentificationCode", country)))
}

// specificationForm is the element of ubl or cii with the specification identifier.
var specificationForm = regexp.MustCompile(`(?:CustomizationID|GuidelineSpecifiedDocumentContextParameter[^>]*><[^>]*\bID)[^>]*>([^<]+)<`)

// specificationIn gives the specification identifier that stands in a document of ubl or cii.
func specificationIn(text string) string {
	if found := specificationForm.FindStringSubmatch(text); found != nil {
		return strings.TrimSpace(found[1])
	}
	return ""
}

// cii is a CII invoice with this guideline and a seller in the country.
func cii(guideline, country string) string {
	return fmt.Sprintf(`<CrossIndustryInvoice xmlns=%q>%s%s</CrossIndustryInvoice>`, ciiInvoice,
		wrapped("ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter", element("ID", guideline)),
		wrapped("SupplyChainTradeTransaction/ApplicableHeaderTradeAgreement/SellerTradeParty/PostalTradeAddress", element("CountryID", country)))
}

func element(name, text string) string {
	if text == "" {
		return ""
	}
	return "<" + name + ">" + text + "</" + name + ">"
}

func wrapped(path, content string) string {
	steps := strings.Split(path, "/")
	for _, step := range slices.Backward(steps) {
		content = element(step, content)
	}
	return content
}

// formats gives the formats that ship.
func formats(t *testing.T) *format.Catalogue {
	t.Helper()
	c, err := catalogue.New()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func detected(t *testing.T, text string) Result {
	t.Helper()
	doc, err := xmltree.Parse([]byte(text), xmltree.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return Document(formats(t), doc)
}

// TestEachDocumentIsDetected has every detection id that an XML document can have, with the ways of the country.
func TestEachDocumentIsDetected(t *testing.T) {
	xr := core + "#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
	peppol := core + "#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
	cases := []struct {
		name, text string
		want       Result
	}{
		{"XRechnung in UBL", ubl(xr, "", "FR"), Result{Format: "XRECHNUNG_UBL", Syntax: "ubl", Token: "xrechnung", Told: format.Told{Version: "3.0"}, Country: "DE", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"its extension", ubl(xr+"#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0", "", ""),
			Result{Format: "XRECHNUNG_UBL", Syntax: "ubl", Token: "xrechnung", Told: format.Told{Version: "3.0"}, Country: "DE", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"an older XRechnung", ubl(core+"#compliant#urn:xoev-de:kosit:standard:xrechnung_2.3", "", ""),
			Result{Format: "XRECHNUNG_UBL", Syntax: "ubl", Token: "xrechnung", Told: format.Told{Version: "2.3"}, Country: "DE", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"XRechnung in CII", cii(xr, ""), Result{Format: "XRECHNUNG_CII", Syntax: "cii", Token: "xrechnung", Told: format.Told{Version: "3.0"}, Country: "DE", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"Peppol BIS", ubl(peppol, "", "se"), Result{Format: "PEPPOL_BIS_UBL", Syntax: "ubl", Told: format.Told{Version: "3.0"}, Token: "ubl", Country: "SE", Confidence: 100, Method: ByCustomizationID, CountrySource: FromDocument}},
		{"Peppol BIS of a country that is not served", ubl(peppol, "", "US"), Result{Format: "PEPPOL_BIS_UBL", Syntax: "ubl", Told: format.Told{Version: "3.0"}, Token: "ubl", Confidence: 100, Method: ByCustomizationID, CountrySource: Unknown}},
		{"Peppol self-billing", ubl(core+"#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0", "", "NO"),
			Result{Format: "PEPPOL_BIS_UBL", Syntax: "ubl", Told: format.Told{Version: "3.0", Variant: "self-billing"}, Token: "ubl", Country: "NO", Confidence: 100, Method: ByCustomizationID, CountrySource: FromDocument}},
		{"Peppol with a suffix that nobody knows", ubl(peppol+"#conformant#urn:example:own", "", "NO"),
			Result{Format: "PEPPOL_BIS_UBL", Syntax: "ubl", Told: format.Told{Version: "3.0", Unknown: "urn:example:own"}, Token: "ubl", Country: "NO", Confidence: 90, Method: ByCustomizationID, CountrySource: FromDocument}},
		{"Peppol by its process", ubl("", "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0", "FI"),
			Result{Format: "PEPPOL_BIS_UBL", Syntax: "ubl", Token: "ubl", Country: "FI", Confidence: 80, Method: ByProfileID, CountrySource: FromDocument, Process: "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"}},
		{"PINT AE", ubl("urn:peppol:pint:billing-1@ae-1", "", ""), Result{Format: "PINT_AE", Syntax: "ubl", Told: format.Told{Version: "1"}, Token: "ubl", Country: "AE", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"PINT AE self-billing", ubl("urn:peppol:pint:selfbilling-1@ae-1", "", ""), Result{Format: "PINT_AE", Syntax: "ubl", Told: format.Told{Version: "1", Variant: "self-billing"}, Token: "ubl", Country: "AE", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"PINT A-NZ of a seller", ubl("urn:peppol:pint:billing-1@aunz-1", "", "NZ"), Result{Format: "PINT_ANZ", Syntax: "ubl", Told: format.Told{Version: "1"}, Token: "ubl", Country: "NZ", Confidence: 100, Method: ByCustomizationID, CountrySource: FromDocument}},
		{"PINT A-NZ of nobody", ubl("urn:peppol:pint:billing-1@aunz-1", "", ""),
			Result{Format: "PINT_ANZ", Syntax: "ubl", Told: format.Told{Version: "1"}, Token: "ubl", Confidence: 100, Method: ByCustomizationID, CountrySource: Unknown, Alternatives: []string{"AU", "NZ"}}},
		{"PINT JP", ubl("urn:peppol:pint:billing-1@jp-1", "", ""), Result{Format: "PINT_JP", Syntax: "ubl", Told: format.Told{Version: "1"}, Token: "ubl", Country: "JP", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"PINT JP, not registered", ubl("urn:peppol:pint:nontaxinvoice-1@jp-1", "", ""), Result{Format: "PINT_JP", Syntax: "ubl", Told: format.Told{Version: "1", Variant: "non-tax"}, Token: "ubl", Country: "JP", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"PINT OM", ubl("urn:peppol:pint:selfbilling-1@om-1", "", ""), Result{Format: "PINT_OM", Syntax: "ubl", Told: format.Told{Version: "1", Variant: "self-billing"}, Token: "ubl", Country: "OM", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"CIUS-PT", ubl(core+"#compliant#urn:feap.gov.pt:CIUS-PT:2.1.1", "", ""), Result{Format: "CIUS_PT", Syntax: "ubl", Told: format.Told{Version: "2.1.1"}, Token: "ubl", Country: "PT", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"CIUS-RO", ubl(core+"#compliant#urn:efactura.mfinante.ro:CIUS-RO:1.0.1", "", ""), Result{Format: "CIUS_RO", Syntax: "ubl", Told: format.Told{Version: "1.0.1"}, Token: "ubl", Country: "RO", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"NLCIUS", ubl(core+"#compliant#urn:fdc:nen.nl:nlcius:v1.0", "", ""), Result{Format: "CIUS_NL", Syntax: "ubl", Told: format.Told{Version: "1.0"}, Token: "ubl", Country: "NL", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"NLCIUS in CII", cii(core+"#compliant#urn:fdc:nen.nl:nlcius:v1.0", ""), Result{Format: "CII", Syntax: "cii", Told: format.Told{Version: "1.0", Family: "NLCIUS"}, Token: "cii", Country: "NL", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"CIUS-SK, for which no identifier is published", ubl(core+"#compliant#urn:sk:cius-sk:1.0", "", "SK"), Result{Format: "UBL", Syntax: "ubl",
			Told: format.Told{Unknown: "urn:sk:cius-sk:1.0"}, Token: "ubl", Country: "SK", Confidence: 85, Method: ByCustomizationID, CountrySource: FromDocument}},
		{"HR-FISK", ubl(core+"#compliant#urn:mfin.gov.hr:cius-2025:1.0#conformant#urn:mfin.gov.hr:ext-2025:1.0", "", ""),
			Result{Format: "HR_FISK", Syntax: "ubl", Told: format.Told{Version: "1.0"}, Token: "hr-fisk", Country: "HR", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"G-account", ubl(core+"#compliant#urn:fdc:nen.nl:nlcius:v1.0#conformant#urn:fdc:nen.nl:gaccount:v1.0", "", "NL"), Result{Format: "CIUS_NL", Syntax: "ubl",
			Told: format.Told{Version: "1.0", Variant: "G-account"}, Token: "ubl", Country: "NL", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"UBL.BE", ubl(core+"#conformant#urn:UBL.BE:1.0.0.20180214", "", "SE"), Result{Format: "UBL", Syntax: "ubl", Told: format.Told{Version: "1.0.0.20180214", Family: "UBL.BE"},
			Token: "ubl", Country: "BE", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"the French extension", cii(core+"#conformant#urn.cpro.gouv.fr:1p0:extended-ctc-fr", ""), Result{Format: "CII", Syntax: "cii", Told: format.Told{Family: "EXTENDED-CTC-FR"},
			Token: "cii", Country: "FR", Confidence: 100, Method: ByCustomizationID, CountrySource: FromFormat}},
		{"Peppol by its process, with an identifier that nobody knows", ubl("X", "urn:fdc:peppol.eu:2017:poacc:selfbilling:01:1.0", "FI"), Result{Format: "PEPPOL_BIS_UBL",
			Syntax: "ubl", Told: format.Told{Unknown: "X"}, Token: "ubl", Country: "FI", Confidence: 70, Method: ByProfileID, CountrySource: FromDocument, Process: "urn:fdc:peppol.eu:2017:poacc:selfbilling:01:1.0"}},
		{"EN 16931 in UBL", ubl(" "+core+"\n", "urn:own", "AT"), Result{Format: "UBL", Syntax: "ubl", Token: "ubl", Country: "AT", Confidence: 95, Method: ByCustomizationID, CountrySource: FromDocument, Process: "urn:own"}},
		{"an unknown customisation", ubl(core+"#conformant#urn:example:own", "", "BE"), Result{Format: "UBL", Syntax: "ubl", Told: format.Told{Unknown: "urn:example:own"}, Token: "ubl", Country: "BE", Confidence: 85, Method: ByCustomizationID, CountrySource: FromDocument}},
		{"an identifier that says nothing", ubl("X", "", ""), Result{Format: "UBL", Syntax: "ubl", Told: format.Told{Unknown: "X"}, Token: "ubl", Confidence: 70, Method: ByNamespace, CountrySource: Unknown}},
		{"UBL without identifiers", ubl("", "", "GR"), Result{Format: "UBL", Syntax: "ubl", Token: "ubl", Country: "GR", Confidence: 80, Method: ByNamespace, CountrySource: FromDocument}},
		{"a credit note", `<CreditNote xmlns="` + ublCredit + `"/>`, Result{Format: "UBL", Syntax: "ubl", Token: "ubl", Confidence: 80, Method: ByNamespace, CountrySource: Unknown}},
		{"EN 16931 in CII", cii(core, "DE"), Result{Format: "CII", Syntax: "cii", Token: "cii", Country: "DE", Confidence: 95, Method: ByCustomizationID, CountrySource: FromDocument}},
		{"Factur-X by prefix", cii("urn:factur-x.eu:1p0:anything", "FR"), Result{Format: "CII", Syntax: "cii", Told: format.Told{Unknown: "urn:factur-x.eu:1p0:anything"}, Token: "cii", Country: "FR", Confidence: 85, Method: ByCustomizationID, CountrySource: FromDocument}},
		{"ZUGFeRD MINIMUM", cii("urn:zugferd.de:2p0:minimum", "CH"), Result{Format: "ZUGFERD_MINIMUM", Syntax: "cii", Token: "zugferd", Country: "CH", Confidence: 100, Method: ByProfileID, CountrySource: FromDocument}},
		{"ZUGFeRD EXTENDED", cii(core+"#conformant#urn:factur-x.eu:1p0:extended", "DE"), Result{Format: "ZUGFERD_EXTENDED", Syntax: "cii", Token: "zugferd", Country: "DE", Confidence: 100, Method: ByProfileID, CountrySource: FromDocument}},
		{"ZUGFeRD from Austria", cii(core+"#conformant#urn:factur-x.eu:1p0:extended", "AT"), Result{Format: "ZUGFERD_EXTENDED", Syntax: "cii", Token: "cii", Country: "AT", Confidence: 100, Method: ByProfileID, CountrySource: FromDocument}},
		{"Factur-X BASIC", cii(core+"#compliant#urn:factur-x.eu:1p0:basic", "BE"), Result{Format: "FACTURX_BASIC", Syntax: "cii", Token: "facturx", Country: "BE", Confidence: 100, Method: ByProfileID, CountrySource: FromDocument}},
		{"CII without guideline", cii("", ""), Result{Format: "CII", Syntax: "cii", Token: "cii", Confidence: 80, Method: ByNamespace, CountrySource: Unknown}},
		{"ebInterface", `<Invoice xmlns="http://www.ebinterface.at/schema/6p1/"/>`, Result{Format: "EBINTERFACE_6_1", Syntax: "ebinterface", Told: format.Told{Version: "6.1"}, Token: "ebinterface", Country: "AT", Confidence: 90, Method: ByNamespace, CountrySource: FromFormat}},
		{"FatturaPA", `<FatturaElettronica xmlns="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"/>`, Result{Format: "FATTURAPA", Syntax: "fatturapa", Told: format.Told{Version: "1.2"}, Token: "fatturapa", Country: "IT", Confidence: 90, Method: ByNamespace, CountrySource: FromFormat}},
		{"Facturae", `<Facturae xmlns="http://www.facturae.gob.es/formato/Versiones/Facturaev3_2_2.xml"/>`, Result{Format: "FACTURAE", Syntax: "facturae", Told: format.Told{Version: "3.2.2"}, Token: "facturae", Country: "ES", Confidence: 90, Method: ByNamespace, CountrySource: FromFormat}},
		{"an older ebInterface", `<Invoice xmlns="http://www.ebinterface.at/schema/5p0/"/>`, Result{Format: "EBINTERFACE_5_0", Syntax: "ebinterface", Told: format.Told{Version: "5.0"},
			Token: "ebinterface", Country: "AT", Confidence: 90, Method: ByNamespace, CountrySource: FromFormat}},
		{"an ebInterface that nobody knows", `<Invoice xmlns="http://www.ebinterface.at/schema/7p0/"/>`, Result{Format: "EBINTERFACE_6_1", Syntax: "ebinterface",
			Told: format.Told{Unknown: "7p0/"}, Token: "ebinterface", Country: "AT", Confidence: 60, Method: ByNamespace, CountrySource: FromFormat}},
		{"simplified FatturaPA", `<FatturaElettronicaSemplificata xmlns="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.0"/>`, Result{Format: "FATTURAPA", Syntax: "fatturapa",
			Told: format.Told{Version: "simplified 1.0"}, Token: "fatturapa", Country: "IT", Confidence: 90, Method: ByNamespace, CountrySource: FromFormat}},
		{"FA(2)", `<Faktura xmlns="http://crd.gov.pl/wzor/2023/06/29/12648/"/>`, Result{Format: "KSEF_FA2", Syntax: "ksef", Told: format.Told{Version: "FA(2)"}, Token: "ksef",
			Country: "PL", Confidence: 90, Method: ByNamespace, CountrySource: FromFormat}},
		{"ISDOC with its version", `<i:Invoice xmlns:i="http://isdoc.cz/namespace/2013" version="6.0.2"/>`, Result{Format: "ISDOC", Syntax: "isdoc", Told: format.Told{Version: "6.0.2"},
			Token: "isdoc", Country: "CZ", Confidence: 90, Method: ByNamespace, CountrySource: FromFormat}},
		{"ISDOC", `<Invoice xmlns="http://isdoc.cz/namespace/2013"/>`, Result{Format: "ISDOC", Syntax: "isdoc", Token: "isdoc", Country: "CZ", Confidence: 90, Method: ByNamespace, CountrySource: FromFormat}},
		{"NAV", `<InvoiceData xmlns="http://schemas.nav.gov.hu/OSA/3.0/data"/>`, Result{Format: "NAV", Syntax: "nav", Told: format.Told{Version: "3.0"}, Token: "nav", Country: "HU", Confidence: 90, Method: ByNamespace, CountrySource: FromFormat}},
		{"myDATA", `<InvoicesDoc xmlns="http://www.aade.gr/myDATA/invoice/v1.0"/>`, Result{Format: "MYDATA", Syntax: "mydata", Told: format.Told{Version: "1.0"}, Token: "mydata", Country: "GR", Confidence: 90, Method: ByNamespace, CountrySource: FromFormat}},
		{"KSeF", `<Faktura xmlns="http://crd.gov.pl/wzor/2025/06/25/13775/"/>`, Result{Format: "KSEF_FA3", Syntax: "ksef", Told: format.Told{Version: "FA(3)"}, Token: "ksef", Country: "PL", Confidence: 90, Method: ByNamespace, CountrySource: FromFormat}},
		{"nothing known", `<Invoice/>`, Result{Method: ByRootElement, CountrySource: Unknown}},
		{"a known name in another namespace", `<CrossIndustryInvoice xmlns="urn:x"/>`, Result{Method: ByRootElement, CountrySource: Unknown}},
	}
	reached := map[string]bool{}
	for _, c := range cases {
		got := detected(t, c.text)
		reached[got.Format] = true
		c.want.Specification = specificationIn(c.text)
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(Result{}, "Customisation")); diff != "" {
			t.Errorf("%s:\n%s", c.name, diff)
		}
		if row := formats(t).Detected(got.Format); got.Format != "" && (row == nil || row.Token != got.Token && got.Token != got.Syntax) {
			t.Errorf("%s: the token of %s is %+v, want %q", c.name, got.Format, row, got.Token)
		}
		checkToken(t, c.name, got)
	}
	for _, id := range detectionIDs {
		if !reached[id] {
			t.Errorf("no document is detected as %s", id)
		}
	}
}

// detectionIDs are those of the supplement §2 that an XML document can have; CIUS_SK has no identifier yet.
var detectionIDs = strings.Fields("XRECHNUNG_UBL XRECHNUNG_CII PEPPOL_BIS_UBL PINT_AE PINT_ANZ PINT_JP PINT_OM CIUS_PT CIUS_RO CIUS_NL HR_FISK EBINTERFACE_6_1 " +
	"FATTURAPA FACTURAE ISDOC NAV MYDATA KSEF_FA3 UBL CII")

// checkToken holds that the country has the token under which its document is parsed.
func checkToken(t *testing.T, name string, r Result) {
	t.Helper()
	if r.Country == "" {
		return
	}
	country, ok := formats(t).Country(r.Country)
	if !ok || !country.Has(r.Token) {
		t.Errorf("%s: %s does not have the token %s", name, r.Country, r.Token)
	}
}

func TestTokensOfWhatIsNoXMLDocument(t *testing.T) {
	for id, want := range map[string]string{"ZUGFERD_EN16931": "zugferd", "ZUGFERD_BASIC_WL": "zugferd", "FACTURX_EXTENDED": "facturx", "QR_BILL": "qr-bill"} {
		if row := formats(t).Detected(id); row == nil || row.Token != want {
			t.Errorf("%s: %+v", id, row)
		}
	}
	for _, id := range []string{"", "PDF", "ubl"} {
		if row := formats(t).Detected(id); row != nil {
			t.Errorf("%q has the token %q", id, row.Token)
		}
	}
}

func TestSniffTellsWhatBytesLookLike(t *testing.T) {
	cases := map[string]string{
		"<a/>": LooksXML, "\xEF\xBB\xBF \r\n<a/>": LooksXML, "\xFF\xFE<\x00a\x00": LooksXML, "\xFE\xFF\x00<\x00a": LooksXML, "\x00<\x00a": LooksXML,
		"%PDF-1.7": LooksPDF, "junk\n%PDF-1.4": LooksPDF, strings.Repeat(" ", 1019) + "%PDF-": LooksPDF, strings.Repeat(" ", 1020) + "%PDF-": LooksElse,
		"": LooksElse, "SPC\r\n0200": LooksElse, "PK\x03\x04": LooksElse, "{}": LooksElse, " \n": LooksElse,
	}
	for data, want := range cases {
		if got := Sniff([]byte(data)); got != want {
			t.Errorf("%.20q looks like %q, want %q", data, got, want)
		}
	}
}
