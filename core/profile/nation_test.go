package profile

import (
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/rulebooks/lists"
)

// TestSentencesAreInTheLanguageOfTheCountry has the terms of payment by days, which each country words, and that no language lacks a text.
func TestSentencesAreInTheLanguageOfTheCountry(t *testing.T) {
	for country, want := range map[string]string{
		"AT": "Zahlbar innerhalb von 14 Tagen ab Rechnungsdatum.", "BE": "Te betalen binnen 14 dagen na factuurdatum.", "BG": "Плаща се в срок от 14 дни от датата на фактурата.",
		"CY": "Πληρωτέο εντός 14 ημερών από την ημερομηνία του τιμολογίου.", "CZ": "Splatné do 14 dnů od data vystavení.", "DK": "Betales inden 14 dage fra fakturadatoen.",
		"EE": "Tasuda 14 päeva jooksul alates arve kuupäevast.", "ES": "Pago a 14 días desde la fecha de la factura.", "FI": "Maksettava 14 päivän kuluessa laskun päiväyksestä.",
		"FR": "Payable dans les 14 jours suivant la date de facture.", "GB": "Payable within 14 days of the invoice date.", "HR": "Plativo u roku od 14 dana od datuma računa.",
		"IE": "Payable within 14 days of the invoice date.", "IS": "Greiðist innan 14 daga frá dagsetningu reiknings.", "LI": "Zahlbar innerhalb von 14 Tagen ab Rechnungsdatum.",
		"LT": "Apmokėti per 14 d. nuo sąskaitos datos.", "LU": "Payable dans les 14 jours suivant la date de facture.", "LV": "Apmaksājams 14 dienu laikā no rēķina datuma.",
		"MT": "Payable within 14 days of the invoice date.", "NL": "Te betalen binnen 14 dagen na factuurdatum.", "NO": "Betales innen 14 dager fra fakturadato.",
		"PL": "Płatne w ciągu 14 dni od daty wystawienia faktury.", "SE": "Betalas inom 14 dagar från fakturadatum.", "SI": "Plačljivo v 14 dneh od datuma računa.",
		"SK": "Splatné do 14 dní od dátumu vyhotovenia.", "US": "Payable within 14 days of the invoice date.",
	} {
		d := PeppolBIS("ubl").In(country).Derive(decode(t, `{"type":"invoice","issueDate":"2026-03-01","paymentTerms":{"dueDays":14}}`))
		if got := d.Invoice.PaymentTerms.Description; got != want {
			t.Errorf("%s: %q, want %q", country, got, want)
		}
		w := (&Draft{Profile: &Profile{Country: country}}).words()
		if slices.Contains([]string{w.dueNow, w.dueDays, w.dueOn, w.retention, w.of, w.payable, w.discountDays}, "") || w.day == nil {
			t.Errorf("%s lacks a text: %+v", country, w)
		}
		if !strings.Contains(w.day("2027-01-31"), "2027") || w.day("x") != "x" {
			t.Errorf("%s writes a day as %s", country, w.day("2027-01-31"))
		}
	}
}

// TestTypesWithoutACodeFallBack has what each customisation makes of the types that it has no code for (contract, type rules).
func TestTypesWithoutACodeFallBack(t *testing.T) {
	const german = `,"seller":{"countryCode":"DE"},"buyer":{"countryCode":"DE"}`
	const fallback = "DOCUMENT_TYPE_FALLBACK type"
	for _, c := range []struct {
		profile         *Profile
		in, code, wants string
	}{
		{PeppolBIS("ubl"), `"type":"correction"`, "380", fallback},
		{PeppolBIS("ubl"), `"type":"partial"`, "380", fallback},
		{PeppolBIS("ubl"), `"type":"correction"` + german, "384", ""},
		{PeppolBIS("ubl"), `"type":"partial"` + german, "326", ""},
		{PeppolBIS("ubl"), `"type":"final_construction"`, "877", ""},
		{PeppolBIS("ubl"), `"type":"credit_note"`, "381", ""},
		{PeppolBIS("ubl"), `"type":"proforma"`, "", "PEPPOL-EN16931-P0100 type"},
		{PeppolBIS("ubl"), `"type":"correction","countrySpecific":{"invoiceTypeCode":"384"}`, "384", ""}, // P0112 judges it
		{PeppolBIS("ubl"), `"type":"invoice","countrySpecific":{"invoiceTypeCode":"751"}`, "751", "PEPPOL-EN16931-P0100 countrySpecific.invoiceTypeCode"},
		{PeppolBIS("ubl"), `"type":"invoice","countrySpecific":{"invoiceTypeCode":"383"}`, "383", ""},
		{PeppolSelfBilled("ubl"), `"type":"self_billed"`, "389", ""},
		{PeppolSelfBilled("ubl"), `"type":"credit_note","countrySpecific":{"invoiceTypeCode":"261"}`, "261", ""},
		{NLCIUS("ubl"), `"type":"correction"`, "384", ""},
		{NLCIUS("ubl"), `"type":"self_billed"`, "389", ""},
		{NLCIUS("ubl"), `"type":"final_construction"`, "380", fallback},
		{NLCIUS("ubl"), `"type":"proforma"`, "", "BR-NL-7 type"},
	} {
		d := c.profile.In("BE").Derive(decode(t, `{`+c.in+`}`))
		if got := d.Invoice.CountrySpecific.InvoiceTypeCode; got != c.code || strings.Join(codesOf(d.Warnings, d.Errors), " ") != c.wants {
			t.Errorf("%s %s: %s %v", c.profile.Specification, c.in, got, codesOf(d.Warnings, d.Errors))
		}
	}
}

