package profile

import (
	"cmp"
	"slices"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// Hybrid is a profile of ZUGFeRD and Factur-X, the invoice in CII that a PDF carries, with its specification identifier (BT-24). The
// sentences that are derived are those of the country whose route it is written for.
//
// BR-CO-15 of Factur-X 1.07.3 and 1.08 holds whatever the total is, so it is asked of the invoice.
func Hybrid(token, specification string) *Profile {
	p := hybrid(token, specification, inText(skonto), inText(discountSentence))
	p.GrandTotal = true
	return New(p)
}

// ExtendedHybrid is the profile EXTENDED, which has elements for a cash discount.
func ExtendedHybrid(token, specification string) *Profile {
	return New(hybrid(token, specification, discountTerms))
}

func hybrid(token, specification string, discount ...Step) Profile {
	german := []Step{smallBusiness, constructionNotes}
	for i := range german {
		german[i] = in("DE", german[i])
	}
	return Profile{
		Token:         token,
		Specification: specification,
		Steps: slices.Concat([]Step{buyerReference, in("DE", germanMeansCode), swissReferences}, CommonSteps(), german,
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

// swissReferences: the reference of a QR-bill is the remittance information (BT-83), and the enterprise number (UID) of a seller who
// is not registered for VAT is the other registration (BT-32).
var swissReferences = Step{
	Name: "Swiss references",
	Moves: []Move{
		{"countrySpecific.qrReference", "paymentReference"},
		{"countrySpecific.uid", "seller.taxId"},
	},
	Derive: func(d *Draft) {
		cs := d.Invoice.CountrySpecific
		if cs == nil || d.Profile.Country != "CH" {
			return
		}
		moveInto(&d.Invoice.PaymentReference, &cs.QRReference)
		if d.Invoice.Seller != nil {
			moveInto(&d.Invoice.Seller.TaxID, &cs.UID)
		}
	},
}

// words are the sentences that are derived, in one language.
type words struct {
	dueNow, dueDays, dueOn string // %d is a number of days, %s a date
	retention, of, payable string
	discountDays           string // %s is a percentage, %d a number of days
	day                    func(invoice.Date) string
}

// languages gives the words of the countries whose first language is not German.
var languages = map[string]*words{"FR": french, "BE": dutch}

func (d *Draft) words() *words { return cmp.Or(languages[d.Profile.Country], german) }

var german = &words{
	dueNow: "Zahlbar sofort ohne Abzug.", dueDays: "Zahlbar innerhalb von %d Tagen ab Rechnungsdatum.", dueOn: "Zahlbar bis %s.",
	retention: "Sicherheitseinbehalt", of: "von", payable: "fällig am",
	discountDays: "%s %% Skonto bei Zahlung innerhalb von %d Tagen ab Rechnungsdatum", day: germanDay,
}

var french = &words{
	dueNow: "Payable immédiatement, sans escompte.", dueDays: "Payable dans les %d jours suivant la date de facture.", dueOn: "Payable au plus tard le %s.",
	retention: "Retenue de garantie", of: "sur", payable: "exigible le",
	discountDays: "Escompte de %s %% pour tout paiement dans les %d jours suivant la date de facture", day: slashedDay,
}

var dutch = &words{
	dueNow: "Onmiddellijk te betalen, zonder korting.", dueDays: "Te betalen binnen %d dagen na factuurdatum.", dueOn: "Te betalen uiterlijk op %s.",
	retention: "Garantie-inhouding", of: "op", payable: "te betalen op",
	discountDays: "%s %% korting bij betaling binnen %d dagen na factuurdatum", day: slashedDay,
}

// slashedDay writes a date as it is read in France and Belgium.
func slashedDay(day invoice.Date) string {
	if !day.Valid() {
		return string(day)
	}
	return string(day[8:] + "/" + day[5:7] + "/" + day[:4])
}
