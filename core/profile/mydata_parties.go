package profile

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// afmForm is a Greek tax number (AFM).
var afmForm = regexp.MustCompile(`^[0-9]{9}$`)

// greekParties: myDATA knows Greek parties by their tax number alone. Names stand for parties abroad, addresses for buyers; retail has no
// buyer at all.
var greekParties = Step{
	Name:    "parties",
	Moves:   []Move{{"countrySpecific.afm", "seller.vatId"}, {"seller.taxId", "seller.vatId"}, {"buyer.taxId", "buyer.vatId"}},
	Derive:  deriveGreekParties,
	Restore: restoreGreekParties,
}

func deriveGreekParties(d *Draft) {
	inv, cs := d.Invoice, specificOf(d.Invoice)
	if inv.Seller == nil {
		inv.Seller = &invoice.Party{}
	}
	seller := inv.Seller
	takeAFM(seller, &cs.AFM)
	takeAFM(seller, &seller.TaxID)
	seller.VATID = bareNumber(seller.VATID, seller.CountryCode)
	if abroad := seller.CountryCode != "GR"; abroad && !bookedAbroad(cs.MyDataInvoiceType) || !abroad && !afmForm.MatchString(seller.VATID) {
		d.refuse(finding.GreekSellerAFM, d.Original("seller.vatId"), "seller.vatId must be the AFM of a seller in Greece, nine digits with or without EL before them: "+
			"myDATA is for documents of Greek issuers")
	}
	if cs.Branch == nil {
		cs.Branch = new(int)
	}
	if seller.CountryCode == "GR" {
		d.leaveName(seller, "seller", "219")
	}
	if seller.CountryCode == "GR" && !moves(inv) {
		d.leaveAddress(seller, "seller", "myDATA has the address of a Greek issuer on delivery notes only")
	}
	d.deriveGreekBuyer()
}

// takeAFM takes a tax number for one that is left out, and lets go what repeats it.
func takeAFM(p *invoice.Party, number *string) {
	plain := bareNumber(*number, "GR")
	if !afmForm.MatchString(plain) || p.CountryCode != "GR" {
		return
	}
	if p.VATID == "" || bareNumber(p.VATID, "GR") == plain {
		p.VATID, *number = plain, ""
	}
}

// bareNumber is a tax number without spaces and the prefix of its country.
func bareNumber(number, country string) string {
	number = strings.ToUpper(strings.ReplaceAll(number, " ", ""))
	for _, prefix := range []string{map[bool]string{true: "EL", false: country}[country == "GR"], country} {
		if rest, found := strings.CutPrefix(number, prefix); found && prefix != "" {
			return rest
		}
	}
	return number
}

// bookedAbroad tells whether documents of a type have an issuer abroad: what is booked of purchases.
func bookedAbroad(invoiceType string) bool {
	head, _, _ := strings.Cut(invoiceType, ".")
	return slices.Contains([]string{"3", "4", "12", "13", "14", "15", "16", "17"}, head)
}

// moves tells whether an invoice is about goods that are moved: a delivery note, by itself or together with an invoice.
func moves(inv *invoice.Invoice) bool {
	cs := specificOf(inv)
	if strings.HasPrefix(cs.MyDataInvoiceType, "9.") || strings.HasPrefix(cs.MyDataInvoiceType, "10.") {
		return true
	}
	for _, element := range []string{"isDeliveryNote", "movePurpose", "dispatchTime", "vehicleNumber"} {
		if cs.National["invoice/invoiceHeader/"+element] != nil {
			return true
		}
	}
	return false
}

// dispatchDay: only documents about goods that are moved state the day on which these leave (dispatchDate).
var dispatchDay = Step{
	Name: "day of dispatch",
	Derive: func(d *Draft) {
		if inv := d.Invoice; inv.Delivery != nil && !moves(inv) {
			leave(d, &inv.Delivery.Date, "delivery.date", "only documents about goods that are moved state a day of dispatch (dispatchDate)")
		}
	},
}

func (d *Draft) deriveGreekBuyer() {
	inv, cs := d.Invoice, specificOf(d.Invoice)
	buyer := inv.Buyer
	if buyer == nil {
		return
	}
	takeAFM(buyer, &buyer.TaxID)
	if buyer.VATID == "" {
		moveInto(&buyer.VATID, &buyer.TaxID)
	}
	buyer.VATID = bareNumber(buyer.VATID, buyer.CountryCode)
	retail := strings.HasPrefix(cs.MyDataInvoiceType, "11.")
	if buyer.VATID == "" || retail {
		if buyer.VATID != "" {
			d.warn(finding.FieldNotWritten, "buyer.vatId", "buyer.vatId is not written: documents of retail (11.1 to 11.5) have no buyer")
			buyer.VATID = ""
		}
		d.leaveName(buyer, "buyer", "")
		d.leaveAddress(buyer, "buyer", "documents of retail have no buyer")
		buyer.CountryCode = ""
		return
	}
	if buyer.CountryCode == "GR" {
		d.leaveName(buyer, "buyer", "220")
		if !afmForm.MatchString(buyer.VATID) {
			d.refuse(finding.GreekBuyerAFM, "buyer.vatId", "buyer.vatId must be the AFM of a buyer in Greece, nine digits with or without EL before them")
		}
	}
	d.greekAddress(buyer)
}

