package profile

import (
	"regexp"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// FAAddress gives the two lines of an address of FA(3): the street with what belongs to it, and place with post code. An address without
// a street has its place in the first line.
func FAAddress(a *invoice.Address) (first, second string) {
	first = strings.Join(set(a.Street, a.AdditionalStreet, a.AddressLine3), ", ")
	second = strings.Join(set(a.PostalCode, a.City), " ")
	if first == "" {
		return second, ""
	}
	return first, second
}

// set are the texts that are not empty.
func set(texts ...string) []string {
	var all []string
	for _, text := range texts {
		if text != "" {
			all = append(all, text)
		}
	}
	return all
}

// placeLine is a post code, which has a digit, and a place.
var placeLine = regexp.MustCompile(`^(\S*[0-9]\S*) (\S.*)$`)

// FAPlace takes the second line of an address apart.
func FAPlace(line string) (postalCode, city string) {
	if parts := placeLine.FindStringSubmatch(line); parts != nil {
		return parts[1], parts[2]
	}
	return "", line
}

// The kinds of number that a party of FA(3) can have (TPodmiot2), and their elements.
const (
	faNIP    = "DaneIdentyfikacyjne/NIP"
	faPrefix = "DaneIdentyfikacyjne/KodUE"
	faVAT    = "DaneIdentyfikacyjne/NrVatUE"
	faAbroad = "DaneIdentyfikacyjne/KodKraju"
	faID     = "DaneIdentyfikacyjne/NrID"
	faNoID   = "DaneIdentyfikacyjne/BrakID"
	faName   = "DaneIdentyfikacyjne/Nazwa"
	faState  = "Adres/KodKraju"
	faFirst  = "Adres/AdresL1"
	faSecond = "Adres/AdresL2"
)

// FANumber gives the elements of the number of a buyer or another party by its VAT identifier, other number and country: the NIP in
// Poland, the VAT identifier in the European Union, another number, or that there is none.
func FANumber(vatID, taxID, country string) map[string]string {
	nip := PolishNIP(vatID)
	if nip != "" && (strings.HasPrefix(vatID, "PL") || country == "PL") {
		return group{faNIP: nip}
	}
	if prefix, number := EuropeanVAT(vatID); prefix != "" {
		return group{faPrefix: prefix, faVAT: number}
	}
	for _, number := range []string{vatID, taxID} {
		if number != "" {
			g := group{faID: number}
			if country != "" {
				g[faAbroad] = country
			}
			return g
		}
	}
	return group{faNoID: "1"}
}

// The other parties of FA(3) that the invoice knows: the factor is the payee, the recipient whom the goods go to, and the authorised
// entity the tax representative.
const (
	otherParties   = "Podmiot3"
	roleFactor     = "1"
	roleRecipient  = "2"
	authorised     = "PodmiotUpowazniony"
	representative = "3"
	factorAccounts = "Fa/Platnosc/RachunekBankowyFaktora"
)

// faParties: payee, place of delivery and tax representative are parties with a role. What FA(3) has no element for stays
// where it is, such as a state or the holder of an account, and is told as not written.
var faParties = Step{
	Name: "other parties",
	Moves: []Move{
		{"payee.name", "countrySpecific.national"}, {"delivery.name", "countrySpecific.national"}, {"taxRepresentative.name", "countrySpecific.national"},
	},
	Derive: func(d *Draft) {
		inv := d.Invoice
		parties := []group{}
		if p := inv.Payee; p != nil && p.Name != "" {
			address := &invoice.Address{Street: p.Street, AdditionalStreet: p.AdditionalStreet, AddressLine3: p.AddressLine3, City: p.City, PostalCode: p.PostalCode, CountryCode: p.CountryCode}
			parties = append(parties, partyGroup(p.Name, p.VATID, p.TaxID, address, roleFactor))
			if b := p.BankAccount; b != nil && b.IBAN != "" {
				g := group{"NrRB": b.IBAN}
				fill(g, "SWIFT", b.BIC)
				fill(g, "NazwaBanku", b.BankName)
				putGroups(inv, factorAccounts, []group{g})
				p.BankAccount = &invoice.BankAccount{AccountHolder: b.AccountHolder}
			}
			if p.VATID != "" {
				leave(d, &p.TaxID, "payee.taxId", "FA(3) has one number of a party, and payee.vatId is given as well")
			}
			p.Name, p.VATID, p.TaxID, p.Street, p.AdditionalStreet, p.AddressLine3, p.City, p.PostalCode, p.CountryCode = "", "", "", "", "", "", "", "", ""
		}
		if to := inv.Delivery; to != nil && to.Name != "" {
			address := to.Address
			if address == nil {
				address = &invoice.Address{}
			}
			parties = append(parties, partyGroup(to.Name, "", "", address, roleRecipient))
			to.Name = ""
			if to.Address != nil && cityOrStreet(address) {
				to.Address = &invoice.Address{State: address.State}
			}
		}
		if len(parties) > 0 {
			putGroups(inv, otherParties, append(parties, groupsOf(inv, otherParties)...))
		}
		d.deriveRepresentative()
	},
	Restore: func(d *Draft) {
		inv := d.Invoice
		var rest []group
		for _, g := range groupsOf(inv, otherParties) {
			if !restoreParty(inv, g) {
				rest = append(rest, g)
			}
		}
		putGroups(inv, otherParties, rest)
		restoreFactorAccount(inv)
		d.restoreRepresentative()
	},
}

func cityOrStreet(a *invoice.Address) bool {
	return a.Street != "" || a.City != "" || a.PostalCode != ""
}

func fill(g group, name, text string) {
	if text != "" {
		g[name] = text
	}
}

// partyGroup gives the elements of a party.
func partyGroup(name, vatID, taxID string, address *invoice.Address, role string) group {
	g := group(FANumber(vatID, taxID, address.CountryCode))
	g[faName] = name
	if cityOrStreet(address) {
		first, second := FAAddress(address)
		g[faState] = address.CountryCode
		fill(g, faFirst, first)
		fill(g, faSecond, second)
	}
	if role != "" {
		g["Rola"] = role
	}
	return g
}

// restoreParty takes a party that is payee or place of delivery and nothing else.
func restoreParty(inv *invoice.Invoice, g group) bool {
	if g[faName] == "" || !g.only(faNIP, faPrefix, faVAT, faAbroad, faID, faNoID, faName, faState, faFirst, faSecond, "Rola") {
		return false
	}
	address := addressOf(g)
	switch {
	case g["Rola"] == roleFactor && inv.Payee == nil:
		vat, tax := numberOf(g)
		inv.Payee = &invoice.Party{Name: g[faName], VATID: vat, TaxID: tax, Street: address.Street, City: address.City, PostalCode: address.PostalCode, CountryCode: address.CountryCode}
		return true
	case g["Rola"] == roleRecipient && g[faNoID] != "" && (inv.Delivery == nil || inv.Delivery.Name == ""):
		if inv.Delivery == nil {
			inv.Delivery = &invoice.Delivery{}
		}
		inv.Delivery.Name = g[faName]
		if *address != (invoice.Address{}) {
			inv.Delivery.Address = address
		}
		return true
	}
	return false
}

// numberOf gives VAT identifier and other number of a party.
func numberOf(g group) (vatID, taxID string) {
	switch {
	case g[faNIP] != "":
		return "PL" + g[faNIP], ""
	case g[faVAT] != "":
		return g[faPrefix] + g[faVAT], ""
	}
	return "", g[faID]
}

func addressOf(g group) *invoice.Address {
	a := &invoice.Address{Street: g[faFirst], CountryCode: g[faState]}
	a.PostalCode, a.City = FAPlace(g[faSecond])
	if a.CountryCode == "" {
		a.CountryCode = g[faAbroad]
	}
	return a
}

// restoreFactorAccount gives the payee the only account of a factor.
func restoreFactorAccount(inv *invoice.Invoice) {
	if inv.Payee == nil {
		return
	}
	accounts := groupsOf(inv, factorAccounts)
	if len(accounts) == 1 && accounts[0].only("NrRB", "SWIFT", "NazwaBanku") && invoice.ValidIBAN(accounts[0]["NrRB"]) {
		g := accounts[0]
		inv.Payee.BankAccount = &invoice.BankAccount{IBAN: g["NrRB"], BIC: g["SWIFT"], BankName: g["NazwaBanku"]}
		return
	}
	putGroups(inv, factorAccounts, accounts)
}

func (d *Draft) deriveRepresentative() {
	inv := d.Invoice
	r := inv.TaxRepresentative
	if r == nil || PolishNIP(r.VATID) == "" || specificOf(inv).National[authorised+"/RolaPU"] != nil {
		return
	}
	address := &invoice.Address{Street: r.Street, AdditionalStreet: r.AdditionalStreet, AddressLine3: r.AddressLine3, City: r.City, PostalCode: r.PostalCode, CountryCode: r.CountryCode}
	g := partyGroup(r.Name, r.VATID, "", address, "")
	g["RolaPU"] = representative
	for name, text := range g {
		d.keep(authorised+"/"+name, text)
	}
	inv.TaxRepresentative = nil
	if r.State != "" {
		inv.TaxRepresentative = &invoice.TaxRepresentative{State: r.State}
	}
}

func (d *Draft) restoreRepresentative() {
	inv := d.Invoice
	found := groupsOf(inv, authorised)
	if len(found) != 1 || found[0]["RolaPU"] != representative || !found[0].only(faNIP, faName, faState, faFirst, faSecond, "RolaPU") {
		for _, g := range found {
			for name, text := range g {
				d.keep(authorised+"/"+name, text)
			}
		}
		return
	}
	g := found[0]
	a := addressOf(g)
	inv.TaxRepresentative = &invoice.TaxRepresentative{Name: g[faName], VATID: "PL" + g[faNIP], Street: a.Street, City: a.City, PostalCode: a.PostalCode, CountryCode: a.CountryCode}
}

// phoneLimit is the most characters of a telephone number (TNumerTelefonu).
const phoneLimit = 16

// faPhones: a telephone number that is too long loses its punctuation first.
var faPhones = Step{
	Name: "telephone numbers",
	Derive: func(d *Draft) {
		for i, p := range []*invoice.Party{d.Invoice.Seller, d.Invoice.Buyer} {
			name := []string{"seller", "buyer"}[i]
			if p == nil || p.Contact == nil || len([]rune(p.Contact.Phone)) <= phoneLimit {
				continue
			}
			short := strings.Map(func(r rune) rune {
				if strings.ContainsRune(" -./()", r) {
					return -1
				}
				return r
			}, p.Contact.Phone)
			if len([]rune(short)) > phoneLimit {
				field := d.Original(name + ".contact.phone")
				d.warn(finding.FieldNotWritten, field, "%s is not written: FA(3) has telephone numbers of %d characters (Telefon)", field, phoneLimit)
				short = ""
			}
			p.Contact.Phone = short
		}
	},
}
