package ksef

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// stashed is for an element that is computed: documents are read to national, where profile.KSeF holds them against the invoice.
func stashed(e profile.FADerived) *m.Codec {
	return &m.Codec{
		Fields: e.Fields,
		Format: func(group any) string { return e.Of(group.(*invoice.Invoice)) },
		Parse:  func(text string, group any) { put(countryOf(group.(*invoice.Invoice)), e.Path, []string{text}) },
	}
}

// polishNumber is the NIP in the place of a VAT identifier.
var polishNumber = &m.Converter{
	Write: func(vatID string) (string, bool) {
		nip := profile.PolishNIP(vatID)
		return nip, nip != ""
	},
	Read: func(nip string) (string, bool) { return "PL" + nip, true },
}

// digitsOnly is for numbers with so many digits.
func digitsOnly(lengths ...int) *m.Converter {
	same := func(text string) (string, bool) {
		return text, slices.Contains(lengths, len(text)) && strings.Trim(text, "0123456789") == ""
	}
	return &m.Converter{Write: same, Read: same}
}

// accountNumber is an IBAN, which documents may have without PL.
var accountNumber = &m.Converter{
	Write: func(text string) (string, bool) { return text, true },
	Read: func(text string) (string, bool) {
		plain := invoice.PlainIBAN(text)
		if !invoice.ValidIBAN(plain) {
			plain = "PL" + plain
		}
		return plain, invoice.ValidIBAN(plain)
	},
}

var bankCode = &m.Converter{
	Write: func(text string) (string, bool) { return text, true },
	Read:  func(text string) (string, bool) { return text, invoice.ValidBIC(text) },
}

// units are the words that Polish invoices have for units of UN/ECE Recommendation 20. Units are written as they are sent.
var units = &m.Converter{
	Write: func(unit string) (string, bool) { return unit, true },
	Read: func(text string) (string, bool) {
		if code := unitWords[strings.TrimSuffix(strings.ToLower(text), ".")]; code != "" {
			return code, true
		}
		return text, true
	},
}

var unitWords = map[string]string{"szt": "C62", "godz": "HUR", "h": "HUR", "kg": "KGM", "t": "TNE", "l": "LTR", "m": "MTR", "km": "KMT", "m2": "MTK", "m3": "MTQ",
	"kwh": "KWH", "dzień": "DAY", "dni": "DAY", "mies": "MON", "usł": "C62"}

func sellerOf(inv *invoice.Invoice) **invoice.Party { return &inv.Seller }
func buyerOf(inv *invoice.Invoice) **invoice.Party  { return &inv.Buyer }

// made gives a party, which is made where there is none.
func made(p **invoice.Party) *invoice.Party {
	if *p == nil {
		*p = &invoice.Party{}
	}
	return *p
}

// linesOf gives the two lines of an address.
func linesOf(p *invoice.Party) (first, second string) {
	if p == nil {
		return "", ""
	}
	return profile.FAAddress(&invoice.Address{Street: p.Street, AdditionalStreet: p.AdditionalStreet, AddressLine3: p.AddressLine3, City: p.City, PostalCode: p.PostalCode})
}

func firstLine(of func(*invoice.Invoice) **invoice.Party, member string) *m.Codec {
	return &m.Codec{
		Fields: []string{member + "street", member + "additionalStreet", member + "addressLine3"},
		Format: func(group any) string {
			first, _ := linesOf(*of(group.(*invoice.Invoice)))
			return first
		},
		Parse: func(text string, group any) { made(of(group.(*invoice.Invoice))).Street = text },
	}
}

func secondLine(of func(*invoice.Invoice) **invoice.Party, member string) *m.Codec {
	return &m.Codec{
		Fields: []string{member + "city", member + "postalCode"},
		Format: func(group any) string {
			_, second := linesOf(*of(group.(*invoice.Invoice)))
			return second
		},
		Parse: func(text string, group any) {
			p := made(of(group.(*invoice.Invoice)))
			p.PostalCode, p.City = profile.FAPlace(text)
		},
	}
}

// buyerNumber is an element of the buyer's number.
func buyerNumber(element string) *m.Codec {
	return &m.Codec{
		Fields: []string{"buyer.vatId", "buyer.taxId"},
		Format: func(group any) string {
			inv := group.(*invoice.Invoice)
			if inv.Buyer == nil {
				return ""
			}
			return profile.FANumber(inv.Buyer.VATID, inv.Buyer.TaxID, inv.Buyer.CountryCode)["DaneIdentyfikacyjne/"+element]
		},
		Parse: func(text string, group any) {
			b := made(&group.(*invoice.Invoice).Buyer)
			switch element {
			case "NIP":
				b.VATID = "PL" + text
			case "KodUE":
				b.VATID = text + b.VATID
			case "NrVatUE":
				b.VATID += text
			case "NrID":
				b.TaxID = text
			case "KodKraju":
				if b.CountryCode == "" {
					b.CountryCode = text
				} else if b.CountryCode != text {
					put(countryOf(group.(*invoice.Invoice)), "Podmiot2/DaneIdentyfikacyjne/KodKraju", []string{text})
				}
			}
		},
	}
}

