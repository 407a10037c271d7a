package profile

import (
	"cmp"
	"slices"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// KSeF is the Polish structured invoice FA(3), version 1-0E (Ministerstwo Finansów), under a path token: ksef, or ubl, whose slot in
// Poland it has. Its canonical invoice has the amounts of corrections as differences, a rate of FA(3) (P_12) in taxCategoryName of each
// line, and what stands in elements of its own kind in countrySpecific.national.
//
// The signs of credit notes turn behind all that computes: differences is the last step, and when a document is read
// creditNotes comes after faTotals, which makes the groups of the sums as they stand.
func KSeF(token string) *Profile {
	return New(Profile{
		Token: token, Country: "PL", Lineless: true, TypeCodes: []string{"380", "381", "384", "389"},
		Refused: map[invoice.Type]string{invoice.TypeProforma: "KSeF has no pro forma invoice; send it as pdf"},
		Steps: []Step{
			typeCode, sumOfGroups, faAnnotations, polishNumber, polishBuyer, signs, leafLines, faNumbers, lineAmounts, taxCategories, exemptionReasons, marginSchemes,
			smallBusinessPL, chargesAsLines, taxInPLN, polishReferences, deliveryDay, polishPeriod, paymentMeans, plainIBANs, contacts, faPhones, retention, faPayment, faNotes,
			faItems, creditNotes, faTotals, faPrices, faRates, faMarginRead, faDescriptions, faParties, faIdentifiers, faKind, differences,
		},
	})
}

// polishNumber: the NIP is the seller's VAT identifier; a tax number of ten digits stands for one that is left out.
var polishNumber = Step{
	Name:  "NIP of the seller",
	Moves: []Move{{"countrySpecific.nip", "seller.vatId"}, {"seller.taxId", "seller.vatId"}},
	Derive: func(d *Draft) {
		s := d.Invoice.Seller
		takeNumber(d, "PL", &specificOf(d.Invoice).NIP)
		if s == nil {
			return
		}
		if nip := digits(s.TaxID); len(nip) == nipDigits && (s.VATID == "" || digits(s.VATID) == nip) {
			s.VATID, s.TaxID = "PL"+nip, ""
		}
		if PolishNIP(s.VATID) == "" {
			d.refuse(finding.MissingField, "seller.vatId", "seller.vatId must be a NIP, PL and ten digits: an invoice of KSeF is that of a Polish taxpayer (Podmiot1)")
		}
		if s.Street == "" && s.City == "" && s.PostalCode == "" {
			d.refuse(finding.MissingField, "seller.street", "seller.street is missing, and city and postalCode as well: FA(3) demands an address of the seller (AdresL1)")
		}
	},
}

// nipDigits is how long a NIP is.
const nipDigits = 10

// PolishNIP gives the ten digits of a Polish VAT identifier, with or without PL; empty for what is none.
func PolishNIP(vatID string) string {
	if len(vatID) >= 2 && vatID[:2] == "PL" {
		vatID = vatID[2:]
	}
	if nip := digits(vatID); len(nip) == nipDigits && len(vatID) <= nipDigits+3 {
		return nip
	}
	return ""
}

// polishBuyer: FA(3) has one number of the buyer. That of a buyer in Poland is the NIP, whichever member has it.
var polishBuyer = Step{
	Name:  "number of the buyer",
	Moves: []Move{{"buyer.taxId", "buyer.vatId"}},
	Derive: func(d *Draft) {
		b := d.Invoice.Buyer
		if b == nil {
			return
		}
		if nip := PolishNIP(b.TaxID); nip != "" && b.CountryCode == "PL" && (b.VATID == "" || PolishNIP(b.VATID) == nip) {
			b.VATID, b.TaxID = "PL"+nip, ""
		}
		if b.Name == unnamed {
			b.Name = ""
		}
		if b.VATID != "" && b.TaxID != "" {
			d.warn(finding.FieldNotWritten, "buyer.taxId", "buyer.taxId is not written: FA(3) has one number of the buyer, which is that of vatId")
			b.TaxID = ""
		}
	},
	Restore: func(d *Draft) {
		b := d.Invoice.Buyer
		if b == nil {
			b = &invoice.Party{}
			d.Invoice.Buyer = b
		}
		b.Name = cmp.Or(b.Name, unnamed)
		if b.CountryCode == "" && len(b.VATID) > 2 && b.VATID[0] >= 'A' {
			b.CountryCode = countryOfVAT(b.VATID[:2])
		}
		if b.CountryCode == "" {
			b.CountryCode = "PL"
		}
	},
}

// unnamed stands in the invoice for a name of a buyer or an item that FA(3) leaves out.
const unnamed = "-"

// countryOfVAT is the country of a prefix of VAT identifiers, which differs for Greece and Northern Ireland.
func countryOfVAT(prefix string) string {
	switch prefix {
	case "EL":
		return "GR"
	case "XI":
		return "GB"
	}
	return prefix
}

// europeanUnion are the prefixes of VAT identifiers that FA(3) knows beside that of Poland (TKodyKrajowUE).
var europeanUnion = []string{"AT", "BE", "BG", "CY", "CZ", "DK", "EE", "FI", "FR", "DE", "EL", "HR", "HU", "IE", "IT", "LV", "LT", "LU", "MT", "NL",
	"PT", "RO", "SK", "SI", "ES", "SE", "XI"}

// EuropeanVAT takes a VAT identifier of another member state apart; empty where it is none.
func EuropeanVAT(vatID string) (prefix, number string) {
	if len(vatID) < 3 {
		return "", ""
	}
	prefix, number = vatID[:2], vatID[2:]
	if prefix == "GR" {
		prefix = "EL"
	}
	if !slices.Contains(europeanUnion, prefix) {
		return "", ""
	}
	return prefix, number
}

// polishReferences: a correction names the invoices that it corrects (DaneFaKorygowanej), each with its day; the number in KSeF is that of
// the first. Other invoices name none.
var polishReferences = Step{
	Name:  "corrected invoices",
	Moves: append(slices.Clone(precedingInvoices.Moves), Move{"countrySpecific.ksefNumber", "referencedInvoices[0].registryId"}),
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		short := inv.ReferencedInvoiceNumber != ""
		precedingInvoices.Derive(d)
		switch {
		case !IsFACorrection(inv):
			if len(inv.ReferencedInvoices) > 0 {
				d.warn(finding.FieldNotWritten, "referencedInvoices", "referencedInvoices is not written: only corrections name other invoices in FA(3) (DaneFaKorygowanej)")
				inv.ReferencedInvoices = nil
			}
			return
		case len(inv.ReferencedInvoices) == 0:
			d.refuse(finding.MissingField, "referencedInvoiceNumber", "referencedInvoiceNumber is missing: a correction names the invoice that it corrects (NrFaKorygowanej)")
			return
		}
		moveInto(&inv.ReferencedInvoices[0].RegistryID, &cs.KSeFNumber)
		for i := range inv.ReferencedInvoices {
			if inv.ReferencedInvoices[i].Date == "" {
				field := entry("referencedInvoices", i)() + ".date"
				if short && i == 0 {
					field = "referencedInvoiceDate"
				}
				d.refuse(finding.MissingField, field, "%s is missing: a correction states the day of issue of the invoice that it corrects (DataWystFaKorygowanej)", field)
			}
		}
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		if len(inv.ReferencedInvoices) != 1 {
			return
		}
		first := inv.ReferencedInvoices[0]
		inv.ReferencedInvoiceNumber, inv.ReferencedInvoiceDate, inv.ReferencedInvoices = first.Number, first.Date, nil
		if first.RegistryID != "" {
			specificOf(inv).KSeFNumber = first.RegistryID
		}
	},
}

