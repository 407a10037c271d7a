package profile

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// hungarianForm is the form of a tax number: taxpayer, VAT code, county code. A county code without VAT code has a hyphen before it.
var hungarianForm = regexp.MustCompile(`^(?:HU)?([0-9]{8})(?:-?([1-5])(?:-?([0-9]{2}))?|-([0-9]{2}))?$`)

// HungarianTaxNumber takes a tax number (8-1-2, each of the last two parts may be missing) or a Hungarian VAT identifier apart; nil for what is none.
func HungarianTaxNumber(text string) []string {
	parts := hungarianForm.FindStringSubmatch(strings.ReplaceAll(strings.TrimSpace(text), " ", ""))
	if parts == nil {
		return nil
	}
	return []string{parts[1], parts[2], parts[3] + parts[4]}
}

// taxpayer is the taxpayer of a tax number; empty for what is none.
func taxpayer(text string) string {
	if parts := HungarianTaxNumber(text); parts != nil {
		return parts[0]
	}
	return ""
}

// hungarianAccount is a Hungarian account number: bank and account in groups of eight digits.
var hungarianAccount = regexp.MustCompile(`^([0-9]{8})-([0-9]{8})(?:-([0-9]{8}))?$`)

// HungarianIBAN gives the IBAN of an account number of 16 or 24 digits, or of an IBAN; empty for what is none.
func HungarianIBAN(text string) string {
	if plain := invoice.PlainIBAN(text); invoice.ValidIBAN(plain) {
		return plain
	}
	parts := hungarianAccount.FindStringSubmatch(text)
	if parts == nil {
		return ""
	}
	account := parts[1] + parts[2] + cmp.Or(parts[3], "00000000")
	number, _ := new(big.Int).SetString(account+"173000", 10) // HU00 behind the account, as ISO 13616 has it
	check := 98 - new(big.Int).Mod(number, big.NewInt(97)).Int64()
	return "HU" + string([]byte{byte('0' + check/10), byte('0' + check%10)}) + account
}

// navSeller: the seller has a Hungarian tax number, that of the VAT group where it is a member of one. What the tax number or the VAT
// identifier says counts before the key.
var navSeller = Step{
	Name:  "tax number of the seller",
	Moves: []Move{{"countrySpecific.taxNumber", "seller.taxId"}, {"seller.vatId", "seller.taxId"}},
	Derive: func(d *Draft) {
		s, cs := d.Invoice.Seller, specificOf(d.Invoice)
		if s == nil {
			return
		}
		if taxpayer(s.TaxID) == "" {
			for _, number := range []string{cs.TaxNumber, s.VATID} {
				if taxpayer(number) != "" {
					d.missTaxID("seller", s.TaxID)
					s.TaxID = number
					break
				}
			}
		}
		if taxpayer(s.TaxID) == "" {
			d.refuse(finding.MissingField, "seller.taxId", "seller.taxId must be a Hungarian tax number such as 12345676-2-41, or seller.vatId one such as HU12345676: "+
				"a Hungarian taxpayer reports the invoice (supplierTaxNumber)")
			return
		}
		cs.TaxNumber = ""
		s.TaxID = plainTaxNumber(s.TaxID)
		navGroup(d, s, cs)
		if s.CountryCode == "" {
			s.CountryCode = "HU"
		}
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if inv.Seller == nil {
			inv.Seller = &invoice.Party{}
		}
		s := inv.Seller
		s.CountryCode = cmp.Or(s.CountryCode, "HU")
		if cs.GroupTaxNumber != "" {
			s.TaxID, cs.GroupTaxNumber = cs.GroupTaxNumber, s.TaxID
		}
	},
}

func (d *Draft) missTaxID(party, number string) {
	if number != "" {
		d.warn(finding.FieldNotWritten, party+".taxId", "%s.taxId is not written: it is no Hungarian tax number", party)
	}
}

// plainTaxNumber is a tax number with hyphens between its parts.
func plainTaxNumber(text string) string {
	return strings.Join(set(HungarianTaxNumber(text)...), "-")
}

// navGroup: of a member of a VAT group the group's number is that of the supplier, and the member's stands beside it. The VAT code 5 tells
// the group's number. The code 4 is that of members.
func navGroup(d *Draft, s *invoice.Party, cs *invoice.CountrySpecific) {
	if cs.GroupTaxNumber == "" {
		return
	}
	group := HungarianTaxNumber(cs.GroupTaxNumber)
	if group == nil {
		d.refuse(finding.InvalidValue, "countrySpecific.groupTaxNumber", "countrySpecific.groupTaxNumber must be a Hungarian tax number of the form 8-1-2")
		return
	}
	cs.GroupTaxNumber = plainTaxNumber(cs.GroupTaxNumber)
	if group[1] == "4" || HungarianTaxNumber(s.TaxID)[1] == "5" {
		return // the key has the member's
	}
	s.TaxID, cs.GroupTaxNumber = cs.GroupTaxNumber, s.TaxID
}

