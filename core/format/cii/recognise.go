// Package cii is EN 16931 on UN/CEFACT Cross Industry Invoice D16B (CEN/TS 16931-3-3). Its documents are recognised; they are not read
// or written yet.
package cii

import "github.com/einvoiced/einvoiced/core/format"

// Syntax gives what is known of Cross Industry Invoices.
func Syntax() *format.Syntax {
	const (
		transaction = "SupplyChainTradeTransaction"
		family      = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:"
	)
	return &format.Syntax{
		Name: "cii",
		Elements: []format.Element{
			{Local: "CrossIndustryInvoice", Namespace: family + "100", Family: family, Detection: "CII"},
		},
		Places: format.Places{
			Number:        []string{"ExchangedDocument", "ID"},
			Specification: []string{"ExchangedDocumentContext", "GuidelineSpecifiedDocumentContextParameter", "ID"},
			Process:       []string{"ExchangedDocumentContext", "BusinessProcessSpecifiedDocumentContextParameter", "ID"},
			SellerCountry: []string{transaction, "ApplicableHeaderTradeAgreement", "SellerTradeParty", "PostalTradeAddress", "CountryID"},
			Lines:         []string{transaction},
			Line:          []string{"IncludedSupplyChainTradeLineItem"},
		},
		Cores: format.Cores(),
	}
}
