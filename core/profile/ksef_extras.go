package profile

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// The keys of descriptions (DodatkowyOpis) that stand for members of the invoice.
const (
	keyDescription = "Opis"
	keyNote        = "Uwaga"
	keyProject     = "Numer projektu"
	keyReference   = "Tytuł płatności"
	keyTerms       = "Warunki płatności"
)

// shortText is the most characters of a text (TZnakowy).
const shortText = 256

const extraDescriptions = "Fa/DodatkowyOpis"

// faDescriptions: what FA(3) has no element for, and a text can say, is a description with a key, of the invoice or of a line.
var faDescriptions = Step{
	Name: "descriptions",
	Moves: []Move{
		{"projectNumber", "countrySpecific.national"}, {"paymentReference", "countrySpecific.national"}, {"paymentTerms.description", "countrySpecific.national"},
		{"items[].itemDescription", "countrySpecific.national"}, {"items[].note", "countrySpecific.national"},
	},
	Derive: func(d *Draft) {
		inv := d.Invoice
		var added []group
		add := func(line, key string, text *string) {
			for _, part := range textParts(*text, shortText) {
				g := group{"Klucz": key, "Wartosc": part}
				if line != "" {
					g["NrWiersza"] = line
				}
				added = append(added, g)
			}
			*text = ""
		}
		add("", keyProject, &inv.ProjectNumber)
		add("", keyReference, &inv.PaymentReference)
		if inv.PaymentTerms != nil {
			add("", keyTerms, &inv.PaymentTerms.Description)
		}
		for i := range inv.Items {
			it := &inv.Items[i]
			if it.ItemDescription == "" && it.Note == "" && len(it.Attributes) == 0 {
				continue
			}
			line := strconv.Itoa(*it.Position)
			add(line, keyDescription, &it.ItemDescription)
			add(line, keyNote, &it.Note)
			for j := range it.Attributes {
				add(line, it.Attributes[j].Name, &it.Attributes[j].Value)
			}
			it.Attributes = nil
		}
		if len(added) > 0 {
			putGroups(inv, extraDescriptions, append(groupsOf(inv, extraDescriptions), added...))
		}
	},
	Restore: func(d *Draft) {
		var rest []group
		for _, g := range groupsOf(d.Invoice, extraDescriptions) {
			if !described(d.Invoice, g) {
				rest = append(rest, g)
			}
		}
		putGroups(d.Invoice, extraDescriptions, rest)
	},
}

// described puts a description into its member, where it has one.
func described(inv *invoice.Invoice, g group) bool {
	if g["NrWiersza"] != "" {
		return lineDescribed(inv, g)
	}
	switch g["Klucz"] {
	case keyProject:
		inv.ProjectNumber = joined(inv.ProjectNumber, g["Wartosc"], " ")
	case keyReference:
		inv.PaymentReference = joined(inv.PaymentReference, g["Wartosc"], " ")
	case keyTerms:
		termsOf(inv).Description = joined(termsOf(inv).Description, g["Wartosc"], "\n")
	default:
		return false
	}
	return true
}

func lineDescribed(inv *invoice.Invoice, g group) bool {
	number, err := strconv.Atoi(g["NrWiersza"])
	i := slices.IndexFunc(inv.Items, func(it invoice.Item) bool { return it.Position != nil && *it.Position == number })
	if err != nil || i < 0 {
		return false
	}
	switch it := &inv.Items[i]; g["Klucz"] {
	case keyDescription:
		it.ItemDescription = joined(it.ItemDescription, g["Wartosc"], " ")
	case keyNote:
		it.Note = joined(it.Note, g["Wartosc"], " ")
	default:
		it.Attributes = append(it.Attributes, invoice.Attribute{Name: g["Klucz"], Value: g["Wartosc"]})
	}
	return true
}

func joined(before, text, between string) string {
	if before == "" {
		return text
	}
	return before + between + text
}

// textParts cuts a text into lines, and long lines at blanks.
func textParts(text string, most int) []string {
	var parts []string
	for line := range strings.Lines(text) {
		line = strings.Join(strings.Fields(line), " ")
		for runes := []rune(line); len(runes) > 0; {
			n := len(runes)
			if n > most {
				n = most
				for at := n; at > 0; at-- {
					if runes[at] == ' ' {
						n = at
						break
					}
				}
			}
			parts = append(parts, string(runes[:n]))
			for runes = runes[n:]; len(runes) > 0 && runes[0] == ' '; {
				runes = runes[1:]
			}
		}
	}
	return parts
}

// The room for notes in the foot of the invoice (Stopka/Informacje).
const (
	noteEntryLimit = 3
	noteTextLimit  = 3500
)

