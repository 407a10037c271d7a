package nav

import (
	"maps"
	"regexp"
	"strings"

	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

// older is version 2.0: all of it is in one namespace, the buyer's numbers stand beside each other, and kinds of VAT rate have no cases.
var older = edition{
	namespace: Namespace2, base: Namespace2, order: olderOrder(),
	customer: []row{
		{Term: "BT-48", Field: "buyer.taxId", Path: "customerTaxNumber", Split: taxNumber, Rows: taxParts()},
		{Term: "BT-48", Field: "buyer.vatId", Path: "communityVatNumber", Type: m.Identifier},
		{Term: "BT-48", Path: "thirdStateTaxId", Codec: thirdStateNumber},
	},
	line: []row{
		{Path: "marginSchemeIndicator", Codec: natured(itemTaxes, profile.NAVMargin)},
	},
	rates: func(of taxes) []row {
		member := of(nil)
		return []row{
			{Term: "BT-119", Path: "vatPercentage", Codec: percentage(of)},
			{Term: "BT-120", Path: "vatExemption", Codec: exemptBefore(of, member.reasonMember)},
			{Path: "vatOutOfScope", Codec: flaggedBefore(of, "O", member.natureMember)},
			{Path: "vatDomesticReverseCharge", Codec: flaggedBefore(of, "AE")},
			{Path: "marginSchemeVat", Codec: flaggedBefore(of, "E")},
			{Path: "marginSchemeNoVat", Codec: flaggedBefore(of, "E")},
		}
	},
	simplified: func(path string, of taxes) row {
		if path == "vatRate" {
			path = "vatContent"
		} else {
			path = "lineVatContent"
		}
		return row{Term: "BT-119", Path: path, Codec: content(of)}
	},
}

// exemptBefore is an exemption whose case nobody states: the text is the reason.
func exemptBefore(of taxes, members ...string) *m.Codec {
	return &m.Codec{
		Fields: members,
		Format: func(group any) string { return *of(group).reason },
		Parse: func(text string, group any) {
			t := of(group)
			*t.category, *t.reason = "E", strings.TrimSpace(text)
			take(t, *t.nature)
		},
	}
}

// flaggedBefore is a kind of rate that says yes or no.
func flaggedBefore(of taxes, category string, members ...string) *m.Codec {
	return &m.Codec{
		Fields: members,
		Format: func(group any) string { return when(*of(group).category == category, "true") },
		Parse: func(text string, group any) {
			if text = strings.TrimSpace(text); text != "true" && text != "1" {
				return
			}
			t := of(group)
			*t.category = category
			if category == "AE" {
				*t.nature = profile.NAVNature(profile.NAVReverseCharge, "")
			}
			take(t, *t.nature)
		},
	}
}

// olderOrder is the order of 2.0.
func olderOrder() map[string]string {
	order := maps.Clone(elementorder.NAV())
	for parent, children := range order {
		order[parent] = strings.ReplaceAll(children, "base:", "")
	}
	order["InvoiceData"] = "invoiceNumber invoiceIssueDate invoiceMain"
	order["customerInfo"] = "customerTaxNumber groupMemberTaxNumber communityVatNumber thirdStateTaxId customerName customerAddress customerBankAccountNumber"
	order["invoiceLines"] = "line"
	order["lineAmountsSimplified"] = "lineVatContent lineGrossAmountSimplified lineGrossAmountSimplifiedHUF"
	order["summarySimplified"] = "vatContent vatContentGrossAmount vatContentGrossAmountHUF"
	order["vatRate"] = "vatPercentage vatExemption vatOutOfScope vatDomesticReverseCharge marginSchemeVat marginSchemeNoVat"
	order["lineVatRate"] = order["vatRate"]
	order["line"] = strings.NewReplacer("advanceData", "advanceIndicator", "depositIndicator", "depositIndicator marginSchemeIndicator ekaerIds").Replace(order["line"])
	return order
}

var (
	lineAdvance = regexp.MustCompile(`/line(\[[0-9]+\])?/advanceIndicator$`)
	lineEkaer   = regexp.MustCompile(`(/line(?:\[[0-9]+\])?)/ekaerIds/`)
)

// renewed gives what 2.0 has in another place its path in 3.0.
func renewed(path string) string {
	if at := lineAdvance.FindStringIndex(path); at != nil {
		return strings.TrimSuffix(path, "advanceIndicator") + "advanceData/advanceIndicator"
	}
	path = strings.Replace(path, "/customerInfo/groupMemberTaxNumber/", "/customerInfo/customerVatData/customerTaxNumber/groupMemberTaxNumber/", 1)
	return lineEkaer.ReplaceAllString(path, "$1/conventionalLineInfo/ekaerIds/")
}
