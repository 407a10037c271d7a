package be

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/lists"
	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

// goneModel are the business rules of EN 16931 1.3.16 that UBL.BE does not have.
var goneModel = strings.Fields(`
	BR-AF-05 BR-AF-06 BR-AF-07 BR-AF-08 BR-AF-09 BR-AF-10 BR-AG-05 BR-AG-06 BR-AG-07 BR-AG-08 BR-AG-09 BR-AG-10
	BR-B-01 BR-B-02 BR-CO-10 BR-CO-17 BR-DEC-23 BR-E-01 BR-E-08 BR-IC-01 BR-IC-12 BR-O-02 BR-S-08 BR-S-09`)

// goneUse are the rules on the use of UBL that it does not have.
var goneUse = strings.Fields(`
	UBL-CR-119 UBL-CR-202 UBL-CR-406 UBL-CR-456 UBL-CR-459 UBL-CR-463 UBL-CR-477 UBL-CR-498 UBL-CR-504 UBL-CR-561 UBL-CR-597 UBL-CR-600 UBL-CR-601
	UBL-CR-656 UBL-CR-657 UBL-CR-672 UBL-CR-681 UBL-CR-682 UBL-DT-01 UBL-SR-06 UBL-SR-51 UBL-SR-52 UBL-SR-53 UBL-SR-54 UBL-SR-55 UBL-SR-56`)

// categoryIDs are the ids of the rules for the VAT categories L and M, IGIC and IPSI.
var categoryIDs = map[string]string{
	"BR-AF-01": "BR-IG-01", "BR-AF-02": "BR-IG-02", "BR-AF-03": "BR-IG-03", "BR-AF-04": "BR-IG-04",
	"BR-AG-01": "BR-IP-01", "BR-AG-02": "BR-IP-02", "BR-AG-03": "BR-IP-03", "BR-AG-04": "BR-IP-04",
}

// capitals are the rules on elements and datatypes whose ids begin with UBL; those of the others begin with ubl.
var capitals = strings.Fields(`
	UBL-CR-002 UBL-CR-412 UBL-CR-673 UBL-CR-674 UBL-CR-675 UBL-CR-676 UBL-CR-677 UBL-CR-678 UBL-CR-679 UBL-CR-680 UBL-DT-06 UBL-DT-07`)

// smallLetters adds the ids that begin with ubl to a map.
func smallLetters(to map[string]string, assertions []sch.Assertion) {
	for _, a := range assertions {
		number, small := strings.CutPrefix(a.ID, "UBL-")
		if small && !strings.HasPrefix(number, "SR-") && !slices.Contains(capitals, a.ID) && !slices.Contains(goneUse, a.ID) {
			to[a.ID] = "ubl-" + number
		}
	}
}

// modelTests gives conditions of business rules that differ where the message stays: a text of blanks counts as there, BT-110 may be
// there more than once, and any identifier of the seller will do.
func modelTests() (map[string]string, error) {
	list, err := lists.Open("iso-3166-1", "ublbe-vat-1.31")
	if err != nil {
		return nil, err
	}
	prefixes, err := list.Variant("cii")
	if err != nil {
		return nil, err
	}
	tests := map[string]string{
		"BR-01": "cbc:CustomizationID[string()]", "BR-02": "cbc:ID[string()]", "BR-03": "cbc:IssueDate[string()]",
		"BR-04": "cbc:InvoiceTypeCode[string()] or cbc:CreditNoteTypeCode[string()]", "BR-05": "cbc:DocumentCurrencyCode[string()]",
		"BR-06": "cac:AccountingSupplierParty/cac:Party/cac:PartyLegalEntity/cbc:RegistrationName[string()]",
		"BR-07": "cac:AccountingCustomerParty/cac:Party/cac:PartyLegalEntity/cbc:RegistrationName[string()]",
		"BR-09": "cac:Country/cbc:IdentificationCode[string()]", "BR-11": "cac:Country/cbc:IdentificationCode[string()]",
		"BR-18": "cac:PartyName/cbc:Name[string()]", "BR-20": "cac:Country/cbc:IdentificationCode[string()]", "BR-21": "cbc:ID[string()]",
		"BR-25": "cac:Item/cbc:Name[string()]", "BR-50": "cbc:ID[string()]", "BR-52": "cbc:ID[string()]",
		"BR-CO-09": "contains('" + strings.Join(prefixes, " ") + "', substring(cbc:CompanyID, 1, 2))",
		"BR-CO-15": "every $currency in cbc:DocumentCurrencyCode satisfies cac:LegalMonetaryTotal/xs:decimal(cbc:TaxInclusiveAmount)" +
			" = round(100 * (cac:LegalMonetaryTotal/xs:decimal(cbc:TaxExclusiveAmount)" +
			" + cac:TaxTotal/xs:decimal(cbc:TaxAmount[@currencyID = $currency]))) div 100",
		"BR-CO-26": "cac:Party/(cac:PartyTaxScheme[cac:TaxScheme/upper-case(normalize-space(cbc:ID)) = 'VAT'] | cac:PartyLegalEntity)/cbc:CompanyID" +
			" or cac:Party/cac:PartyIdentification/cbc:ID",
	}
	return tests, nil
}

// codeLists are the versions of code lists that differ from those of EN 16931 1.3.16.
var codeLists = map[string]string{
	"eas": listVersion, "iso-4217": listVersion, "iso-6523": listVersion, "untdid-1001": listVersion, "untdid-1153": listVersion,
	"untdid-4461": listVersion, "untdid-5189": listVersion, "untdid-7143": listVersion, "untdid-7161": listVersion,
}

// codeTests are the conditions of rules that take a code more, or one less, than others with their list.
var codeTests = map[string]string{
	"BR-CL-11": "normalize-space(@schemeID) = ($iso-6523, '9925')",
	"BR-CL-15": "normalize-space(.) = $iso-3166-1-ubl and normalize-space(.) != 'XI'",
}