// faNotes: notes are the foot of the invoice, which has three texts.
var faNotes = Step{
	Name:  "notes",
	Moves: notes.Moves,
	Derive: func(d *Draft) {
		notes.Derive(d)
		inv := d.Invoice
		fits := len(inv.NoteEntries) <= noteEntryLimit
		for _, n := range inv.NoteEntries {
			fits = fits && len([]rune(n.Text)) <= noteTextLimit
		}
		if fits {
			return
		}
		var all []string
		for _, n := range inv.NoteEntries {
			all = append(all, n.Text)
		}
		runes := []rune(strings.Join(all, "\n"))
		inv.NoteEntries = nil
		for len(runes) > 0 && len(inv.NoteEntries) < noteEntryLimit {
			n := min(len(runes), noteTextLimit)
			inv.NoteEntries = append(inv.NoteEntries, invoice.Note{Text: strings.TrimSpace(string(runes[:n]))})
			runes = []rune(strings.TrimSpace(string(runes[n:])))
		}
		if len(runes) > 0 {
			d.Warnings = append(d.Warnings, finding.Finding{Code: finding.FieldTooLong, Field: "notes", Maximum: noteEntryLimit * noteTextLimit,
				Message: fmt.Sprintf("notes is cut: FA(3) has room for %d texts of %d characters (StopkaFaktury)", noteEntryLimit, noteTextLimit)})
		}
	},
	Restore: notes.Restore,
}

// FAPayment are the forms of payment of FA(3) by code of UNTDID 4461 (FormaPlatnosci); others have a text (OpisPlatnosci).
var FAPayment = map[string]string{"10": "1", "48": "2", "54": "2", "55": "2", "20": "4", "21": "4", "30": "6", "31": "6", "42": "6", "58": "6"}

// PaymentTexts are the texts of further codes.
var PaymentTexts = map[string]string{"49": "polecenie zapłaty", "59": "polecenie zapłaty SEPA", "50": "giro", "93": "FIK", "1": "inna"}

// faPayment: FA(3) has one form of payment, days of payment, and a cash discount in words.
var faPayment = Step{
	Name: "payment",
	Moves: []Move{
		{"paymentTerms.dueDays", "dueDate"}, {"cashDiscountPercent", "countrySpecific.national"}, {"cashDiscountDays", "countrySpecific.national"},
		{"cashDiscountBaseAmount", "countrySpecific.national"}, {"paymentMethods[].account.iban", "seller.bankAccount.iban"}, {"paymentMethods[].account.bic", "seller.bankAccount.bic"}, {"paymentMethods[].account.name", "seller.bankAccount.accountHolder"},
	},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if terms := inv.PaymentTerms; terms != nil && terms.DueDays != nil {
			if due := inv.IssueDate.AddDays(*terms.DueDays); inv.DueDate == "" || inv.DueDate == due {
				inv.DueDate, terms.DueDays = due, nil
			}
		}
		if discount := takeDiscount(inv); discount != nil {
			d.keep("Fa/Platnosc/Skonto/WarunkiSkonta", discountTermsPL(discount))
			d.keep("Fa/Platnosc/Skonto/WysokoscSkonta", discount.DiscountPercent.WithMinScale(2).String()+"%")
		}
		deriveMethod(d)
	},
	Restore: func(d *Draft) {
		restoreDiscount(d.Invoice)
		restoreMethod(d.Invoice)
		restoreTerms(d.Invoice)
	},
}

// restoreTerms takes terms of payment that are a text, as FA(2) has them.
func restoreTerms(inv *invoice.Invoice) {
	cs := specificOf(inv)
	for path, texts := range cs.National.Sorted() {
		if strings.HasPrefix(path, "Fa/Platnosc/TerminPlatnosci") && strings.HasSuffix(path, "/TerminOpis") {
			termsOf(inv).Description = joined(termsOf(inv).Description, strings.Join(texts, "\n"), "\n")
			delete(cs.National, path)
		}
	}
}

func discountTermsPL(discount *invoice.EarlyDiscount) string {
	text := fmt.Sprintf("płatność w ciągu %d dni", *discount.Days)
	if discount.BaseAmount.IsSet() {
		text += " od kwoty " + discount.BaseAmount.WithMinScale(2).String()
	}
	return text
}

// faDiscountForm is what discountTermsPL writes.
var faDiscountForm = regexp.MustCompile(`^płatność w ciągu ([0-9]{1,3}) dni(?: od kwoty ([0-9]+\.[0-9]+))?$`)

func restoreDiscount(inv *invoice.Invoice) {
	cs := specificOf(inv)
	const terms, height = "Fa/Platnosc/Skonto/WarunkiSkonta", "Fa/Platnosc/Skonto/WysokoscSkonta"
	if len(cs.National[terms]) != 1 || len(cs.National[height]) != 1 {
		return
	}
	form := faDiscountForm.FindStringSubmatch(cs.National[terms][0])
	percent, err := decimal.Parse(strings.TrimSuffix(cs.National[height][0], "%"))
	if form == nil || err != nil || !strings.HasSuffix(cs.National[height][0], "%") {
		return
	}
	days, _ := strconv.Atoi(form[1])
	discount := &invoice.EarlyDiscount{Days: &days, DiscountPercent: percent}
	if form[2] != "" {
		discount.BaseAmount = decimal.MustParse(form[2])
	}
	termsOf(inv).EarlyPaymentDiscount = discount
	delete(cs.National, terms)
	delete(cs.National, height)
}

