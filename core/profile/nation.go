package profile

import (
	"cmp"
	"slices"
	"sync"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// nation is what a country adds to the formats that many countries have. What the keys fill in is what the steps of all
// countries derive from, such as the registration number that becomes an address.
type nation struct {
	words *words
	keys  []Step // where the country's members of countrySpecific go, before the steps that all countries have
	steps []Step // what follows those
}

// nations are the countries by their codes, each in a file of its own.
var nations = map[string]*nation{
	"AT": austria, "BE": belgium, "BG": {words: bulgarian}, "CH": switzerland, "CY": cyprus, "CZ": czechia, "DE": {words: german}, "DK": denmark,
	"EE": estonia, "ES": spain, "FI": finland, "FR": france, "GB": britain, "GR": {words: greek}, "HR": croatia, "HU": {words: hungarian}, "IE": ireland, "IS": iceland, "IT": {words: italianWords}, "LI": liechtenstein,
	"LT": lithuania, "LU": luxembourg, "LV": latvia, "MT": malta, "NL": netherlands, "NO": norway, "PL": poland, "SE": sweden, "SI": slovenia,
	"SK": slovakia,
	"AE": {words: arabic}, "AU": {words: english}, "JP": {words: japanese}, "NZ": {words: english}, "OM": {words: arabic},
	"PT": {words: portuguese, keys: []Step{portugueseNumber}}, "RO": {words: romanian, keys: []Step{romanianNumbers, romanianPlaces}},
}

// national makes a profile that is another one in each country. What a country has is made when it is asked for first.
func national(of func(nation) Profile) *Profile {
	p := New(of(nation{}))
	p.nations = map[string]func() *Profile{}
	for code, n := range nations {
		p.nations[code] = sync.OnceValue(func() *Profile {
			own := of(*n)
			own.Country = code
			return New(own)
		})
	}
	return p
}

// In gives the profile as the route of a country has it (upper case; empty where it is unknown).
func (p *Profile) In(country string) *Profile {
	if own := p.nations[country]; own != nil {
		return own()
	}
	own := *p
	own.Country = country
	return &own
}

// key is a member of countrySpecific that one country has.
type key struct {
	name string // in JSON
	of   func(*invoice.CountrySpecific) *string
}

// key is the place of a key; one to spare where the invoice has no national members.
func (d *Draft) key(k key) *string {
	if d.Invoice.CountrySpecific == nil {
		return new(string)
	}
	return k.of(d.Invoice.CountrySpecific)
}

// registered: the key is the seller's number in the register of companies (BT-30), with the scheme of that register where ISO 6523 has
// one. The number is written as the form makes it, nil for as it is sent.
func registered(k key, scheme string, form func(string) string) Step {
	from := "countrySpecific." + k.name
	return Step{
		Name:  "registration number " + k.name,
		Moves: []Move{{from, "seller.registrationNumber"}, {from, "seller.registrationScheme"}},
		Derive: func(d *Draft) {
			number, seller := d.key(k), d.Invoice.Seller
			if *number == "" || seller == nil {
				return
			}
			plain := *number
			if form != nil {
				plain = form(plain)
			}
			if seller.RegistrationNumber != "" && seller.RegistrationNumber != plain && seller.RegistrationNumber != *number {
				return
			}
			seller.RegistrationNumber, *number = plain, ""
			seller.RegistrationScheme = cmp.Or(seller.RegistrationScheme, scheme)
		},
	}
}

// twin: the key is the national name of another member, which wins over it.
func twin(k key, to string, of func(*invoice.Invoice) *string) Step {
	return Step{
		Name:  "twin " + k.name,
		Moves: []Move{{"countrySpecific." + k.name, to}},
		Derive: func(d *Draft) {
			if from, into := d.key(k), of(d.Invoice); *from != "" && into != nil {
				moveInto(into, from)
			}
		},
	}
}

// sellerTaxID: the key is the seller's tax number (BT-32), unless it is the VAT identifier without its prefix (BT-31).
func sellerTaxID(k key) Step {
	return Step{
		Name:  "tax number " + k.name,
		Moves: []Move{{"countrySpecific." + k.name, "seller.taxId"}},
		Derive: func(d *Draft) {
			number, seller := d.key(k), d.Invoice.Seller
			switch {
			case *number == "" || seller == nil:
			case seller.VATID == *number, len(seller.VATID) > 2 && seller.VATID[2:] == *number:
				*number = ""
			default:
				moveInto(&seller.TaxID, number)
			}
		},
	}
}

// sellerIdentified: the key is an identifier of the seller (BT-29), with its scheme where it has one.
func sellerIdentified(k key, scheme string) Step {
	from := "countrySpecific." + k.name
	return Step{
		Name:  "seller identifier " + k.name,
		Moves: []Move{{from, "seller.identifiers[].id"}, {from, "seller.identifiers[].schemeId"}},
		Derive: func(d *Draft) {
			id, seller := d.key(k), d.Invoice.Seller
			if *id == "" || seller == nil {
				return
			}
			if own := (invoice.Identifier{ID: *id, SchemeID: scheme}); !slices.Contains(seller.Identifiers, own) {
				seller.Identifiers = append(seller.Identifiers, own)
			}
			*id = ""
		},
	}
}

// mentioned: the flag stands for a text that the law wants on the invoice (BT-22).
func mentioned(name string, of func(*invoice.CountrySpecific) **bool, text string) Step {
	return Step{
		Name:  "mention " + name,
		Moves: []Move{{"countrySpecific." + name, "noteEntries[].text"}},
		Derive: func(d *Draft) {
			if d.Invoice.CountrySpecific == nil {
				return
			}
			flag := of(d.Invoice.CountrySpecific)
			if *flag != nil && **flag {
				addNote(d.Invoice, text)
			}
			*flag = nil
		},
	}
}

// taxRegistration: the flag stands for a text in the place of the seller's tax registration (BT-32), which national rules prescribe.
func taxRegistration(name string, of func(*invoice.CountrySpecific) **bool, text string) Step {
	return Step{
		Name:  "tax registration " + name,
		Moves: []Move{{"countrySpecific." + name, "seller.taxId"}},
		Derive: func(d *Draft) {
			cs, seller := d.Invoice.CountrySpecific, d.Invoice.Seller
			if cs == nil || seller == nil || *of(cs) == nil {
				return
			}
			if !**of(cs) || seller.TaxID == "" || seller.TaxID == text {
				if **of(cs) {
					seller.TaxID = text
				}
				*of(cs) = nil
			}
		},
	}
}

// digits leaves the digits of a number.
func digits(text string) string {
	plain := make([]byte, 0, len(text))
	for i := range len(text) {
		if c := text[i]; '0' <= c && c <= '9' {
			plain = append(plain, c)
		}
	}
	return string(plain)
}

func paymentReferenceOf(inv *invoice.Invoice) *string { return &inv.PaymentReference }
func orderNumberOf(inv *invoice.Invoice) *string      { return &inv.OrderNumber }
func buyerReferenceOf(inv *invoice.Invoice) *string   { return &inv.BuyerReference }

// sellerVATID is that of the seller (BT-31), nil where there is none.
func sellerVATID(inv *invoice.Invoice) *string {
	if inv.Seller == nil {
		return nil
	}
	return &inv.Seller.VATID
}
