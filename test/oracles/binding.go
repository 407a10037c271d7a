package oracles

import (
	"fmt"
	"slices"
	"strings"
)

// A binding says which official artefacts judge a document, and which levels the publisher changes for it.
type binding struct {
	Root          string           // namespace and name of the root element
	Specification string           // specification identifier (BT-24); empty matches any
	Folders       []string         // of goldens whose version the document does not tell; none matches any
	Sets          []ruleSet        // in order
	Elsewhere     string           // name in fetchedSets of the schema that judges alone and that no package registry has; empty where Sets judge
	Levels        map[string]Level // changed levels by rule id
}

// A ruleSet is one schema or one rule file of an official release.
type ruleSet struct {
	Name    string // as written to the list of verdicts
	Version string
	Layer   string // coordinate and resource, as the judge takes them
}

const (
	ublInvoice    = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2 Invoice"
	ublCreditNote = "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2 CreditNote"

	ebInterface = "http://www.ebinterface.at/schema/6p1/ Invoice"

	cii = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100 CrossIndustryInvoice"

	xrechnung          = "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
	xrechnungExtension = xrechnung + "#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0"
	peppolBIS          = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0"
	peppolSelfBilling  = "urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:selfbilling:3.0"
	nlcius             = "urn:cen.eu:en16931:2017#compliant#urn:fdc:nen.nl:nlcius:v1.0"
	ciusPT             = "urn:cen.eu:en16931:2017#compliant#urn:feap.gov.pt:CIUS-PT:2.1.1"
	ciusRO             = "urn:cen.eu:en16931:2017#compliant#urn:efactura.mfinante.ro:CIUS-RO:1.0.1"
	xrechnungCVD       = xrechnung + "#compliant#urn:xeinkauf.de:kosit:xrechnung:cvd_0.9"
)

var (
	xsdInvoice    = ruleSet{"ubl-invoice-xsd", "2.1", "eu.cen.en16931:ubl:1.3.16#UBL-Invoice-2.1.xsd"}
	xsdCreditNote = ruleSet{"ubl-creditnote-xsd", "2.1", "eu.cen.en16931:ubl-creditnote:1.3.16#UBL-CreditNote-2.1.xsd"}
	cenInvoice    = ruleSet{"en16931-ubl", "1.3.16", "eu.cen.en16931:ubl:1.3.16#EN16931-UBL"}
	cenCreditNote = ruleSet{"en16931-ubl", "1.3.16", "eu.cen.en16931:ubl-creditnote:1.3.16#EN16931-UBL"}
	deInvoice     = ruleSet{"xrechnung-ubl", "3.0.2", "de.xrechnung:ubl-invoice:3.0.2#XRechnung-UBL"}
	deCreditNote  = ruleSet{"xrechnung-ubl", "3.0.2", "de.xrechnung:ubl-creditnote:3.0.2#XRechnung-UBL"}
	xsdCII        = ruleSet{"cii-xsd", "D16B", "eu.cen.en16931:cii:1.3.16#CrossIndustryInvoice"}
	cenCII        = ruleSet{"en16931-cii", "1.3.16", "eu.cen.en16931:cii:1.3.16#EN16931-CII"}
	deCII         = ruleSet{"xrechnung-cii", "3.0.2", "de.xrechnung:cii:3.0.2#XRechnung-CII"}
)