// IsFACorrection tells whether a canonical invoice is a correction (KOR, KOR_ZAL, KOR_ROZ).
func IsFACorrection(inv *invoice.Invoice) bool {
	cs := inv.CountrySpecific
	return cs != nil && (cs.InvoiceTypeCode == "381" || cs.InvoiceTypeCode == "384")
}

// faKind: the kind of the invoice beyond VAT and KOR (RodzajFaktury: ZAL, ROZ, UPR, KOR_ZAL, KOR_ROZ) is documentType.
var faKind = Step{
	Name: "kind of invoice",
	Derive: func(d *Draft) {
		kind := specificOf(d.Invoice).DocumentType
		corrects := kind == "KOR" || kind == "KOR_ZAL" || kind == "KOR_ROZ"
		switch {
		case kind == "":
		case !slices.Contains([]string{"VAT", "KOR", "ZAL", "ROZ", "UPR", "KOR_ZAL", "KOR_ROZ"}, kind):
			d.refuse(finding.InvalidValue, "countrySpecific.documentType", "countrySpecific.documentType must be one of VAT, KOR, ZAL, ROZ, UPR, KOR_ZAL, KOR_ROZ (RodzajFaktury)")
		case corrects != IsFACorrection(d.Invoice):
			d.refuse(finding.TypeContradiction, "countrySpecific.documentType", "countrySpecific.documentType %s contradicts type %q: corrections are credit_note or correction",
				kind, d.Invoice.Type)
		}
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if cs.DocumentType == "VAT" || cs.DocumentType == "KOR" {
			cs.DocumentType = ""
		}
		cs.CountryCode = "PL"
		if inv.Seller == nil {
			inv.Seller = &invoice.Party{}
		}
		if inv.Seller.CountryCode == "" {
			inv.Seller.CountryCode = "PL"
		}
	},
}

// differences: corrections state what they change the amounts by. A credit note is positive in the invoice and negative here; lines that
// show the state before (StanPrzed) count the other way round.
var differences = Step{
	Name: "differences",
	Derive: func(d *Draft) {
		if specificOf(d.Invoice).InvoiceTypeCode == "381" {
			negate(d.Invoice)
		}
		negateBefore(d.Invoice)
	},
	Restore: func(d *Draft) {
		negateBefore(d.Invoice)
	},
}

// negateBefore turns the signs of lines with the state before.
func negateBefore(inv *invoice.Invoice) {
	national := specificOf(inv).National
	if len(national) == 0 {
		return
	}
	for i := range inv.Items {
		if national[faLine(i, "StanPrzed")] != nil || i == 0 && national["Fa/FaWiersz/StanPrzed"] != nil {
			negateItem(&inv.Items[i])
		}
	}
}