// greekAddress: an address has a postcode and a city. Buyers abroad must have one.
func (d *Draft) greekAddress(buyer *invoice.Party) {
	if buyer.Name == unnamed {
		buyer.Name = ""
	}
	if buyer.City != "" && buyer.PostalCode != "" {
		addressLines(buyer)
		return
	}
	if buyer.CountryCode != "GR" && buyer.Name != "" {
		field := "buyer.city"
		if buyer.PostalCode == "" {
			field = "buyer.postalCode"
		}
		d.refuse(finding.MissingField, field, "%s is missing: myDATA wants the address of a buyer abroad, with postcode and city", field)
		return
	}
	d.leaveAddress(buyer, "buyer", "an address of myDATA has a postcode and a city")
}

// leaveName takes the name off a party; rule is the one that forbids it.
func (d *Draft) leaveName(p *invoice.Party, name, rule string) {
	if p.Name != "" && p.Name != unnamed {
		why := "documents of retail have no buyer"
		if rule != "" {
			why = "the authority knows Greek parties by their AFM (" + rule + ")"
		}
		d.warn(finding.FieldNotWritten, name+".name", "%s.name is not written: %s", name, why)
	}
	p.Name = ""
}

// leaveAddress takes the address off a party.
func (d *Draft) leaveAddress(p *invoice.Party, name, why string) {
	for _, m := range []struct {
		member string
		text   *string
	}{{"street", &p.Street}, {"additionalStreet", &p.AdditionalStreet}, {"addressLine3", &p.AddressLine3}, {"city", &p.City}, {"postalCode", &p.PostalCode}} {
		leave(d, m.text, name+"."+m.member, why)
	}
}

func restoreGreekParties(d *Draft) {
	inv, cs := d.Invoice, specificOf(d.Invoice)
	for _, p := range []**invoice.Party{&inv.Seller, &inv.Buyer} {
		if *p == nil {
			*p = &invoice.Party{}
		}
		(*p).Name, (*p).CountryCode = cmp.Or((*p).Name, unnamed), cmp.Or((*p).CountryCode, "GR")
		if number := (*p).VATID; number != "" {
			(*p).VATID = prefixed(number, (*p).CountryCode)
		}
	}
	if cs.Branch != nil && *cs.Branch == 0 {
		cs.Branch = nil
	}
}

// prefixed is a tax number with the prefix of its country.
func prefixed(number, country string) string {
	prefix := country
	if country == "GR" {
		prefix = "EL"
	}
	if strings.HasPrefix(number, prefix) {
		return number
	}
	return prefix + number
}

// greekTexts: texts have limits.
var greekTexts = Step{
	Name: "texts",
	Derive: func(d *Draft) {
		inv := d.Invoice
		for i, p := range []*invoice.Party{inv.Seller, inv.Buyer} {
			if name := []string{"seller", "buyer"}[i]; p != nil {
				d.short(&p.Name, 200, name+".name")
				d.short(&p.Street, 150, name+".street")
				d.short(&p.City, 150, name+".city")
			}
		}
		for i := range inv.Items {
			it := &inv.Items[i]
			d.shortOf(&it.Description, mostDescription, i, "items[%d].description")
			d.shortOf(&it.Note, mostComment, i, "items[%d].description")
			d.shortOf(&it.ArticleNumber, 50, i, "items[%d].articleNumber")
		}
	},
}

// The most characters of the texts of a line (itemDescr, lineComments).
const (
	mostDescription = 300
	mostComment     = 150
)

func (d *Draft) shortOf(text *string, most, i int, name string) {
	if len(*text) > most {
		d.short(text, most, fmt.Sprintf(name, i))
	}
}

// short cuts a text to its length and tells of it.
func (d *Draft) short(text *string, most int, field string) {
	if count := utf8.RuneCountInString(*text); count > most {
		d.Warnings = append(d.Warnings, finding.Finding{Code: finding.FieldTooLong, Field: field, Maximum: int64(most),
			Message: fmt.Sprintf("%s has %d characters: its first %d are written, for myDATA has no room for more", field, count, most)})
		*text = strings.TrimRight(clipText(*text, most), " ")
	}
}
