package nav

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// rateDecimals are those of a rate (RateType).
const rateDecimals = 4

// taxed is what a line and a group of the VAT breakdown have in common: rate, kind of rate, and the reason of an exemption.
type taxed struct {
	rate           *decimal.Decimal
	nature, reason *string
	category       *string
	reasonMember   string
	natureMember   string
}

// taxes gives what a line or a group has.
type taxes func(group any) taxed

func itemTaxes(group any) taxed {
	it, is := group.(*invoice.Item)
	if !is {
		it = &invoice.Item{}
	}
	return taxed{&it.TaxRate, &it.NatureCode, &it.TaxExemptionReason, &it.TaxCategoryCode, "taxExemptionReason", "natureCode"}
}

func groupTaxes(group any) taxed {
	g, is := group.(*invoice.TaxSummary)
	if !is {
		g = &invoice.TaxSummary{}
	}
	return taxed{&g.TaxRate, &g.NatureCode, &g.ExemptionReason, &g.TaxCategoryCode, "exemptionReason", "natureCode"}
}

// ratesNow are the kinds of VAT rate of 3.0 (VatRateType).
func ratesNow(of taxes) []row {
	member := of(nil)
	return []row{
		{Term: "BT-119", Path: "vatPercentage", When: normal, Codec: percentage(of)},
		{Term: "BT-119", Path: "vatContent", When: simplified, Codec: content(of)},
		{Path: "vatExemption/case", Codec: natured(of, profile.NAVExemption, member.natureMember)},
		{Term: "BT-120", Path: "vatExemption/reason", Codec: reason(of, profile.NAVExemption, member.reasonMember)},
		{Path: "vatOutOfScope/case", Codec: natured(of, profile.NAVOutOfScope)},
		{Term: "BT-120", Path: "vatOutOfScope/reason", Codec: reason(of, profile.NAVOutOfScope)},
		{Path: "vatDomesticReverseCharge", Codec: flagged(of, profile.NAVReverseCharge)},
		{Path: "marginSchemeIndicator", Codec: natured(of, profile.NAVMargin)},
		{Path: "vatAmountMismatch/vatRate", Codec: mismatch(of)},
		{Path: "vatAmountMismatch/case", Codec: natured(of, profile.NAVMismatch)},
		{Path: "noVatCharge", Codec: flagged(of, profile.NAVNoCharge)},
	}
}

// percentage is a rate as a share of one.
func percentage(of taxes) *m.Codec {
	return &m.Codec{
		Format: func(group any) string {
			t := of(group)
			if *t.nature != "" || !t.rate.IsSet() {
				return ""
			}
			return t.rate.Mul(decimal.New(1, 2)).Round(rateDecimals, decimal.HalfUp).Trim().WithMinScale(2).String()
		},
		Parse: func(text string, group any) {
			t := of(group)
			*t.category, *t.rate = "S", number(text).Mul(decimal.New(100, 0)).Trim()
		},
	}
}

// content is the share of the tax in a gross amount.
func content(of taxes) *m.Codec {
	return &m.Codec{
		Format: func(group any) string {
			t := of(group)
			if *t.nature != "" || !t.rate.IsSet() {
				return ""
			}
			return profile.NAVContent(*t.rate)
		},
		Parse: func(text string, group any) {
			t := of(group)
			*t.category, *t.rate = "S", profile.NAVRateOfContent(number(text))
		},
	}
}

// mismatch is the rate of a tax that differs from its base.
func mismatch(of taxes) *m.Codec {
	return &m.Codec{
		Format: func(group any) string {
			t := of(group)
			if profile.NAVKindOf(*t.nature) != profile.NAVMismatch {
				return ""
			}
			return t.rate.Mul(decimal.New(1, 2)).Round(rateDecimals, decimal.HalfUp).Trim().WithMinScale(2).String()
		},
		Parse: func(text string, group any) {
			t := of(group)
			*t.category, *t.rate = "S", number(text).Mul(decimal.New(100, 0)).Trim()
		},
	}
}

// natured is a case of one kind of rate, as natureCode has it.
func natured(of taxes, kind profile.NAVKind, members ...string) *m.Codec {
	return &m.Codec{
		Fields: members,
		Format: func(group any) string {
			nature := *of(group).nature
			if profile.NAVKindOf(nature) != kind {
				return ""
			}
			return strings.TrimPrefix(nature, kind.Prefix())
		},
		Parse: func(text string, group any) { take(of(group), profile.NAVNature(kind, strings.TrimSpace(text))) },
	}
}

// take puts a case into a line or group, with the category that it is of.
func take(t taxed, nature string) {
	*t.nature = nature
	if category := profile.NAVCategory(nature); category != "" {
		*t.category = category
	}
	if *t.category != "O" && *t.category != "S" {
		*t.rate = decimal.New(0, 0)
	}
}

// flagged is a kind of rate without cases.
func flagged(of taxes, kind profile.NAVKind) *m.Codec {
	return &m.Codec{
		Format: func(group any) string { return when(profile.NAVKindOf(*of(group).nature) == kind, "true") },
		Parse:  func(_ string, group any) { take(of(group), profile.NAVNature(kind, "")) },
	}
}

// reason is the reason of an exemption in a kind of rate.
func reason(of taxes, kind profile.NAVKind, members ...string) *m.Codec {
	return &m.Codec{
		Fields: members,
		Format: func(group any) string {
			t := of(group)
			return when(profile.NAVKindOf(*t.nature) == kind, *t.reason)
		},
		Parse: func(text string, group any) { *of(group).reason = strings.TrimSpace(text) },
	}
}
