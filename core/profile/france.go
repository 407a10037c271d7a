package profile

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// france: SIREN and SIRET are the registration number (BT-30, 0002) and an identifier of the seller (BT-29, 0009); the code of the service
// and the number of the engagement, which Chorus Pro asks for, are the references of buyer (BT-10) and order (BT-13). Legal form,
// capital and register are legal information (BT-33); what the law wants said on an invoice is a note (BT-22), by its subject
// (UNTDID 4451) where the French rules give one (XP Z12-012: PMT, PMD, AAB).
var france = &nation{words: french, keys: []Step{
	registered(key{"siren", func(cs *invoice.CountrySpecific) *string { return &cs.SIREN }}, "0002", digits),
	sellerIdentified(key{"siret", func(cs *invoice.CountrySpecific) *string { return &cs.SIRET }}, "0009"),
	twin(key{"serviceCode", func(cs *invoice.CountrySpecific) *string { return &cs.ServiceCode }}, "buyerReference", buyerReferenceOf),
	twin(key{"engagementNumber", func(cs *invoice.CountrySpecific) *string { return &cs.EngagementNumber }}, "orderNumber", orderNumberOf),
	frenchLegalForm, frenchNotes,
	mentioned("vatOnDebits", func(cs *invoice.CountrySpecific) **bool { return &cs.VATOnDebits }, "Option pour le paiement de la taxe d'après les débits"),
}}

// french is the language of France, and that of the laws of Luxembourg.
var french = &words{
	dueNow: "Payable immédiatement, sans escompte.", dueDays: "Payable dans les %d jours suivant la date de facture.", dueOn: "Payable au plus tard le %s.",
	retention: "Retenue de garantie", of: "sur", payable: "exigible le",
	discountDays: "Escompte de %s %% pour tout paiement dans les %d jours suivant la date de facture", day: slashed,
}

// frenchLegalForm is the seller's legal form, its capital and its entry in the register of commerce (art. R. 123-238 Code de commerce).
var frenchLegalForm = Step{
	Name: "French legal form",
	Moves: []Move{
		{"countrySpecific.legalForm", "seller.legalInformation"}, {"countrySpecific.shareCapital", "seller.legalInformation"},
		{"countrySpecific.rcs", "seller.legalInformation"},
	},
	Derive: func(d *Draft) {
		cs, seller := d.Invoice.CountrySpecific, d.Invoice.Seller
		if cs == nil || seller == nil || seller.LegalInformation != "" {
			return
		}
		parts := []string{cs.LegalForm}
		if cs.ShareCapital.IsSet() {
			parts = append(parts, "au capital de "+cs.ShareCapital.String()+" EUR")
		}
		text := strings.TrimSpace(strings.Join(parts, " "))
		if cs.RCS != "" {
			text = strings.TrimPrefix(text+", RCS "+strings.TrimPrefix(cs.RCS, "RCS "), ", ")
		}
		seller.LegalInformation = text
		cs.LegalForm, cs.ShareCapital, cs.RCS = "", invoice.CountrySpecific{}.ShareCapital, ""
	},
}

// operations are the categories of operations that an invoice names (CGI, annexe II, art. 242 nonies A).
var operations = map[string]string{
	"goods": "Livraison de biens", "services": "Prestation de services", "mixed": "Livraison de biens et prestation de services",
}

// frenchNotes are the texts that an invoice between businesses must have, each with its subject (art. L. 441-9 Code de commerce).
var frenchNotes = Step{
	Name: "French notes",
	Moves: []Move{
		{"countrySpecific.notes.PMT", "noteEntries[].text"}, {"countrySpecific.notes.PMD", "noteEntries[].text"},
		{"countrySpecific.notes.AAB", "noteEntries[].text"}, {"countrySpecific.operationCategory", "noteEntries[].text"},
	},
	Derive: func(d *Draft) {
		cs := d.Invoice.CountrySpecific
		if cs == nil {
			return
		}
		if cs.Notes != nil {
			for _, note := range []invoice.Note{{Text: cs.Notes.PMT, SubjectCode: "PMT"}, {Text: cs.Notes.PMD, SubjectCode: "PMD"}, {Text: cs.Notes.AAB, SubjectCode: "AAB"}} {
				if note.Text != "" {
					d.Invoice.NoteEntries = append(d.Invoice.NoteEntries, note)
				}
			}
			cs.Notes = nil
		}
		if text := operations[cs.OperationCategory]; text != "" {
			addNote(d.Invoice, text)
			cs.OperationCategory = ""
		}
	},
}
