package qrbill

import (
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

type row = m.Row[invoice.Invoice]

// partyOrder is the order of the lines of an address.
const partyOrder = "AdrTp Name " + street + " " + line1 + " " + number + " " + line2 + " PstCd TwnNm Ctry"

// Table is the one place where a business term meets its line. The payee of the canonical invoice is the creditor, the seller where there is
// no other, and the buyer the debtor (see profile.QRBill).
var Table = m.Table[invoice.Invoice]{
	Elements: []m.Element{{Name: "QRBill", Namespace: Namespace}},
	Editions: []m.Edition{{}}, // one
	Order: map[string]string{
		"QRBill": "Header CdtrInf UltmtCdtr CcyAmt UltmtDbtr RmtInf AltPmtInf " + further, "Header": "QRType Version Coding",
		"CdtrInf": "IBAN Cdtr", "Cdtr": partyOrder, "UltmtCdtr": partyOrder, "CcyAmt": "Amt Ccy", "UltmtDbtr": partyOrder,
		"RmtInf": "Tp Ref AddInf", "AddInf": "Ustrd Trailer StrdBkgInf", "AltPmtInf": "AltPmt1 AltPmt2",
	},
	Silent: map[string]string{
		"invoiceNumber":                        "the bill information has it",
		"issueDate":                            "the bill information has it",
		"type":                                 "a QR-bill asks for a payment, whatever kind of invoice that is for",
		"paymentMethods[].type":                "a QR-bill is a way to pay",
		"countrySpecific.countryCode":          "the account says it",
		"countrySpecific.alternativeSchemes[]": "the steps tell which are not written",
		"countrySpecific.national":             "its lines are written where they belong",
		"serviceCategory":                      "it decides about a note and says nothing itself",
		"seller.electronicAddress.id":          "a QR-bill is not sent to an address",
		"seller.electronicAddress.schemeId":    "a QR-bill is not sent to an address",
		"buyer.electronicAddress.id":           "a QR-bill is not sent to an address",
		"buyer.electronicAddress.schemeId":     "a QR-bill is not sent to an address",
	},
	Rows: []row{
		{Path: "Header", Required: true, Rows: []row{{Const: "SPC", Path: "QRType"}, {Const: "0200", Path: "Version"}, {Const: "1", Path: "Coding"}}},
		{Path: "CdtrInf", Required: true, Rows: []row{
			{Term: "BT-84", Card: m.One, Field: "payee.bankAccount.iban", Path: "IBAN", Type: m.Identifier},
			{Term: "BT-27 BT-59", Field: "payee", Path: "Cdtr", Rows: party("BT-27", "BT-35", "BT-38", "BT-37", "BT-40")},
		}},
		{Path: "CcyAmt", Required: true, Rows: []row{
			{Term: "BT-112", Field: "total", Path: "Amt", Type: m.Amount, Convert: m.Decimals(2, 2)},
			{Term: "BT-5", Card: m.One, Field: "currency", Path: "Ccy", Type: m.Code},
		}},
		{Term: "BG-7", Field: "buyer", Path: "UltmtDbtr", Rows: party("BT-44", "BT-50", "BT-53", "BT-52", "BT-55")},
		{Path: "RmtInf", Required: true, Rows: []row{
			{Card: m.One, Field: "countrySpecific.referenceType", Path: "Tp", Type: m.Code},
			{Term: "BT-83", Field: "paymentReference", Path: "Ref", Type: m.Identifier},
			{Path: "AddInf", Required: true, Rows: []row{
				{Field: "countrySpecific.unstructuredMessage", Path: "Ustrd"},
				{Const: "EPD", Path: "Trailer"},
				{Field: "countrySpecific.billInformation", Path: "StrdBkgInf"},
			}},
		}},
		{Path: "AltPmtInf/AltPmt1", Codec: scheme(0)},
		{Path: "AltPmtInf/AltPmt2", Codec: scheme(1)},
	},
}

// party is an address by its terms. Structured ones are written; of a combined one the second line has postal code and town.
func party(name, streetTerm, postalCode, town, country string) []row {
	return []row{
		{Const: "S", Path: "AdrTp"},
		{Term: name, Card: m.One, Field: "name", Path: "Name"},
		{Term: streetTerm, Field: "street", Path: ".", Split: houseNumber, Rows: []row{{Path: street}, {Path: number}}},
		{Term: streetTerm, Field: "street", Path: line1, When: never},
		{Term: postalCode + " " + town, Path: line2, Codec: place},
		{Term: postalCode, Card: m.One, Field: "postalCode", Path: "PstCd"},
		{Term: town, Card: m.One, Field: "city", Path: "TwnNm"},
		{Term: country, Card: m.One, Field: "countryCode", Path: "Ctry", Type: m.Code},
	}
}

func never(m.Scope[invoice.Invoice]) bool { return false }

// place reads postal code and town of a combined address, which is not written.
var place = &m.Codec{
	Fields: []string{"postalCode", "city"},
	Format: func(any) string { return "" },
	Parse: func(text string, group any) {
		p := group.(*invoice.Party)
		if code, town, both := strings.Cut(text, " "); both && strings.ContainsAny(code, "0123456789") {
			p.PostalCode, p.City = code, strings.TrimSpace(town)
			return
		}
		p.City = text
	},
}

// houseNumber takes the number off the end of a street: what begins with a digit, and a letter behind it. When unsure, all is the street.
var houseNumber = &m.Split{
	Parts: func(text string) []string {
		text = strings.TrimSpace(text)
		if found := endsInNumber.FindStringSubmatch(text); found != nil && len([]rune(found[2])) <= 16 {
			return []string{found[1], found[2]}
		}
		return []string{text, ""}
	},
	Join: func(parts []string) (string, bool) {
		parts = slices.DeleteFunc(slices.Clone(parts), func(part string) bool { return part == "" })
		return strings.Join(parts, " "), len(parts) > 0
	},
}

var endsInNumber = regexp.MustCompile(`^(.*\S)\s+([0-9]\S*(?: [A-Za-z])?)$`)

// scheme is one of the alternative schemes.
func scheme(i int) *m.Codec {
	return &m.Codec{
		Fields: []string{"countrySpecific.alternativeSchemes"},
		Format: func(group any) string {
			if cs := group.(*invoice.Invoice).CountrySpecific; cs != nil && i < len(cs.AlternativeSchemes) {
				return cs.AlternativeSchemes[i]
			}
			return ""
		},
		Parse: func(text string, group any) {
			inv := group.(*invoice.Invoice)
			if inv.CountrySpecific == nil {
				inv.CountrySpecific = &invoice.CountrySpecific{}
			}
			inv.CountrySpecific.AlternativeSchemes = append(inv.CountrySpecific.AlternativeSchemes, text)
		},
	}
}
