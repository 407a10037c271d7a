package catalogue

import (
	"cmp"

	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/format/ebinterface"
	"github.com/einvoiced/einvoiced/core/format/facturae"
	"github.com/einvoiced/einvoiced/core/format/fatturapa"
	"github.com/einvoiced/einvoiced/core/format/isdoc"
	"github.com/einvoiced/einvoiced/core/format/ksef"
	"github.com/einvoiced/einvoiced/core/format/mydata"
	"github.com/einvoiced/einvoiced/core/format/nav"
	"github.com/einvoiced/einvoiced/core/profile"
)

// nationals are the national formats, each with a syntax that is named like its path token. Their documents are recognised by
// namespace, and not read or written yet. What is of a namespace that begins with the family is of a version that nobody knows.
var nationals = []struct{ token, country, detection, element, family string }{
	{"ebinterface", "AT", "EBINTERFACE_6_1", "Invoice", "http://www.ebinterface.at/schema/"},
	{"fatturapa", "IT", "FATTURAPA", "FatturaElettronica", "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/"},
	{"facturae", "ES", "FACTURAE", "Facturae", "http://www.facturae."},
	{"isdoc", "CZ", "ISDOC", "Invoice", "http://isdoc.cz/namespace/"},
	{"nav", "HU", "NAV", "InvoiceData", "http://schemas.nav.gov.hu/OSA/"},
	{"mydata", "GR", "MYDATA", "InvoicesDoc", "http://www.aade.gr/myDATA/"},
	{"ksef", "PL", "KSEF_FA3", "Faktura", "http://crd.gov.pl/wzor/"},
}

// editionsOf are the versions of the national formats by token: namespace and version, the newest first. Where the document element or
// the detection id is another than that of the format, it stands there.
var editionsOf = map[string][]struct{ namespace, version, detection, element string }{
	"ebinterface": {
		{"http://www.ebinterface.at/schema/6p1/", "6.1", "", ""},
		{"http://www.ebinterface.at/schema/6p0/", "6.0", "EBINTERFACE_6_0", ""},
		{"http://www.ebinterface.at/schema/5p0/", "5.0", "EBINTERFACE_5_0", ""},
		{"http://www.ebinterface.at/schema/4p3/", "4.3", "EBINTERFACE_4_3", ""},
		{"http://www.ebinterface.at/schema/4p2/", "4.2", "EBINTERFACE_4_2", ""},
		{"http://www.ebinterface.at/schema/4p1/", "4.1", "EBINTERFACE_4_1", ""},
		{"http://www.ebinterface.at/schema/4p0/", "4.0", "EBINTERFACE_4_0", ""},
		{"http://www.ebinterface.at/schema/3p02/", "3.02", "EBINTERFACE_3_02", ""},
		{"http://www.ebinterface.at/schema/3p0/", "3.0", "EBINTERFACE_3_0", ""},
		{"http://www.ebinterface.at/schema/2p1/", "2.1", "EBINTERFACE_2_1", ""},
		{"http://www.ebinterface.at/schema/2p0/", "2.0", "EBINTERFACE_2_0", ""},
	},
	"fatturapa": {
		{"http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2", "1.2", "", ""},
		{"http://www.fatturapa.gov.it/sdi/fatturapa/v1.1", "1.1", "", ""},
		{"http://www.fatturapa.gov.it/sdi/fatturapa/v1.0", "1.0", "", ""},
		{"http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.0", "simplified 1.0", "", "FatturaElettronicaSemplificata"},
	},
	"facturae": {
		{"http://www.facturae.gob.es/formato/Versiones/Facturaev3_2_2.xml", "3.2.2", "", ""},
		{"http://www.facturae.es/Facturae/2014/v3.2.1/Facturae", "3.2.1", "", ""},
		{"http://www.facturae.es/Facturae/2009/v3.2/Facturae", "3.2", "", ""},
	},
	"isdoc": {{"http://isdoc.cz/namespace/2013", "", "", ""}, {"http://isdoc.cz/namespace/invoice", "", "ISDOC_5", ""}},
	"nav":   {{"http://schemas.nav.gov.hu/OSA/3.0/data", "3.0", "", ""}, {"http://schemas.nav.gov.hu/OSA/2.0/data", "2.0", "", ""}},
	"mydata": {
		{"http://www.aade.gr/myDATA/invoice/v1.0", "1.0", "", ""},
	},
	"ksef": {{"http://crd.gov.pl/wzor/2025/06/25/13775/", "FA(3)", "", ""}, {"http://crd.gov.pl/wzor/2023/06/29/12648/", "FA(2)", "KSEF_FA2", ""}},
}

// versionAttributes are attributes of document elements that tell the version, by token.
var versionAttributes = map[string]string{"isdoc": "version"}

// readNationals are the national formats that are read and written, by token: the syntax without its document elements, and the steps.
var readNationals = map[string]struct {
	syntax func() *format.Syntax
	steps  func() *profile.Profile
}{
	"ebinterface": {ebinterface.Syntax, profile.EbInterface},
	"facturae":    {facturae.Syntax, profile.Facturae},
	"fatturapa":   {fatturapa.Syntax, profile.FatturaPA},
	"isdoc":       {isdoc.Syntax, profile.ISDOC},
	"ksef":        {ksef.Syntax, func() *profile.Profile { return profile.KSeF("ksef") }},
	"mydata":      {mydata.Syntax, profile.MyData},
	"nav":         {nav.Syntax, profile.NAV},
}

// writtenEditions are the editions of the national formats that are written in several versions, by token and version as formatOptions has it.
var writtenEditions = map[string]map[string]string{
	"facturae": {"3.2.2": "3.2.2", "3.2.1": "3.2.1", "3.2": "3.2"},
	"mydata":   {mydata.Version1: mydata.Version1, mydata.Version2: mydata.Version2},
}

// nationalSyntaxes are the syntaxes of the national formats.
func nationalSyntaxes() []*format.Syntax {
	var syntaxes []*format.Syntax
	for _, n := range nationals {
		syntax := &format.Syntax{}
		if read := readNationals[n.token]; read.syntax != nil {
			syntax = read.syntax()
		}
		var elements []format.Element
		for _, e := range editionsOf[n.token] {
			elements = append(elements, format.Element{Local: cmp.Or(e.element, n.element), Namespace: e.namespace, Version: e.version,
				Detection: cmp.Or(e.detection, n.detection), Attribute: versionAttributes[n.token]})
		}
		elements = append(elements, format.Element{Local: n.element, Family: n.family, Detection: n.detection, Attribute: versionAttributes[n.token]})
		syntax.Name, syntax.Elements = n.token, elements
		syntaxes = append(syntaxes, syntax)
	}
	return syntaxes
}

// nationalCustomisations are their rows.
func nationalCustomisations() []format.Customisation {
	var rows []format.Customisation
	for _, n := range nationals {
		row := format.Customisation{Token: n.token, Syntax: n.token, Country: n.country, Detection: n.detection}
		if read := readNationals[n.token]; read.steps != nil {
			row.Steps = read.steps()
		}
		row.Editions = writtenEditions[n.token]
		rows = append(rows, row)
		for _, e := range editionsOf[n.token] {
			if e.detection != "" {
				older := row
				older.Detection = e.detection
				rows = append(rows, older)
			}
		}
	}
	// The Polish invoice is FA(3) whether it is asked for as ksef or as ubl (contract, formats per country): no other is written as ubl.
	return append(rows, format.Customisation{Token: "ubl", Syntax: "ksef", Country: "PL", Detection: "KSEF_FA3", Sole: true,
		Steps: profile.KSeF("ubl")})
}
