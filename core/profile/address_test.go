package profile

import (
	"slices"
	"testing"

	"github.com/einvoiced/einvoiced/rulebooks/lists"
)

var addressCases = []stepCase{
	{sentence: "supplement §1.12: the VAT id with the country's VAT scheme", step: vatAddresses,
		in: `{"seller":{"vatId":"DE123456789","countryCode":"DE"},"buyer":{"vatId":"ATU12345678","countryCode":"DE"}}`,
		out: `{"seller":{"vatId":"DE123456789","countryCode":"DE","electronicAddress":{"id":"DE123456789","schemeId":"9930"}},` +
			`"buyer":{"vatId":"ATU12345678","countryCode":"DE","electronicAddress":{"id":"ATU12345678","schemeId":"9914"}}}`},
	{sentence: "a VAT id without prefix has the scheme of the party's country", step: vatAddresses,
		in:  `{"seller":{"vatId":"123456789","countryCode":"GR"}}`,
		out: `{"seller":{"vatId":"123456789","countryCode":"GR","electronicAddress":{"id":"123456789","schemeId":"9933"}}}`},
	{sentence: "never a made-up value", step: vatAddresses, in: `{"seller":{"countryCode":"DE"},"buyer":{"vatId":"12","countryCode":"US"}}`},
	{sentence: "an address that is there stays", step: vatAddresses, in: `{"seller":{"vatId":"DE123456789","electronicAddress":{"id":"a@b.example","schemeId":"EM"}}}`},
}

var ibanCases = []stepCase{
	{sentence: "IBANs are written without spaces and in upper case", step: plainIBANs,
		in: `{"seller":{"bankAccount":{"iban":"de02 1203 0000 0000 2020 51"}},"buyer":{"bankAccount":{"iban":"DE02 1203 0000 0000 2020 51"}},` +
			`"paymentMethods":[{"account":{"iban":"DE02120300000000202051"}},{"account":{"id":"DE02 1203 0000 0000 2020 51"}}],"directDebitMandate":{"debitAccountId":"de02120300000000202051"}}`,
		out: `{"seller":{"bankAccount":{"iban":"DE02120300000000202051"}},"buyer":{"bankAccount":{"iban":"DE02120300000000202051"}},` +
			`"paymentMethods":[{"account":{"iban":"DE02120300000000202051"}},{"account":{"id":"DE02120300000000202051"}}],"directDebitMandate":{"debitAccountId":"DE02120300000000202051"}}`},
	{sentence: "an account that is no IBAN stays as it is", step: plainIBANs,
		in: `{"paymentMethods":[{"account":{"id":"5050 1055 a"}}],"directDebitMandate":{"debitAccountId":"DE03 1203 0000 0000 2020 51"}}`},
}

// TestVATSchemesAreInTheList holds the schemes against the code list of electronic addresses that XRechnung has.
func TestVATSchemesAreInTheList(t *testing.T) {
	list, err := lists.Open("eas", "xrechnung-2.5.0")
	if err != nil {
		t.Fatal(err)
	}
	codes, err := list.Variant("")
	if err != nil {
		t.Fatal(err)
	}
	for prefix, scheme := range vatSchemes {
		if !slices.Contains(codes, scheme) {
			t.Errorf("the scheme %s of %s is not in the list", scheme, prefix)
		}
	}
}
