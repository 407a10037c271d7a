package nav

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// taxNumber takes a tax number of the form 8-1-2 apart: taxpayer, VAT code and county code, of which the last two may be missing.
var taxNumber = &m.Split{
	Parts: profile.HungarianTaxNumber,
	Join: func(parts []string) (string, bool) {
		text := parts[0]
		for _, part := range parts[1:] {
			if part != "" {
				text += "-" + part
			}
		}
		return text, parts[0] != ""
	},
}

// communityNumber is a VAT identifier of the European Union.
var communityNumber = formed(`^[A-Z]{2}[0-9A-Z]{2,13}$`)

// taxpayerOfVATID is the taxpayer of a Hungarian VAT identifier.
var taxpayerOfVATID = &m.Converter{
	Write: func(vatID string) (string, bool) {
		parts := profile.HungarianTaxNumber(vatID)
		if parts == nil {
			return "", false
		}
		return parts[0], true
	},
	Read: func(taxpayer string) (string, bool) { return "HU" + taxpayer, true },
}

// account is an IBAN; documents have Hungarian account numbers of 16 or 24 digits as well.
var account = &m.Converter{
	Write: func(text string) (string, bool) { return text, invoice.ValidIBAN(text) && len(text) <= 34 },
	Read: func(text string) (string, bool) {
		iban := profile.HungarianIBAN(text)
		return iban, iban != ""
	},
}

// formed is for texts of a form: others have no place.
func formed(form string) *m.Converter {
	is := regexp.MustCompile(form)
	return &m.Converter{Write: func(text string) (string, bool) { return text, is.MatchString(text) }, Read: asItIs}
}

// short is for texts of so many characters: longer ones have no place.
func short(most int) *m.Converter {
	return &m.Converter{Write: func(text string) (string, bool) { return text, utf8.RuneCountInString(text) <= most }, Read: asItIs}
}

func asItIs(text string) (string, bool) { return text, true }

// computed is a text that the invoice gives; computedOf is one that a member of the group around it decides about.
func computed(text func(scope) string) *m.Computed[invoice.Invoice] {
	return &m.Computed[invoice.Invoice]{Text: text}
}

func computedOf(member string, text func(scope) string) *m.Computed[invoice.Invoice] {
	return &m.Computed[invoice.Invoice]{Of: []string{member}, Text: text}
}

func always(text string) func(scope) string { return func(scope) string { return text } }

func when(yes bool, text string) string {
	if yes {
		return text
	}
	return ""
}

// category is that of the invoice.
func category(s scope) string {
	if s.Invoice.CountrySpecific == nil {
		return ""
	}
	return s.Invoice.CountrySpecific.InvoiceCategory
}

func normal(s scope) bool     { return category(s) != profile.NAVSimplified }
func simplified(s scope) bool { return category(s) == profile.NAVSimplified }
func aggregate(s scope) bool  { return category(s) == profile.NAVAggregate }

func domestic(s scope) bool {
	return s.Invoice.CountrySpecific != nil && s.Invoice.CountrySpecific.CustomerVATStatus == profile.NAVDomestic
}

func foreign(s scope) bool { return !domestic(s) && s.Invoice.Buyer != nil }

// thirdState is for buyers who have no VAT identifier of the European Union.
func thirdState(s scope) bool { return foreign(s) && s.Invoice.Buyer.VATID == "" }

// thirdStateNumber is the number of a buyer of a third state.
var thirdStateNumber = &m.Codec{
	Fields: []string{"buyer.taxId"},
	Format: func(group any) string { return group.(*invoice.Invoice).Buyer.TaxID },
	Parse:  func(text string, group any) { made(&group.(*invoice.Invoice).Buyer).TaxID = text },
}

