package profile

import (
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// routeOf is a hybrid profile as it is written on the route of a country.
func routeOf(p *Profile, country string) *Profile { return p.In(country) }

// TestTermsOfPaymentAreInTheLanguageOfTheCountry has each sentence that is derived, by country.
func TestTermsOfPaymentAreInTheLanguageOfTheCountry(t *testing.T) {
	for _, c := range []struct{ country, terms, want string }{
		{"DE", `"paymentTerms":{"dueDays":14}`, "Zahlbar innerhalb von 14 Tagen ab Rechnungsdatum."},
		{"CH", `"paymentTerms":{"dueDays":0}`, "Zahlbar sofort ohne Abzug."},
		{"FR", `"paymentTerms":{"dueDays":14}`, "Payable dans les 14 jours suivant la date de facture."},
		{"FR", `"paymentTerms":{"dueDays":0}`, "Payable immédiatement, sans escompte."},
		{"FR", `"dueDate":"2026-04-15","paymentTerms":{}`, "Payable au plus tard le 15/04/2026."},
		{"BE", `"paymentTerms":{"dueDays":14}`, "Te betalen binnen 14 dagen na factuurdatum."},
		{"BE", `"dueDate":"2026-04-15","paymentTerms":{}`, "Te betalen uiterlijk op 15/04/2026."},
		{"DE", `"cashDiscountPercent":2,"cashDiscountDays":10`, "#SKONTO#TAGE=10#PROZENT=2.00#\n"},
		{"CH", `"cashDiscountPercent":2,"cashDiscountDays":10,"cashDiscountBaseAmount":50`, "2 % Skonto bei Zahlung innerhalb von 10 Tagen ab Rechnungsdatum (von 50.00 CHF)."},
		{"FR", `"cashDiscountPercent":2.5,"cashDiscountDays":10`, "Escompte de 2.5 % pour tout paiement dans les 10 jours suivant la date de facture."},
		{"BE", `"cashDiscountPercent":2,"cashDiscountDays":10`, "2 % korting bij betaling binnen 10 dagen na factuurdatum."},
		{"FR", `"retention":{"amount":50,"percent":5,"dueDate":"2027-01-31"}`, "Retenue de garantie: 50.00 CHF (5 %), exigible le 31/01/2027."},
		{"BE", `"retention":{"amount":50,"reason":"Waarborg","baseAmount":1000}`, "Waarborg: 50.00 CHF (op 1000.00 CHF)."},
	} {
		d := routeOf(Hybrid("zugferd", "urn:cen.eu:en16931:2017"), c.country).Derive(decode(t, `{"type":"invoice","issueDate":"2026-03-01","currency":"CHF",`+c.terms+`}`))
		if terms := d.Invoice.PaymentTerms; terms == nil || terms.Description != c.want {
			t.Errorf("%s %s: %+v, want %q", c.country, c.terms, terms, c.want)
		}
	}
}

// TestExtendedKeepsADiscountInElements ensures that the short form becomes the other, and no text.
func TestExtendedKeepsADiscountInElements(t *testing.T) {
	d := routeOf(ExtendedHybrid("zugferd", "urn:x"), "DE").Derive(decode(t, `{"type":"invoice","cashDiscountPercent":2,"cashDiscountDays":10}`))
	terms := d.Invoice.PaymentTerms
	if terms == nil || terms.Description != "" || terms.EarlyPaymentDiscount == nil || *terms.EarlyPaymentDiscount.Days != 10 || d.Invoice.CashDiscountDays != nil {
		t.Errorf("%+v", terms)
	}
	if from := d.Original("paymentTerms.earlyPaymentDiscount.discountPercent"); from != "cashDiscountPercent" {
		t.Errorf("the percentage comes from %s", from)
	}
}

// TestDeliveryBetweenPartnersInGermany ensures the day that ZUGFeRD demands, and that no other country gets one.
func TestDeliveryBetweenPartnersInGermany(t *testing.T) {
	const parties = `"type":"invoice","issueDate":"2026-03-01","seller":{"countryCode":"DE"},"buyer":{"countryCode":"DE"}`
	for _, c := range []struct {
		country, in string
		want        invoice.Date
	}{
		{"DE", `{` + parties + `}`, "2026-03-01"},
		{"DE", `{` + parties + `,"deliveryDate":"2026-02-20"}`, "2026-02-20"},
		{"DE", `{` + parties + `,"servicePeriod":{"start":"2026-02-01","end":"2026-02-28"}}`, "2026-02-28"},
		{"DE", `{` + parties + `,"servicePeriod":{"start":"2026-02-01"}}`, "2026-02-01"},
		{"DE", `{` + parties + `,"items":[{"servicePeriod":{"end":"2026-01-31"}},{"servicePeriod":{"start":"2026-01-01"}}]}`, "2026-01-31"},
		{"DE", `{` + parties + `,"items":[{"servicePeriod":{"end":"2026-01-31"}},{}]}`, "2026-03-01"},
		{"DE", `{"type":"invoice","issueDate":"2026-03-01","seller":{"countryCode":"DE"},"buyer":{"countryCode":"AT"}}`, ""},
		{"FR", `{` + parties + `}`, ""},
	} {
		d := routeOf(Hybrid("zugferd", "urn:cen.eu:en16931:2017"), c.country).Derive(decode(t, c.in))
		got := invoice.Date("")
		if d.Invoice.Delivery != nil {
			got = d.Invoice.Delivery.Date
		}
		if got != c.want {
			t.Errorf("%s %s: %q, want %q", c.country, c.in, got, c.want)
		}
	}
}

// TestSwissReferences ensures where the keys of Switzerland land (supplement §3), and that other countries leave them.
func TestSwissReferences(t *testing.T) {
	const in = `{"type":"invoice","seller":{},"countrySpecific":{"qrReference":"210000000003139471430009017","uid":"CHE-116.281.271"}}`
	d := routeOf(Hybrid("zugferd", "urn:cen.eu:en16931:2017"), "CH").Derive(decode(t, in))
	if d.Invoice.PaymentReference != "210000000003139471430009017" || d.Invoice.Seller.TaxID != "CHE-116.281.271" {
		t.Errorf("%+v", d.Invoice)
	}
	if from := d.Original("paymentReference"); from != "countrySpecific.qrReference" {
		t.Errorf("the reference comes from %s", from)
	}
	if d = routeOf(Hybrid("zugferd", "urn:cen.eu:en16931:2017"), "DE").Derive(decode(t, in)); d.Invoice.PaymentReference != "" || d.Invoice.Seller.TaxID != "" {
		t.Errorf("in Germany: %+v", d.Invoice)
	}
}

// TestXRechnungInCIIHasOnePrecedingInvoice ensures the warning about the others.
func TestXRechnungInCIIHasOnePrecedingInvoice(t *testing.T) {
	d := XRechnungCII().Derive(decode(t, `{"type":"invoice","seller":{},"referencedInvoices":[{"number":"1"},{"number":"2"},{"number":"3"}]}`))
	if len(d.Invoice.ReferencedInvoices) != 1 || len(d.Warnings) != 1 || d.Warnings[0].Field != "referencedInvoices[1]" {
		t.Errorf("%+v %+v", d.Invoice.ReferencedInvoices, d.Warnings)
	}
}

// TestHybridsHaveTheKeysOfTheCountry ensures that the keys of France and Belgium land in Factur-X where they do in UBL.
func TestHybridsHaveTheKeysOfTheCountry(t *testing.T) {
	for _, c := range []struct {
		country, keys string
		got           func(*invoice.Invoice) string
		want          string
	}{
		{"BE", `"enterpriseNumber":"0123.456.749"`, func(inv *invoice.Invoice) string {
			return inv.Seller.RegistrationScheme + ":" + inv.Seller.RegistrationNumber
		}, "0208:0123456749"},
		{"BE", `"structuredCommunication":"+++1+++"`, func(inv *invoice.Invoice) string { return inv.PaymentReference }, "+++1+++"},
		{"FR", `"siren":"123456789"`, func(inv *invoice.Invoice) string {
			return inv.Seller.RegistrationScheme + ":" + inv.Seller.RegistrationNumber
		}, "0002:123456789"},
		{"FR", `"notes":{"PMT":"a","PMD":"b"}`, func(inv *invoice.Invoice) string { return inv.NoteEntries[1].SubjectCode + inv.NoteEntries[1].Text }, "PMDb"},
		{"DE", `"siren":"123456789"`, func(inv *invoice.Invoice) string { return inv.Seller.RegistrationNumber }, ""},
	} {
		for _, p := range []*Profile{Hybrid("facturx", "urn:x"), ExtendedHybrid("facturx", "urn:x")} {
			inv := p.In(c.country).Derive(decode(t, `{"type":"invoice","seller":{},"countrySpecific":{`+c.keys+`}}`)).Invoice
			if got := c.got(inv); got != c.want {
				t.Errorf("%s %s: %q, want %q", c.country, c.keys, got, c.want)
			}
		}
	}
}