// navBuyer: the buyer's status for VAT decides what is said of the buyer.
var navBuyer = Step{
	Name:   "buyer",
	Moves:  []Move{{"buyer.vatId", "buyer.taxId"}, {"buyer.identifiers[].id", "customerNumber"}},
	Copies: []Move{{"buyer.countryCode", "countrySpecific.customerVatStatus"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		b := inv.Buyer
		if b == nil {
			b = &invoice.Party{}
			inv.Buyer = b
		}
		b.VATID = strings.ToUpper(strings.NewReplacer(" ", "", ".", "").Replace(b.VATID))
		d.buyerNumber(b)
		if cs.CustomerVATStatus == "" {
			cs.CustomerVATStatus = d.assumeStatus(b)
		}
		d.defaulted("customerVatStatus", &cs.CustomerVATStatus, NAVDomestic, navOther, navPrivatePerson)
		switch cs.CustomerVATStatus {
		case NAVDomestic:
			navDomesticBuyer(d, b)
		case navOther:
			navOtherBuyer(d, b)
		case navPrivatePerson:
			navPrivateBuyer(d, b)
		}
	},
	Restore: func(d *Draft) {
		inv, cs := d.Invoice, specificOf(d.Invoice)
		if inv.Buyer == nil {
			inv.Buyer = &invoice.Party{}
		}
		b := inv.Buyer
		b.Name, b.CountryCode = cmp.Or(b.Name, unnamed), cmp.Or(b.CountryCode, "HU")
		if cs.CustomerVATStatus == "" { // of documents of 2.0
			cs.CustomerVATStatus = statusOf(b)
		}
		if cs.CustomerVATStatus == navOther && b.VATID == "" && vatForm.MatchString(b.TaxID) {
			b.VATID, b.TaxID = b.TaxID, ""
		}
		if number := taxpayer(b.TaxID); cs.CustomerVATStatus == NAVDomestic && number != "" && b.VATID == "" {
			b.VATID = "HU" + number
		}
	},
}

// vatForm is that of VAT identifiers, which begin with the code of a country.
var vatForm = regexp.MustCompile(`^[A-Z]{2}[0-9A-Z]{2,}$`)

// statusOf is the status for VAT that a buyer's numbers tell.
func statusOf(b *invoice.Party) string {
	hungarian := b.CountryCode == "HU" || b.CountryCode == ""
	switch {
	case taxpayer(b.VATID) != "" && strings.HasPrefix(b.VATID, "HU"), hungarian && taxpayer(b.TaxID) != "":
		return NAVDomestic
	case b.VATID != "" || b.TaxID != "":
		return navOther
	}
	return navPrivatePerson
}

// assumeStatus derives the status of a buyer, which is told, for it decides what is reported of the buyer.
func (d *Draft) assumeStatus(b *invoice.Party) string {
	const field = "countrySpecific.customerVatStatus"
	status := statusOf(b)
	d.warn(finding.ValueAssumed, field, "%s is missing: %s is written, as the buyer's numbers and country tell; the others are DOMESTIC for a Hungarian taxpayer, "+
		"OTHER for other legal persons and buyers abroad, PRIVATE_PERSON for a consumer", field, status)
	return status
}

// navDomesticBuyer leaves the tax number.
func navDomesticBuyer(d *Draft, b *invoice.Party) {
	switch {
	case taxpayer(b.TaxID) == "" && taxpayer(b.VATID) == "":
		d.refuse(finding.MissingField, "buyer.taxId", "buyer.taxId is missing: a buyer whose customerVatStatus is DOMESTIC has a Hungarian tax number (customerTaxNumber)")
		return
	case taxpayer(b.TaxID) == "":
		d.missTaxID("buyer", b.TaxID)
		b.TaxID = b.VATID
	}
	if b.VATID != "" && taxpayer(b.VATID) != taxpayer(b.TaxID) {
		d.warn(finding.FieldNotWritten, "buyer.vatId", "buyer.vatId is not written: a domestic buyer has one number, which is that of taxId")
	}
	b.TaxID, b.VATID = plainTaxNumber(b.TaxID), ""
}

// navOtherBuyer leaves the VAT identifier of a buyer in the European Union, or another number.
func navOtherBuyer(d *Draft, b *invoice.Party) {
	prefix, number := EuropeanVAT(b.VATID)
	if prefix == "" && !strings.HasPrefix(b.VATID, "PL") {
		if b.VATID != "" && b.TaxID != "" && b.VATID != b.TaxID {
			d.warn(finding.FieldNotWritten, "buyer.taxId", "buyer.taxId is not written: NAV has one number of the buyer, which is that of vatId")
		}
		b.TaxID, b.VATID = cmp.Or(b.VATID, b.TaxID), ""
		return
	}
	if prefix != "" {
		b.VATID = prefix + number
	}
	if b.TaxID != "" {
		d.warn(finding.FieldNotWritten, "buyer.taxId", "buyer.taxId is not written: NAV has one number of the buyer, which is that of vatId")
		b.TaxID = ""
	}
}

// navPrivateBuyer leaves nothing of a private person but the account.
func navPrivateBuyer(d *Draft, b *invoice.Party) {
	if b.Name == unnamed {
		b.Name = ""
	}
	for name, member := range map[string]*string{"name": &b.Name, "vatId": &b.VATID, "taxId": &b.TaxID, "street": &b.Street, "additionalStreet": &b.AdditionalStreet,
		"addressLine3": &b.AddressLine3, "city": &b.City, "postalCode": &b.PostalCode, "state": &b.State} {
		if *member != "" {
			d.warn(finding.FieldNotWritten, "buyer."+name, "buyer.%s is not written: nothing is reported of a private person (customerVatStatus)", name)
			*member = ""
		}
	}
	b.CountryCode = ""
	slices.SortStableFunc(d.Warnings, func(a, b finding.Finding) int {
		if strings.HasPrefix(a.Field, "buyer.") && strings.HasPrefix(b.Field, "buyer.") {
			return strings.Compare(a.Field, b.Field)
		}
		return 0
	})
}

// navAddresses: an address has place and street; a post code is of a form, or 0000 where the country has none.
var navAddresses = Step{
	Name: "addresses",
	Derive: func(d *Draft) {
		inv := d.Invoice
		if s := inv.Seller; s != nil {
			d.navAddress("seller", &s.Street, &s.AdditionalStreet, &s.City, &s.PostalCode)
		}
		if b := inv.Buyer; b != nil && specificOf(inv).CustomerVATStatus != navPrivatePerson {
			d.navAddress("buyer", &b.Street, &b.AdditionalStreet, &b.City, &b.PostalCode)
		}
		r := inv.TaxRepresentative
		if r == nil {
			return
		}
		if taxpayer(r.VATID) == "" {
			d.warn(finding.FieldNotWritten, "taxRepresentative", "taxRepresentative is not written: NAV names one with a Hungarian tax number (fiscalRepresentativeTaxNumber)")
			inv.TaxRepresentative = nil
			return
		}
		d.navAddress("taxRepresentative", &r.Street, &r.AdditionalStreet, &r.City, &r.PostalCode)
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		for _, p := range []*invoice.Party{inv.Seller, inv.Buyer} {
			if p != nil && p.PostalCode == noPostalCode {
				p.PostalCode = ""
			}
		}
		if r := inv.TaxRepresentative; r != nil && r.PostalCode == noPostalCode {
			r.PostalCode = ""
		}
	},
}

// noPostalCode stands for a post code where there is none.
const noPostalCode = "0000"

var navPostalCode = regexp.MustCompile(`^[A-Z0-9][A-Z0-9\s-]{1,8}[A-Z0-9]$`)

func (d *Draft) navAddress(party string, street, additional, city, postalCode *string) {
	if *street == "" && *additional == "" {
		d.refuse(finding.MissingField, party+".street", "%s.street is missing: NAV demands an address with a street (additionalAddressDetail)", party)
	}
	if *city == "" {
		d.refuse(finding.MissingField, party+".city", "%s.city is missing: NAV demands an address with a place (city)", party)
	}
	switch code := strings.ToUpper(*postalCode); {
	case code == "":
		*postalCode = noPostalCode
		d.warn(finding.ValueAssumed, party+".postalCode", "%s.postalCode is missing: %s is written, which stands for none", party, noPostalCode)
	case navPostalCode.MatchString(code):
		*postalCode = code
	default:
		d.warn(finding.FieldNotWritten, party+".postalCode", "%s.postalCode is not written: it has 3 to 10 letters, digits, blanks and hyphens", party)
		*postalCode = noPostalCode
	}
}