// bindings is searched from the top. The levels are those of scenarios.xml of KoSIT's validator configuration for XRechnung
// 3.0.2: element customLevel of each scenario.
var bindings = []binding{
	{Root: ublInvoice, Specification: xrechnung, Sets: []ruleSet{xsdInvoice, cenInvoice, deInvoice},
		Levels: map[string]Level{"BR-CL-21": Warning, "BR-CL-23": Warning, "UBL-CR-646": Fatal}},
	{Root: ublCreditNote, Specification: xrechnung, Sets: []ruleSet{xsdCreditNote, cenCreditNote, deCreditNote},
		Levels: map[string]Level{"BR-CL-21": Warning, "BR-CL-23": Warning}},
	{Root: ublInvoice, Specification: xrechnungExtension, Sets: []ruleSet{xsdInvoice, cenInvoice, deInvoice},
		Levels: map[string]Level{"BR-CL-23": Warning, "BR-CL-10": Information, "BR-CL-11": Information, "BR-CL-21": Information,
			"BR-CL-24": Information, "BR-CL-25": Information, "BR-CL-26": Information, "BR-CO-16": Information,
			"UBL-CR-470": Information, "UBL-CR-646": Information}},
	{Root: ublInvoice, Specification: xrechnungCVD, Sets: []ruleSet{xsdInvoice, cenInvoice, deInvoice},
		Levels: map[string]Level{"BR-CL-13": Information, "BR-CL-21": Warning, "BR-CL-23": Warning, "UBL-CR-646": Fatal}},
	{Root: ublCreditNote, Specification: xrechnungCVD, Sets: []ruleSet{xsdCreditNote, cenCreditNote, deCreditNote},
		Levels: map[string]Level{"BR-CL-13": Information, "BR-CL-21": Warning, "BR-CL-23": Warning, "UBL-CR-646": Fatal}},
	{Root: cii, Specification: xrechnung, Sets: []ruleSet{xsdCII, cenCII, deCII},
		Levels: map[string]Level{"BR-CL-21": Warning, "BR-CL-23": Warning, "CII-SR-452": Fatal, "CII-SR-453": Fatal, "CII-SR-454": Fatal}},
	{Root: cii, Specification: xrechnungExtension, Sets: []ruleSet{xsdCII, cenCII, deCII},
		Levels: map[string]Level{"BR-CL-23": Warning, "BR-CL-10": Information, "BR-CL-11": Information, "BR-CL-21": Information,
			"BR-CL-24": Information, "BR-CL-25": Information, "BR-CL-26": Information,
			"CII-SR-452": Fatal, "CII-SR-453": Fatal, "CII-SR-454": Fatal}},
	{Root: ublInvoice, Specification: peppolBIS, Sets: peppol(xsdInvoice, "invoice", "peppol-bis", "PEPPOL-EN16931-UBL.")},
	{Root: ublCreditNote, Specification: peppolBIS, Sets: peppol(xsdCreditNote, "creditnote", "peppol-bis", "PEPPOL-EN16931-UBL.")},
	{Root: ublInvoice, Specification: peppolSelfBilling, Sets: peppol(xsdInvoice, "invoice-self-billing", "peppol-sb", "PEPPOL-EN16931-UBL-SB")},
	{Root: ublCreditNote, Specification: peppolSelfBilling, Sets: peppol(xsdCreditNote, "creditnote-self-billing", "peppol-sb", "PEPPOL-EN16931-UBL-SB")},
	{Root: ublInvoice, Specification: nlcius, Sets: []ruleSet{xsdInvoice, {"nl-ubl", "2.0.3.12", "org.simplerinvoicing:invoice:2.0.3-12#si-ubl"}}},
	{Root: ublCreditNote, Specification: nlcius, Sets: []ruleSet{xsdCreditNote, {"nl-ubl", "2.0.3.12", "org.simplerinvoicing:creditnote:2.0.3-12#si-ubl"}}},
	{Root: ublInvoice, Specification: "urn:peppol:pint:billing-1@ae-1", Sets: pint(xsdInvoice, "ae:invoice:2026.5", "pint-ae")},
	{Root: ublCreditNote, Specification: "urn:peppol:pint:billing-1@ae-1", Sets: pint(xsdCreditNote, "ae:creditnote:2026.5", "pint-ae")},
	{Root: ublInvoice, Specification: "urn:peppol:pint:selfbilling-1@ae-1", Sets: pint(xsdInvoice, "ae:invoice-self-billing:2026.5", "pint-ae-sb")},
	{Root: ublCreditNote, Specification: "urn:peppol:pint:selfbilling-1@ae-1", Sets: pint(xsdCreditNote, "ae:creditnote-self-billing:2026.5", "pint-ae-sb")},
	{Root: ublInvoice, Specification: "urn:peppol:pint:billing-1@aunz-1", Sets: pint(xsdInvoice, "aunz:invoice:1.1.2", "pint-aunz")},
	{Root: ublCreditNote, Specification: "urn:peppol:pint:billing-1@aunz-1", Sets: pint(xsdCreditNote, "aunz:creditnote:1.1.2", "pint-aunz")},
	{Root: ublInvoice, Specification: "urn:peppol:pint:selfbilling-1@aunz-1", Sets: pint(xsdInvoice, "aunz:invoice-self-billing:1.1.2", "pint-aunz-sb")},
	{Root: ublCreditNote, Specification: "urn:peppol:pint:selfbilling-1@aunz-1", Sets: pint(xsdCreditNote, "aunz:creditnote-self-billing:1.1.2", "pint-aunz-sb")},
	{Root: ublInvoice, Specification: "urn:peppol:pint:billing-1@jp-1", Sets: pint(xsdInvoice, "jp:invoice:1.1.2", "pint-jp")},
	{Root: ublInvoice, Specification: "urn:peppol:pint:selfbilling-1@jp-1", Sets: pint(xsdInvoice, "jp.sb:invoice:1.1.2", "pint-jp-sb")},
	{Root: ublInvoice, Specification: "urn:peppol:pint:nontaxinvoice-1@jp-1", Sets: pint(xsdInvoice, "jp.ntr:invoice:1.1.2", "pint-jp-ntr")},
	{Root: ublInvoice, Specification: "urn:peppol:pint:billing-1@om-1", Sets: pint(xsdInvoice, "om:invoice:1", "pint-om"), Levels: oman},
	{Root: ublCreditNote, Specification: "urn:peppol:pint:billing-1@om-1", Sets: pint(xsdCreditNote, "om:creditnote:1", "pint-om"), Levels: oman},
	{Root: ublInvoice, Specification: "urn:peppol:pint:selfbilling-1@om-1", Sets: pint(xsdInvoice, "om:invoice-self-billing:1", "pint-om-sb"), Levels: oman},
	{Root: ublCreditNote, Specification: "urn:peppol:pint:selfbilling-1@om-1", Sets: pint(xsdCreditNote, "om:creditnote-self-billing:1", "pint-om-sb"), Levels: oman},
	{Root: ublInvoice, Specification: ciusPT, Sets: []ruleSet{xsdInvoice, {"cius-pt", "2.1.1", "pt.gov.espap.cius-pt:ubl-invoice:2.1.1#CIUS-PT"}}},
	{Root: ublCreditNote, Specification: ciusPT, Sets: []ruleSet{xsdCreditNote, {"cius-pt", "2.1.1", "pt.gov.espap.cius-pt:ubl-creditnote:2.1.1#CIUS-PT"}}},
	{Root: ublInvoice, Specification: ciusRO, Sets: []ruleSet{xsdInvoice, cenInvoice, {"cius-ro", "1.0.9", "ro.gov.mfinante.cius-ro:ubl-invoice:1.0.9#ROeFactura"}}},
	{Root: ublCreditNote, Specification: ciusRO, Sets: []ruleSet{xsdCreditNote, cenCreditNote, {"cius-ro", "1.0.9", "ro.gov.mfinante.cius-ro:ubl-creditnote:1.0.9#ROeFactura"}}},
	{Root: cii, Folders: []string{"zugferd-2.5-basic", "facturx-1.09-basic"}, Sets: facturX("BASIC", "2.5.2", "1.0.9-2")},
	{Root: cii, Folders: []string{"zugferd-2.5-en16931", "facturx-1.09-en16931"}, Sets: facturX("EN16931", "2.5.2", "1.0.9-2")},
	{Root: cii, Folders: []string{"zugferd-2.5-extended", "facturx-1.09-extended"}, Sets: facturX("EXTENDED", "2.5.2", "1.0.9-2")},
	{Root: cii, Folders: []string{"zugferd-2.4-basic", "facturx-1.08-basic"}, Sets: facturX("BASIC", "2.4", "1.0.8")},
	{Root: cii, Folders: []string{"zugferd-2.4-en16931", "facturx-1.08-en16931"}, Sets: facturX("EN16931", "2.4", "1.0.8")},
	{Root: cii, Folders: []string{"zugferd-2.4-extended", "facturx-1.08-extended"}, Sets: facturX("EXTENDED", "2.4", "1.0.8")},
	{Root: cii, Folders: []string{"zugferd-2.3-basic"}, Sets: facturX("BASIC", "2.3.3", "1.0.7-3")},
	{Root: cii, Folders: []string{"zugferd-2.3-en16931"}, Sets: facturX("EN16931", "2.3.3", "1.0.7-3")},
	{Root: cii, Folders: []string{"zugferd-2.3-extended"}, Sets: facturX("EXTENDED", "2.3.3", "1.0.7-3")},
	{Root: ebInterface, Sets: []ruleSet{{"ebinterface-xsd", "6.1", "at.ebinterface:invoice:6.1#ebinterface-6.1"}}},
	{Root: "http://www.ebinterface.at/schema/6p0/ Invoice", Sets: []ruleSet{{"ebinterface-xsd", "6.0", "at.ebinterface:invoice:6.0#ebinterface-6.0"}}},
	{Root: "http://www.ebinterface.at/schema/5p0/ Invoice", Sets: []ruleSet{{"ebinterface-xsd", "5.0", "at.ebinterface:invoice:5.0#ebinterface-5.0"}}},
	{Root: "http://www.ebinterface.at/schema/4p3/ Invoice", Sets: []ruleSet{{"ebinterface-xsd", "4.3", "at.ebinterface:invoice:4.3#ebinterface-4.3"}}},
	{Root: cii, Specification: "urn:cen.eu:en16931:2017", Sets: []ruleSet{xsdCII, cenCII}},
	{Root: "http://www.facturae.gob.es/formato/Versiones/Facturaev3_2_2.xml Facturae", Sets: []ruleSet{{"facturae-xsd", "3.2.2", "es.gob:facturae:3.2.2#Facturaev3_2_2"}}},
	{Root: "http://www.facturae.es/Facturae/2014/v3.2.1/Facturae Facturae", Sets: []ruleSet{{"facturae-xsd", "3.2.1", "es.gob:facturae:3.2.1#Facturaev3_2_1"}}},
	{Root: "http://www.facturae.es/Facturae/2009/v3.2/Facturae Facturae", Sets: []ruleSet{{"facturae-xsd", "3.2", "es.gob:facturae:3.2#Facturaev3_2."}}},
	{Root: "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2 FatturaElettronica", Sets: []ruleSet{{"fatturapa-xsd", "1.2.2", "it.fatturapa:invoice:1.2.2#v1.2.2"}}},
	{Root: "http://www.fatturapa.gov.it/sdi/fatturapa/v1.1 FatturaElettronica", Elsewhere: "fatturapa-1.1-xsd"},
	{Root: "http://www.fatturapa.gov.it/sdi/fatturapa/v1.0 FatturaElettronica", Elsewhere: "fatturapa-1.0-xsd"},
	{Root: "http://isdoc.cz/namespace/2013 Invoice", Folders: []string{"isdoc-6.0.1"}, Sets: []ruleSet{{"isdoc-xsd", "6.0.1", "cz.isdoc:isdoc:6.0.1#isdoc-invoice"}, {"isdoc", "6.0.1", "cz.isdoc:isdoc:6.0.1#isdoc-6.0.1"}}},
	{Root: "http://isdoc.cz/namespace/2013 Invoice", Sets: []ruleSet{{"isdoc-xsd", "6.0.2", "cz.isdoc:isdoc:6.0.2#isdoc-invoice"}, {"isdoc", "6.0.2", "cz.isdoc:isdoc:6.0.2#isdoc-6.0.2"}}},
	{Root: "http://crd.gov.pl/wzor/2025/06/25/13775/ Faktura", Sets: []ruleSet{{"ksef-fa3-xsd", "3", "pl.ksef:ksef:3#schemat"}}},
	{Root: "http://crd.gov.pl/wzor/2023/06/29/12648/ Faktura", Sets: []ruleSet{{"ksef-fa2-xsd", "2", "pl.ksef:ksef:2#schema"}}},
	{Root: ublInvoice, Sets: []ruleSet{xsdInvoice, cenInvoice}},
	{Root: ublCreditNote, Sets: []ruleSet{xsdCreditNote, cenCreditNote}},
}

