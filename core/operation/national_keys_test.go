package operation

import (
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
)

// Where the members of the national formats stand in UBL.
const (
	sellerState = sellerParty + "PostalAddress/CountrySubentity"
	buyerEntity = "AccountingCustomerParty/Party/PartyLegalEntity/"
)

// nationalKeyCases has every key of the supplement §3 of the countries of PINT, CIUS-PT and CIUS-RO, as a merge patch on the first scenario, with
// the leaves of the document where it lands, or nothing where the document has no place for it, which is warned of.
var nationalKeyCases = []struct{ in, patch, want string }{
	{"ae", `{"countrySpecific":{"transactionType":"00010000"},"servicePeriod":{"start":"2026-02-01","end":"2026-02-28"}}`, "ProfileExecutionID=00010000"},
	{"ae", `{"countrySpecific":{"sellerLegalIdType":"EID","authorityName":null}}`, registeredAs + "@EID=112345678900003"},
	{"ae", `{"countrySpecific":{"buyerLegalIdType":"CD","sellerLegalIdType":"TL"}}`, buyerEntity + "CompanyID@CD=112345679000001"},
	{"ae", `{"countrySpecific":{"authorityName":"SEDD"}}`, registeredAs + "@SEDD=112345678900003"},
	{"ae", `{"countrySpecific":{"buyerLegalIdType":"PAS","passportCountry":"IN"}}`, buyerEntity + "CompanyID@IN=112345679000001"},
	{"ae", `{"currency":"USD","countrySpecific":{"exchangeRate":3.6725}}`, "TaxExchangeRate/CalculationRate=3.6725 TaxExchangeRate/SourceCurrencyCode=USD TaxExchangeRate/TargetCurrencyCode=AED " +
		"TaxTotal/TaxAmount=93.65 AdditionalDocumentReference/DocumentDescription=1966.62 InvoiceLine/ItemPriceExtension/TaxTotal/TaxAmount=55.09"},
	{"ae", `{"countrySpecific":{"transactionType":"00000100","principalId":"104567890123499"}}`, "SellerSupplierParty/Party/PartyIdentification/ID=104567890123499"},
	{"ae", `{"countrySpecific":{"transactionType":"10000000","beneficiaryId":"104567890123488"}}`, "BuyerCustomerParty/Party/PartyIdentification/ID=104567890123488"},
	{"ae", `{"countrySpecific":{"peppolEndpointId":"0235:1"}}`, ""},
	{"om", `{"countrySpecific":{"transactionType":"10000000000000100000"}}`, "InvoiceTypeCode@10000000000000100000=380"},
	{"om", `{}`, "InvoiceTypeCode@10000000000000000000=380"},
	{"om", `{"supportingDocuments":[{"id":"D-1","registryId":"eb4be004-621d-5586-92dd-6a7da67120be"}]}`,
		"AdditionalDocumentReference/ID=D-1 AdditionalDocumentReference/UUID=eb4be004-621d-5586-92dd-6a7da67120be"},
	{"om", `{"prepayments":[{"amount":10,"reference":{"documentNumber":"P-1","registryId":"eb4be004-621d-5586-92dd-6a7da67120be"}}]}`,
		"AdditionalDocumentReference/ID=P-1 AdditionalDocumentReference/UUID=eb4be004-621d-5586-92dd-6a7da67120be AdditionalDocumentReference/DocumentTypeCode=PDR"},
	{"au", `{"countrySpecific":{"abn":"53004085616"}}`, registeredAs + "@0151=53004085616 " + sellerParty + "EndpointID@0151=53004085616"},
	{"au", `{"countrySpecific":{"gstRegistered":true}}`, taxedAs + "=51824753556 " + sellerParty + "PartyTaxScheme/TaxScheme/ID=GST"},
	{"au", `{"countrySpecific":{"peppolEndpointId":"0151:1"}}`, ""},
	{"nz", `{"countrySpecific":{"nzbn":"9429041234569"}}`, registeredAs + "@0088=9429041234569"},
	{"nz", `{"countrySpecific":{"gstRegistered":true}}`, taxedAs + "=123-456-789"},
	{"nz", `{"countrySpecific":{"peppolEndpointId":"0088:1"}}`, ""},
	{"jp", `{"countrySpecific":{"qualifiedInvoiceNumber":"T9876543210987"}}`, taxedAs + "=T9876543210987 " + sellerParty + "EndpointID@0221=T9876543210987"},
	{"jp", `{"currency":"USD","countrySpecific":{"exchangeRate":150.25}}`, "TaxTotal/TaxAmount=7663 TaxTotal/TaxSubtotal/TaxAmount=7663"},
	{"pt", `{"countrySpecific":{"nif":"509999999"}}`, taxedAs + "=PT509999999"},
	{"pt", `{"countrySpecific":{"atcud":"CSDF7T5H-35"}}`, ""},
	{"pt", `{"countrySpecific":{"series":"2026"}}`, ""},
	{"pt", `{"countrySpecific":{"seriesValidationCode":"CSDF7T5H"}}`, ""},
	{"pt", `{"countrySpecific":{"documentHash":"a1B2"}}`, ""},
	{"pt", `{"countrySpecific":{"certificateNumber":"9999"}}`, ""},
	{"pt", `{"countrySpecific":{"taxRegion":"PT-MA"}}`, ""},
	{"ro", `{"countrySpecific":{"cui":"RO87654321"}}`, taxedAs + "=RO87654321"},
	{"ro", `{"countrySpecific":{"cui":"87654321"}}`, taxedAs + "=87654321"},
	{"ro", `{"countrySpecific":{"tradeRegister":"J40/1/2021"}}`, registeredAs + "=J40/1/2021"},
	{"ro", `{"countrySpecific":{"county":"RO-IS"}}`, sellerState + "=RO-IS"},
	{"ro", `{"countrySpecific":{"county":"IS"}}`, sellerState + "=RO-IS"},
	{"ro", `{"countrySpecific":{"county":"B"},"seller":{"city":"București, Sectorul 2"}}`, sellerState + "=RO-B " + sellerParty + "PostalAddress/CityName=SECTOR2"},
}