// TestWhichCustomisationTakesAnInvoice has who is self-billed, and who is Dutch.
func TestWhichCustomisationTakesAnInvoice(t *testing.T) {
	const dutch = `"seller":{"countryCode":"NL"},"buyer":{"countryCode":"NL"},`
	for _, c := range []struct {
		in               string
		selfBilled, nlci bool
	}{
		{`{"type":"invoice"}`, false, false},
		{`{"type":"self_billed"}`, true, false},
		{`{"type":"credit_note","countrySpecific":{"invoiceTypeCode":"261"}}`, true, false},
		{`{` + dutch + `"type":"invoice"}`, false, true},
		{`{` + dutch + `"type":"self_billed"}`, true, true},
		{`{` + dutch + `"type":"credit_note","countrySpecific":{"invoiceTypeCode":"261"}}`, true, false},
		{`{"seller":{"countryCode":"NL"},"buyer":{"countryCode":"BE"},"type":"invoice"}`, false, false},
	} {
		if inv := decode(t, c.in); SelfBilled(inv) != c.selfBilled || NotSelfBilled(inv) == c.selfBilled || Dutch(inv) != c.nlci {
			t.Errorf("%s: self-billed %v, Dutch %v", c.in, SelfBilled(inv), Dutch(inv))
		}
	}
}

// TestNetworkAddresses has what a party is known by in the network where it states no electronic address.
func TestNetworkAddresses(t *testing.T) {
	eas, err := lists.Open("eas", "peppol-2026.5")
	if err != nil {
		t.Fatal(err)
	}
	codes, err := eas.Variant("")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ party, want string }{
		{`{"vatId":"BE0123456749"}`, "9925:BE0123456749"},
		{`{"vatId":"DK12345674"}`, "0184:12345674"},
		{`{"vatId":"FI12345671"}`, "0216:003712345671"},
		{`{"vatId":"NO123456785MVA"}`, "0192:123456785"},
		{`{"vatId":"SE556677889901"}`, "0007:5566778899"},
		{`{"vatId":"IS12345","countryCode":"IS","registrationNumber":"5501011230","registrationScheme":"0196"}`, "0196:5501011230"},
		{`{"registrationNumber":"12345678","registrationScheme":"0106"}`, "0106:12345678"},
		{`{"registrationNumber":"12345678","registrationScheme":"0154"}`, ""}, // no scheme of addresses
		{`{"vatId":"FI1","countryCode":"FI"}`, ""},
		{`{"email":"a@b.example"}`, ""},
		{`{"email":"a@b.example","vatId":"EL123456789"}`, "9933:EL123456789"},
		{`{"vatId":"BE0123456749","electronicAddress":{"id":"1","schemeId":"0088"}}`, "0088:1"},
	} {
		d := PeppolBIS("ubl").Derive(decode(t, `{"type":"invoice","seller":`+c.party+`}`))
		got := ""
		if a := d.Invoice.Seller.ElectronicAddress; a != nil {
			if got = a.SchemeID + ":" + a.ID; !slices.Contains(codes, a.SchemeID) {
				t.Errorf("%s: Peppol does not take %s", c.party, a.SchemeID)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.party, got, c.want)
		}
	}
	for _, scheme := range registerSchemes {
		if !slices.Contains(codes, scheme) {
			t.Errorf("Peppol does not take the scheme %s", scheme)
		}
	}
}