// oman are the rules of PINT OM that 1.0.1 changed, which is what is written; Maven Central has 1.0.0.
var oman = map[string]Level{"ALIGNED-IBRP-000-OM": Information, "IBR-001-OM": Information, "IBR-002-OM": Information, "IBR-058-OM": Information, "IBR-177-OM": Information}

// pint are the schema, the rules that all of PINT has and those of a jurisdiction, for a kind of documents in a version.
func pint(schema ruleSet, kind, name string) []ruleSet {
	at, version := "org.peppol.pint."+kind+"#", kind[strings.LastIndexByte(kind, ':')+1:]
	return []ruleSet{schema, {name + "-base", version, at + "PINT-UBL-validation"}, {name, version, at + "PINT-jurisdiction"}}
}

// peppol are the schema, the rules of EN 16931 and those of a kind of documents of Peppol BIS.
func peppol(schema ruleSet, kind, name, resource string) []ruleSet {
	at := "eu.peppol.bis3:" + kind + ":2026.5#"
	return []ruleSet{schema, {"en16931-ubl", "1.3.16", at + "CEN-EN16931-UBL"}, {name, "2026.5", at + resource}}
}

// facturX are schema and rules of a profile of Factur-X, in a version as ZUGFeRD counts and as the coordinates do.
func facturX(profile, version, coordinate string) []ruleSet {
	at := "fr.factur-x:" + strings.ToLower(profile) + ":" + coordinate + "#"
	name := "factur-x-" + strings.ToLower(profile)
	return []ruleSet{{name + "-xsd", version, at + ".xsd"}, {name, version, at + ".xslt"}}
}

