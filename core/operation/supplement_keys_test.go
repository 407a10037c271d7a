package operation

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// supplementKeys are the members of countrySpecific that the supplement of the contract has for the countries with a format of their own (§3), those of their members
// and of items included. What VeriFactu has stands in testdata/verifactu.
var supplementKeys = map[string]string{
	"AT": "orderReference supplierNumber accountingArea govtSubOrganization",
	"CZ": "ico dic variableSymbol constantSymbol specificSymbol vatPayer exchangeRate",
	"ES": "nif invoiceSeries personType residenceType dir3 accountingOffice managingBody processingUnit proposingBody correctionReasonCode correctionMethod withholdingRate " +
		"verifactu invoiceType regimeKey operationQualifier",
	"GR": "afm taxOffice branch series mydataInvoiceType correlatedMarks mark uid qrUrl incomeClassification vatExemptionCategory",
	"HU": "taxNumber groupTaxNumber customerVatStatus invoiceCategory invoiceAppearance exchangeRate cashAccounting smallBusiness modificationIndex modifyWithoutMaster",
	"IT": "recipientCode pec taxRegime documentType sellerFiscalCode buyerFiscalCode progressiveNumber cig cup vatCollectability paymentMethodCode stampDuty withholding " +
		"pensionFund rea natureCode",
	"PL": "nip splitPayment selfBilling cashMethod marginScheme placeOfIssue systemInfo correctionReason correctionType ksefNumber isJst isVatGroupMember exchangeRate gtu",
}

// TestSupplementKeys_EachHasItsCase ensures that each key is in a case that says where it lands: in the patch, or in the input that the case is about.
func TestSupplementKeys_EachHasItsCase(t *testing.T) {
	cases := map[string][]string{"CZ": slices.Collect(maps.Keys(isdocKeyCases)), "PL": slices.Collect(maps.Keys(ksefKeyCases))}
	for key := range ebInterfaceKeyCases(t) {
		cases["AT"] = append(cases["AT"], `"`+key+`":`)
	}
	for _, c := range spanishKeyCases {
		cases["ES"] = append(cases["ES"], c.patch, inputOf(t, "facturae", c.in))
	}
	for _, c := range myDataKeyCases {
		cases["GR"] = append(cases["GR"], c.patch, inputOf(t, "mydata", c.in))
	}
	for _, c := range navKeyCases {
		cases["HU"] = append(cases["HU"], c.patch, inputOf(t, "nav", c.in))
	}
	for _, c := range italianKeyCases {
		cases["IT"] = append(cases["IT"], c.patch, inputOf(t, "fatturapa", c.in))
	}
	records, err := os.ReadDir("../../testdata/verifactu")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if name, is := strings.CutSuffix(r.Name(), ".json"); is {
			cases["ES"] = append(cases["ES"], inputOf(t, "verifactu", name))
		}
	}
	for country, keys := range supplementKeys {
		for key := range strings.FieldsSeq(keys) {
			if !slices.ContainsFunc(cases[country], func(text string) bool { return strings.Contains(text, `"`+key+`":`) }) {
				t.Errorf("%s: no case has %s", country, key)
			}
		}
	}
}

// inputOf is an input without the white space between its members.
func inputOf(t *testing.T, folder, name string) string {
	t.Helper()
	data, err := os.ReadFile("../../testdata/" + folder + "/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	data, err = json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