// TestGenerate_KeysOfNationalUBL ensures where each key lands, or that its loss is told.
func TestGenerate_KeysOfNationalUBL(t *testing.T) {
	s := newService(t)
	for i, c := range nationalKeyCases {
		if leftOut(i) {
			continue
		}
		t.Run(c.in+"/"+c.patch, func(t *testing.T) {
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: c.in, Format: "ubl", Body: nationalBody(t, c.in, c.patch), Calculate: true})
			if err != nil {
				t.Fatal(refusalOf(err))
			}
			lost := slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool {
				return w.Code == finding.FieldNotWritten && strings.HasPrefix(w.Field, "countrySpecific.")
			})
			if lost != (c.want == "") {
				t.Errorf("lost: %v, %v", lost, houseWarnings(answer.Warnings))
			}
			leaves := nationalLeaves(t, answer.Data)
			for _, want := range wantedLeaves(c.want) {
				if !slices.Contains(leaves, want) {
					t.Errorf("%s is not in the document:\n%s", want, strings.Join(leaves, "\n"))
				}
			}
		})
	}
}

// nationalLeaves lists the texts of a document as leavesOf does, with the schemes of UBL's other attributes after the path as well.
func nationalLeaves(t *testing.T, document []byte) []string {
	t.Helper()
	text := string(document)
	for _, other := range []string{"schemeAgencyID", "schemeAgencyName"} {
		text = strings.ReplaceAll(text, other+"=", "schemeID=")
	}
	return append(leavesOf(t, []byte(strings.ReplaceAll(text, "InvoiceTypeCode name=", "InvoiceTypeCode schemeID="))), leavesOf(t, document)...)
}
