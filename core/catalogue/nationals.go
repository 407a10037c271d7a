package catalogue

import "github.com/einvoiced/einvoiced/core/format"

// nationals are the national formats, each with a syntax that is named like its path token. Their documents are recognised by
// namespace, and not read or written yet.
var nationals = []struct{ token, country, detection, element, family string }{
	{"ebinterface", "AT", "EBINTERFACE_6_1", "Invoice", "http://www.ebinterface.at/schema/6p1/"},
	{"fatturapa", "IT", "FATTURAPA", "FatturaElettronica", "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/"},
	{"facturae", "ES", "FACTURAE", "Facturae", "http://www.facturae."},
	{"isdoc", "CZ", "ISDOC", "Invoice", "http://isdoc.cz/namespace/"},
	{"nav", "HU", "NAV", "InvoiceData", "http://schemas.nav.gov.hu/OSA/"},
	{"mydata", "GR", "MYDATA", "InvoicesDoc", "http://www.aade.gr/myDATA/"},
	{"ksef", "PL", "KSEF_FA3", "Faktura", "http://crd.gov.pl/wzor/"},
}

// nationalSyntaxes are the syntaxes of the national formats.
func nationalSyntaxes() []*format.Syntax {
	var syntaxes []*format.Syntax
	for _, n := range nationals {
		element := format.Element{Local: n.element, Family: n.family, Detection: n.detection}
		syntaxes = append(syntaxes, &format.Syntax{Name: n.token, Elements: []format.Element{element}})
	}
	return syntaxes
}

// nationalCustomisations are their rows.
func nationalCustomisations() []format.Customisation {
	var rows []format.Customisation
	for _, n := range nationals {
		rows = append(rows, format.Customisation{Token: n.token, Syntax: n.token, Country: n.country, Detection: n.detection})
	}
	// The Polish invoice is FA(3) whether it is asked for as ksef or as ubl (contract, formats per country): no other is written as ubl.
	return append(rows, format.Customisation{Token: "ubl", Syntax: "ksef", Country: "PL", Detection: "KSEF_FA3", Sole: true})
}