// buyerCountry stands where the buyer has an address.
var buyerCountry = &m.Codec{
	Fields: []string{"buyer.countryCode"},
	Format: func(group any) string {
		inv := group.(*invoice.Invoice)
		if first, _ := linesOf(inv.Buyer); first == "" {
			return ""
		}
		return inv.Buyer.CountryCode
	},
	Parse: func(text string, group any) {
		b, inv := made(&group.(*invoice.Invoice).Buyer), group.(*invoice.Invoice)
		if b.CountryCode != "" && b.CountryCode != text {
			put(countryOf(inv), "Podmiot2/DaneIdentyfikacyjne/KodKraju", []string{b.CountryCode})
		}
		b.CountryCode = text
	},
}

// kind is the kind of invoice: corrections are known by their code, and advance payments by documentType.
var kind = &m.Codec{
	Fields: []string{"countrySpecific.invoiceTypeCode", "countrySpecific.documentType"},
	Format: func(group any) string {
		inv := group.(*invoice.Invoice)
		cs := inv.CountrySpecific
		switch {
		case cs != nil && cs.DocumentType != "":
			return cs.DocumentType
		case profile.IsFACorrection(inv):
			return "KOR"
		}
		return "VAT"
	},
	Parse: func(text string, group any) {
		cs := countryOf(group.(*invoice.Invoice))
		cs.DocumentType, cs.InvoiceTypeCode = text, "380"
		if strings.HasPrefix(text, "KOR") {
			cs.InvoiceTypeCode = "384"
		}
	},
}

// registered says whether a corrected invoice has a number in KSeF.
func registered(yes bool) *m.Codec {
	return &m.Codec{
		Format: func(group any) string {
			if yes == (group.(*invoice.InvoiceReference).RegistryID != "") {
				return "1"
			}
			return ""
		},
		Parse: func(string, any) {},
	}
}

// methodOf gives the first form of payment, nil where there is none, or where national says it.
func methodOf(group any) *invoice.PaymentMethod {
	inv := group.(*invoice.Invoice)
	if len(inv.PaymentMethods) == 0 || inv.CountrySpecific != nil && inv.CountrySpecific.National["Fa/Platnosc/FormaPlatnosci"] != nil {
		return nil
	}
	return &inv.PaymentMethods[0]
}

// methodForm is a form of payment that FA(3) has a code for. Those that the invoice has none for stay in national.
var methodForm = &m.Codec{
	Fields: []string{"paymentMethods[].code"},
	Format: func(group any) string {
		if p := methodOf(group); p != nil {
			return profile.FAPayment[p.Code]
		}
		return ""
	},
	Parse: func(text string, group any) {
		inv := group.(*invoice.Invoice)
		code := map[string]string{"1": "10", "2": "48", "4": "20", "6": "30"}[text]
		if code == "" {
			code = "1"
			put(countryOf(inv), "Fa/Platnosc/FormaPlatnosci", []string{text})
		}
		inv.PaymentMethods = append(inv.PaymentMethods, invoice.PaymentMethod{Code: code})
	},
}

var methodOther = &m.Codec{
	Format: func(group any) string {
		if p := methodOf(group); p != nil && profile.FAPayment[p.Code] == "" {
			return "1"
		}
		return ""
	},
	Parse: func(string, any) {},
}

var methodText = &m.Codec{
	Fields: []string{"paymentMethods[].details"},
	Format: func(group any) string {
		p := methodOf(group)
		switch {
		case p == nil || profile.FAPayment[p.Code] != "":
			return ""
		case p.Details != "":
			return p.Details
		case profile.PaymentTexts[p.Code] != "":
			return profile.PaymentTexts[p.Code]
		}
		return "kod " + p.Code
	},
	Parse: func(text string, group any) {
		inv := group.(*invoice.Invoice)
		inv.PaymentMethods = append(inv.PaymentMethods, invoice.PaymentMethod{Code: "1", Details: text})
	},
}

// lineDay is the day of a line: a period of one day.
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
		group.(*invoice.Item).ServicePeriod = &invoice.Period{Start: invoice.Date(text), End: invoice.Date(text)}
	},
}

// lineDiscount is what allowances take off a line and charges add to it.
var lineDiscount = &m.Codec{
	Fields: []string{"allowances[].amount", "charges[].amount"},
	Format: func(group any) string {
		it := group.(*invoice.Item)
		if len(it.Allowances)+len(it.Charges) == 0 {
			return ""
		}
		var sum decimal.Decimal
		for i := range it.Allowances {
			sum = sum.Add(it.Allowances[i].Amount)
		}
		for i := range it.Charges {
			sum = sum.Sub(it.Charges[i].Amount)
		}
		return sum.Trim().WithMinScale(2).String()
	},
	Parse: func(text string, group any) {
		it := group.(*invoice.Item)
		amount, err := decimal.Parse(text)
		switch {
		case err != nil || amount.Sign() == 0:
		case amount.Sign() > 0 == (it.Quantity.Sign() >= 0):
			it.Allowances = []invoice.LineCharge{{Amount: amount}}
		default:
			it.Charges = []invoice.LineCharge{{Amount: amount.Neg()}}
		}
	},
}

// foreignRate is the rate of another member state, under the one stop shop.
var foreignRate = &m.Codec{
	Fields: []string{"taxRate"},
	Format: func(group any) string {
		it := group.(*invoice.Item)
		if it.TaxCategoryName != "" || it.TaxCategoryCode != "S" {
			return ""
		}
		return it.TaxRate.Trim().String()
	},
	Parse: func(text string, group any) {
		if rate, err := decimal.Parse(text); err == nil {
			group.(*invoice.Item).TaxRate = rate
		}
	},
}