// deriveMethod leaves one form of payment, whose account is the seller's.
func deriveMethod(d *Draft) {
	inv := d.Invoice
	for i := 1; i < len(inv.PaymentMethods); i++ {
		field := entry("paymentMethods", i)()
		d.warn(finding.FieldNotWritten, field, "%s is not written: FA(3) has one form of payment (FormaPlatnosci)", field)
	}
	if len(inv.PaymentMethods) == 0 {
		return
	}
	inv.PaymentMethods = inv.PaymentMethods[:1]
	m := &inv.PaymentMethods[0]
	if FAPayment[m.Code] != "" && m.Details != "" {
		d.warn(finding.FieldNotWritten, "paymentMethods[0].details", "paymentMethods[0].details is not written: FA(3) has a text for other forms of payment only (OpisPlatnosci)")
		m.Details = ""
	}
	if a := m.Account; a != nil && inv.Seller != nil {
		if inv.Seller.BankAccount == nil {
			inv.Seller.BankAccount = &invoice.BankAccount{}
		}
		bank := inv.Seller.BankAccount
		moveInto(&bank.IBAN, &a.IBAN)
		moveInto(&bank.IBAN, &a.ID)
		moveInto(&bank.BIC, &a.BIC)
		moveInto(&bank.AccountHolder, &a.Name)
		if a.IBAN == "" && a.ID == "" && a.BIC == "" && a.Name == "" {
			m.Account = nil
		}
	}
}

// restoreMethod finds the code of a form of payment that has a text.
func restoreMethod(inv *invoice.Invoice) {
	if len(inv.PaymentMethods) == 0 {
		return
	}
	m := &inv.PaymentMethods[0]
	for code, text := range PaymentTexts {
		if m.Type == invoice.PayOther && m.Details == text {
			m.Type, m.Code, m.Details = methodOf(code), "", ""
			if codeOfMethod(m.Type) != code {
				m.Code = code
			}
			return
		}
	}
}

// glnScheme is the ISO 6523 code of the Global Location Number.
const glnScheme = "0088"

// faIdentifiers: of the identifiers of parties FA(3) has the location number, and the number of the customer.
var faIdentifiers = Step{
	Name: "identifiers",
	Moves: []Move{
		{"seller.identifiers[].id", "countrySpecific.national"}, {"buyer.identifiers[].id", "countrySpecific.national"}, {"buyer.identifiers[].id", "customerNumber"},
	},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if inv.Buyer != nil && len(inv.Buyer.Identifiers) > 0 && inv.CustomerNumber == "" && inv.Buyer.Identifiers[0].SchemeID == "" {
			leave(d, &inv.Buyer.Identifiers[0].SchemeName, "buyer.identifiers[0].schemeName", numberAlone)
			inv.CustomerNumber, inv.Buyer.Identifiers = inv.Buyer.Identifiers[0].ID, inv.Buyer.Identifiers[1:]
		}
		d.locate(inv.Seller, "seller", "Podmiot1/Adres/GLN")
		d.locate(inv.Buyer, "buyer", "Podmiot2/Adres/GLN")
	},
	Restore: func(d *Draft) {
		located(d.Invoice, d.Invoice.Seller, "Podmiot1/Adres/GLN")
		located(d.Invoice, d.Invoice.Buyer, "Podmiot2/Adres/GLN")
	},
}

const numberAlone = "FA(3) has the number alone"

func (d *Draft) locate(p *invoice.Party, name, path string) {
	if p == nil {
		return
	}
	for i, id := range p.Identifiers {
		if id.SchemeID == glnScheme && specificOf(d.Invoice).National[path] == nil && hasAddress(p) {
			d.keep(path, id.ID)
			leave(d, &id.SchemeName, entry(name+".identifiers", i)()+".schemeName", numberAlone)
			continue
		}
		field := entry(name+".identifiers", i)()
		d.warn(finding.FieldNotWritten, field, "%s is not written: FA(3) has one location number of a party with an address (GLN, scheme %s)", field, glnScheme)
	}
	p.Identifiers = nil
}

func hasAddress(p *invoice.Party) bool { return cmp.Or(p.Street, p.City, p.PostalCode) != "" }

func located(inv *invoice.Invoice, p *invoice.Party, path string) {
	cs := specificOf(inv)
	if texts := cs.National[path]; len(texts) == 1 && p != nil {
		p.Identifiers = append(p.Identifiers, invoice.Identifier{ID: texts[0], SchemeID: glnScheme})
		delete(cs.National, path)
	}
}