// made gives a struct, which is made where there is none.
func made[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

// selfBilled is the code of self-billed invoices.
var selfBilled = &m.Codec{
	Format: func(group any) string {
		cs := group.(*invoice.Invoice).CountrySpecific
		return when(cs != nil && cs.InvoiceTypeCode == "389", "true")
	},
	Parse: func(text string, group any) {
		if text = strings.TrimSpace(text); text == "true" || text == "1" {
			made(&group.(*invoice.Invoice).CountrySpecific).InvoiceTypeCode = "389"
		}
	},
}

// payment is the first way to pay.
var payment = &m.Codec{
	Fields: []string{"paymentMethods[].code"},
	Format: func(group any) string {
		inv := group.(*invoice.Invoice)
		if len(inv.PaymentMethods) == 0 {
			return ""
		}
		return profile.NAVPayment(inv.PaymentMethods[0].Code)
	},
	Parse: func(text string, group any) {
		inv := group.(*invoice.Invoice)
		inv.PaymentMethods = append(inv.PaymentMethods, invoice.PaymentMethod{Code: profile.NAVPaymentCode(strings.TrimSpace(text))})
		if text == "VOUCHER" {
			put(made(&inv.CountrySpecific), "invoiceMain/invoice/invoiceHead/invoiceDetail/paymentMethod", []string{text})
		}
	},
}

func noteName(group any) *string      { return &group.(*invoice.Note).SubjectCode }
func attributeName(group any) *string { return &group.(*invoice.Attribute).Name }

// named is one of the two names of additional data: the coded one, or the words, which stand in one member with a blank between them.
func named(of func(any) *string, part int, members ...string) *m.Codec {
	return &m.Codec{
		Fields: members,
		Format: func(group any) string {
			coded, words, _ := strings.Cut(*of(group), " ")
			return []string{coded, words}[part]
		},
		Parse: func(text string, group any) {
			name := of(group)
			text = strings.TrimSpace(text)
			if part == 0 {
				*name = text
			} else {
				*name += " " + text
			}
		},
	}
}

// listedProduct are codes of products of the authority's lists (ProductCodeValueType).
var listedProduct = regexp.MustCompile(`^[A-Z0-9]{2,30}$`)

// productCode is the code of a product: those of a list have one element, the seller's own (OWN) another one, which takes any text
// (ProductCodeType).
func productCode(listed bool) *m.Codec {
	return &m.Codec{
		Fields: []string{"id"},
		Format: func(group any) string {
			c := group.(*invoice.Classification)
			return when((c.SchemeID != profile.NAVOwnProduct && listedProduct.MatchString(c.ID)) == listed, c.ID)
		},
		Parse: func(text string, group any) { group.(*invoice.Classification).ID = strings.TrimSpace(text) },
	}
}

// unit is the unit of a line, and ownUnit that which the authority has no word for.
var (
	unit = &m.Codec{
		Fields: []string{"unit"},
		Format: func(group any) string {
			it := group.(*invoice.Item)
			if it.Unit == "" {
				return ""
			}
			return profile.NAVUnit(it.Unit)
		},
		Parse: func(text string, group any) {
			if it := group.(*invoice.Item); it.Unit == "" {
				it.Unit = profile.NAVUnitCode(strings.TrimSpace(text))
			}
		},
	}
	ownUnit = &m.Codec{
		Format: func(group any) string {
			it := group.(*invoice.Item)
			return when(it.Unit != "" && profile.NAVUnit(it.Unit) == profile.NAVOwnUnit, it.Unit)
		},
		Parse: func(text string, group any) { group.(*invoice.Item).Unit = strings.TrimSpace(text) },
	}
)

// discountRate is the percentage of a discount, as a share of one.
var discountRate = &m.Codec{
	Fields: []string{"percentage"},
	Format: func(group any) string {
		c := group.(*invoice.LineCharge)
		if !c.Percentage.IsSet() {
			return ""
		}
		return c.Percentage.Mul(decimal.New(1, 2)).Round(rateDecimals, decimal.HalfUp).Trim().String()
	},
	Parse: func(text string, group any) {
		group.(*invoice.LineCharge).Percentage = number(text).Mul(decimal.New(100, 0)).Trim()
	},
}

// lineDay is the day of delivery of a line of an aggregate invoice: a period of one day.
var lineDay = &m.Codec{
	Fields: []string{"servicePeriod.start", "servicePeriod.end"},
	Format: func(group any) string {
		p := group.(*invoice.Item).ServicePeriod
		if p == nil {
			return ""
		}
		return string(max(p.Start, p.End))
	},
	Parse: func(text string, group any) {
		day := invoice.Date(strings.TrimSpace(text))
		group.(*invoice.Item).ServicePeriod = &invoice.Period{Start: day, End: day}
	},
}

// lineGross and groupTotal are amounts of a simplified invoice, which are read as net amounts until profile.NAV takes the tax out.
var (
	lineGross = &m.Codec{
		Fields: []string{"netAmount", "taxAmount"},
		Format: func(group any) string { return money(profile.NAVGross(group.(*invoice.Item))) },
		Parse:  func(text string, group any) { group.(*invoice.Item).NetAmount = number(text) },
	}
	groupTotal = &m.Codec{
		Fields: []string{"netAmount", "taxAmount", "taxCurrencyTaxAmount"},
		Format: func(group any) string {
			g := group.(*invoice.TaxSummary)
			return money(g.NetAmount.Add(g.TaxAmount))
		},
		Parse: func(text string, group any) { group.(*invoice.TaxSummary).NetAmount = number(text) },
	}
)

// number is a decimal; not set for what is none.
func number(text string) decimal.Decimal {
	d, err := decimal.Parse(strings.TrimSpace(text))
	if err != nil {
		return decimal.Decimal{}
	}
	return d
}