// bindingOf chooses by the root element, the specification identifier and the folder that a document is in.
func bindingOf(document []byte, folder string) (*binding, error) {
	name, specification, err := root(document)
	if err != nil {
		return nil, err
	}
	for i := range bindings {
		b := &bindings[i]
		if b.Root == name.Space+" "+name.Local && (b.Specification == "" || b.Specification == specification) && (len(b.Folders) == 0 || slices.Contains(b.Folders, folder)) {
			return b, nil
		}
	}
	return nil, fmt.Errorf("no official rules are bound to root element %q of namespace %q", name.Local, name.Space)
}

func (b *binding) layers() []string {
	layers := make([]string, 0, len(b.Sets))
	for _, s := range b.Sets {
		layers = append(layers, s.Layer)
	}
	return layers
}

// verdict puts the levels right and counts. A finding without id is a schema fault in a schema's layer; in a rule's layer
// it says that the rules could not be evaluated.
func (b *binding) verdict(document []byte, layers []layerAnswer) Verdict {
	v := Verdict{SHA256: hashOf(document), Valid: true}
	if b.Elsewhere != "" {
		v.RuleSets = []string{b.Elsewhere + " " + fetchedSets[b.Elsewhere]}
	}
	for i, layer := range layers {
		v.RuleSets = append(v.RuleSets, b.Sets[i].Name+" "+b.Sets[i].Version)
		for _, f := range layer.Findings {
			if f.ID == "" {
				f.ID = withoutID(b.Sets[i])
			}
			if level, changed := b.Levels[f.ID]; changed {
				f.Level = level
			}
			v.add(f)
		}
	}
	return v
}

func withoutID(s ruleSet) string {
	if strings.HasSuffix(s.Name, "-xsd") {
		return "XSD"
	}
	return "NOT-EVALUATED"
}