// TestNationalSteps has what the steps of single countries and of Peppol do beside the keys.
func TestNationalSteps(t *testing.T) {
	const danes = `"type":"invoice","currency":"DKK","seller":{"countryCode":"DK","bankAccount":{"iban":"DK5000400440116243"%s}},"buyer":{"countryCode":"DK"},"paymentMethods":[{"type":"credit_transfer"%s}]`
	for _, c := range []struct{ country, in, member, want string }{
		{"DK", strings.Replace(strings.Replace(danes, "%s", `,"bic":"DABADKKK"`, 1), "%s", "", 1), "code", "31"},
		{"DK", strings.ReplaceAll(danes, "%s", ""), "code", "42"},
		{"DK", strings.ReplaceAll(danes, "%s", ""), "account", "0440116243 0040"},
		{"DK", strings.Replace(strings.Replace(danes, "%s", "", 1), "%s", `,"code":"30"`, 1), "code", "30"},
		{"DK", strings.Replace(strings.ReplaceAll(danes, "%s", ""), "DK5000400440116243", "BE68539007547034", 1), "code", "30"},
		{"DK", strings.Replace(strings.Replace(strings.ReplaceAll(danes, "%s", ""), "DK5000400440116243", "BE68539007547034", 1), "DKK", "EUR", 1), "code", "58"},
		{"BE", strings.ReplaceAll(danes, "%s", ""), "code", "30"},
		{"BE", `"type":"invoice","seller":{"countryCode":"DK","registrationNumber":"12345674"}`, "scheme", "0184"},
		{"BE", `"type":"invoice","seller":{"countryCode":"NL","registrationNumber":"12345678"}`, "scheme", "0106"},
		{"BE", `"type":"invoice","seller":{"countryCode":"NL","registrationNumber":"00000001234567890000"}`, "scheme", "0190"},
		{"BE", `"type":"invoice","seller":{"countryCode":"NL","registrationNumber":"KVK 12345678"}`, "scheme", ""},
		{"BE", `"type":"invoice","seller":{"countryCode":"BE","registrationNumber":"0123456749"}`, "scheme", ""},
		{"BE", `"type":"invoice","notes":"a","noteEntries":[{"text":"b","subjectCode":"AAI"},{"text":"c"}]`, "note", "a\n#AAI#b\nc"},
		{"SE", `"type":"invoice","seller":{"taxId":"other"},"countrySpecific":{"fSkatt":true}`, "taxId", "other"},
		{"SE", `"type":"invoice","seller":{},"countrySpecific":{"fSkatt":false}`, "taxId", ""},
		{"NO", `"type":"invoice","seller":{"registrationNumber":"1"},"countrySpecific":{"orgnr":"123456785"}`, "registration", "1"},
	} {
		inv := PeppolBIS("ubl").In(c.country).Derive(decode(t, `{`+c.in+`}`)).Invoice
		if got := memberOf(inv, c.member); got != c.want {
			t.Errorf("%s {%s}: %s is %q, want %q", c.country, c.in, c.member, got, c.want)
		}
	}
}

func memberOf(inv *invoice.Invoice, member string) string {
	switch member {
	case "code":
		return inv.PaymentMethods[0].Code
	case "account":
		return inv.PaymentMethods[0].Account.ID + " " + inv.PaymentMethods[0].Account.BIC
	case "scheme":
		return inv.Seller.RegistrationScheme
	case "registration":
		return inv.Seller.RegistrationNumber
	case "taxId":
		return inv.Seller.TaxID
	}
	if len(inv.NoteEntries) != 1 {
		return "not one note"
	}
	return inv.NoteEntries[0].Text
}

// TestKeysAreFoundAgain ensures that findings name the key where it gave the member, and the member where the caller gave that.
func TestKeysAreFoundAgain(t *testing.T) {
	for _, c := range []struct{ country, in, member, want string }{
		{"BE", `{"type":"invoice","seller":{},"countrySpecific":{"enterpriseNumber":"0123456749"}}`, "seller.registrationNumber", "countrySpecific.enterpriseNumber"},
		{"BE", `{"type":"invoice","seller":{"registrationNumber":"0123456749"}}`, "seller.registrationNumber", "seller.registrationNumber"},
		{"BE", `{"type":"invoice","seller":{"vatId":"BE0123456749"}}`, "seller.electronicAddress.id", "seller.vatId"},
		{"DK", `{"type":"invoice","seller":{},"paymentMethods":[{"type":"danish_fik"}],"countrySpecific":{"fik":{"cardType":"71","paymentId":"1","creditorNumber":"2"}}}`,
			"paymentReference", "countrySpecific.fik.cardType"},
		{"SK", `{"type":"invoice","seller":{},"countrySpecific":{"icDph":"SK1"}}`, "seller.vatId", "countrySpecific.icDph"},
	} {
		if got := PeppolBIS("ubl").In(c.country).Derive(decode(t, c.in)).Original(c.member); got != c.want {
			t.Errorf("%s %s: %s comes from %s, want %s", c.country, c.in, c.member, got, c.want)
		}
	}
}
