package profile

import (
	"cmp"
	"slices"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// Hybrid is a profile of ZUGFeRD and Factur-X, the invoice in CII that a PDF carries, with its specification identifier (BT-24). The
// sentences that are derived are those of the country whose route it is written for. BR-CO-15 of Factur-X 1.07.3 and 1.08 holds whatever the
// total is, so it is asked of the invoice.
func Hybrid(token, specification string) *Profile {
	return national(func(n nation) Profile {
		p := hybrid(token, specification, n, inText(skonto), inText(discountSentence))
		p.GrandTotal = true
		return p
	})
}

// ExtendedHybrid is the profile EXTENDED, which has elements for a cash discount.
func ExtendedHybrid(token, specification string) *Profile {
	return national(func(n nation) Profile { return hybrid(token, specification, n, discountTerms) })
}

func hybrid(token, specification string, n nation, discount ...Step) Profile {
	german := []Step{smallBusiness, constructionNotes}
	for i := range german {
		german[i] = in("DE", german[i])
	}
	return Profile{
		Token:         token,
		Specification: specification,
		Steps: slices.Concat([]Step{buyerReference, in("DE", germanMeansCode)}, n.keys, CommonSteps(), german,
			[]Step{sellerIdentifier, germanDelivery, termsSentence, retention}, discount),
	}
}

// germanDelivery: what an invoice between partners in Germany gives no day for was delivered at the end of its period, else on the
// day of issue (contract, servicePeriod: required in DE if different from issueDate). Factur-X 1.08 wants the document to say so, beside
// a period as well (FX-SCH-A-000354).
var germanDelivery = Step{
	Name:   "German delivery",
	Copies: []Move{{"servicePeriod.end", "delivery.date"}, {"servicePeriod.start", "delivery.date"}, {"issueDate", "delivery.date"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if d.Profile.Country != "DE" || !within("DE", inv.Seller) || !within("DE", inv.Buyer) {
			return
		}
		if inv.Delivery == nil {
			inv.Delivery = &invoice.Delivery{}
		}
		inv.Delivery.Date = cmp.Or(inv.Delivery.Date, lastDay(inv.ServicePeriod), lastLineDay(inv), inv.IssueDate)
	},
}

// lastDay is the end of a period, or its only day; empty without a period.
func lastDay(p *invoice.Period) invoice.Date {
	if p == nil {
		return ""
	}
	return cmp.Or(p.End, p.Start)
}

// lastLineDay is the end of the last period of a line, where all have one.
func lastLineDay(inv *invoice.Invoice) (last invoice.Date) {
	for i := range inv.Items {
		day := lastDay(inv.Items[i].ServicePeriod)
		if day == "" {
			return ""
		}
		last = max(last, day)
	}
	return last
}

func within(country string, p *invoice.Party) bool { return p != nil && p.CountryCode == country }

// in limits what a step derives to one country.
func in(country string, s Step) Step {
	derive := s.Derive
	s.Derive = func(d *Draft) {
		if d.Profile.Country == country {
			derive(d)
		}
	}
	return s
}

// inText limits the two forms of a cash discount in the terms of payment, that of BR-DE-18 and a sentence, to the countries that have
// them.
func inText(s Step) Step {
	derive, german := s.Derive, s.Name == skonto.Name
	s.Derive = func(d *Draft) {
		if german == (d.Profile.Country == "DE") {
			derive(d)
		}
	}
	return s
}

// discountSentence: a cash discount is a sentence of the terms of payment where no form is prescribed.
var discountSentence = Step{
	Name:  "cash discount as a sentence",
	Moves: skonto.Moves,
	Derive: func(d *Draft) {
		if discount := takeDiscount(d.Invoice); discount != nil {
			terms := termsOf(d.Invoice)
			terms.Description = paragraph(terms.Description, d.words().discount(discount, d.Invoice.Currency))
		}
	},
}

// discountTerms: the short form of a cash discount is the one of the terms of payment.
var discountTerms = Step{
	Name: "cash discount",
	Moves: []Move{
		{"cashDiscountPercent", "paymentTerms.earlyPaymentDiscount.discountPercent"}, {"cashDiscountDays", "paymentTerms.earlyPaymentDiscount.days"},
		{"cashDiscountBaseAmount", "paymentTerms.earlyPaymentDiscount.baseAmount"},
	},
	Derive: func(d *Draft) {
		if discount := takeDiscount(d.Invoice); discount != nil {
			discount.DiscountPercent = discount.DiscountPercent.WithMinScale(2)
			termsOf(d.Invoice).EarlyPaymentDiscount = discount
		}
	},
}
