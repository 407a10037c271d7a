package sch

// UBL gives the namespaces of UBL 2.1 invoices and credit notes, under their usual prefixes; ubl is the invoice's, cn the credit
// note's.
func UBL() []Namespace {
	const oasis = "urn:oasis:names:specification:ubl:schema:xsd:"
	return []Namespace{
		{"ubl", oasis + "Invoice-2"}, {"cn", oasis + "CreditNote-2"},
		{"cac", oasis + "CommonAggregateComponents-2"}, {"cbc", oasis + "CommonBasicComponents-2"},
		{"ext", oasis + "CommonExtensionComponents-2"}, {"xs", "http://www.w3.org/2001/XMLSchema"},
	}
}

// CII gives the namespaces of UN/CEFACT Cross Industry Invoices, under their usual prefixes.
func CII() []Namespace {
	const unece = "urn:un:unece:uncefact:data:standard:"
	return []Namespace{
		{"rsm", unece + "CrossIndustryInvoice:100"}, {"ram", unece + "ReusableAggregateBusinessInformationEntity:100"},
		{"udt", unece + "UnqualifiedDataType:100"}, {"qdt", unece + "QualifiedDataType:100"}, {"xs", "http://www.w3.org/2001/XMLSchema"},
	}
}
