package profile

import (
	"cmp"
	"slices"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// businessProcess: the profile prescribes BT-23 where the invoice states none.
var businessProcess = Step{
	Name: "business process",
	Derive: func(d *Draft) {
		d.Invoice.BusinessProcess = cmp.Or(d.Invoice.BusinessProcess, d.Profile.BusinessProcess)
	},
}

// buyerReference: BT-10 has two national twins, of which the Leitweg-ID is the buyer's routing number.
var buyerReference = Step{
	Name: "buyer reference",
	Moves: []Move{
		{"countrySpecific.buyerReference", "buyerReference"},
		{"countrySpecific.leitwegId", "buyerReference"},
	},
	Derive: func(d *Draft) {
		if cs := d.Invoice.CountrySpecific; cs != nil {
			moveInto(&d.Invoice.BuyerReference, &cs.BuyerReference)
			moveInto(&d.Invoice.BuyerReference, &cs.LeitwegID)
		}
	},
}

// germanMeansCode: countrySpecific.paymentMeansCode is the exact code (BT-81) of the first payment method, or of the only one where
// the invoice lists none.
var germanMeansCode = Step{
	Name:  "payment means code",
	Moves: []Move{{"countrySpecific.paymentMeansCode", "paymentMethods[0].code"}},
	Derive: func(d *Draft) {
		cs := d.Invoice.CountrySpecific
		if cs == nil || cs.PaymentMeansCode == "" {
			return
		}
		if len(d.Invoice.PaymentMethods) == 0 {
			d.Invoice.PaymentMethods = []invoice.PaymentMethod{{}}
		}
		moveInto(&d.Invoice.PaymentMethods[0].Code, &cs.PaymentMeansCode)
	},
}

// smallBusiness: a small business states why it charges no VAT (§ 19 UStG) as the exemption reason of category E.
var smallBusiness = Step{
	Name:  "small business",
	Moves: []Move{{"countrySpecific.isKleinunternehmer", "taxSummary[].exemptionReason"}},
	Derive: func(d *Draft) {
		cs := d.Invoice.CountrySpecific
		if cs == nil || cs.IsKleinunternehmer == nil {
			return
		}
		if !*cs.IsKleinunternehmer {
			cs.IsKleinunternehmer = nil
			return
		}
		d.warnOfVAT()
		for i := range d.Invoice.TaxSummary {
			g := &d.Invoice.TaxSummary[i]
			if g.TaxCategoryCode != "E" {
				continue
			}
			if g.ExemptionReason == "" && g.ExemptionReasonCode == "" {
				g.ExemptionReason = "Kein Ausweis von Umsatzsteuer, da Kleinunternehmer gemäß § 19 UStG"
			}
			cs.IsKleinunternehmer = nil
		}
	},
}

// warnOfVAT warns of a small business that charges VAT.
func (d *Draft) warnOfVAT() {
	const field = "countrySpecific.isKleinunternehmer"
	for i := range d.Invoice.TaxSummary {
		if g := &d.Invoice.TaxSummary[i]; g.TaxRate.Sign() > 0 || g.TaxAmount.Sign() != 0 {
			d.warn(finding.SmallBusinessWithVAT, field, "%s is true, but taxSummary[%d] has VAT: a small business (§ 19 UStG) charges none; "+
				"leave the member out, or send category E at a rate of 0", field, i)
			d.Invoice.CountrySpecific.IsKleinunternehmer = nil
			return
		}
	}
}

// outsideScopeRate: XRechnung wants a rate in every tax group, also where nothing is subject to VAT (BR-DE-14).
var outsideScopeRate = Step{
	Name: "rate outside the scope of VAT",
	Derive: func(d *Draft) {
		for i := range d.Invoice.TaxSummary {
			if g := &d.Invoice.TaxSummary[i]; g.TaxCategoryCode == "O" && !g.TaxRate.IsSet() {
				g.TaxRate = decimal.New(0, 0)
			}
		}
	},
}

// constructionNotes: notes (BG-1) on construction work: the reverse charge of § 13b UStG and the exemption from the
// withholding tax of § 48 EStG.
var constructionNotes = Step{
	Name: "construction notes",
	Moves: []Move{
		{"constructionTax.exemptionCertificateNumber", "noteEntries[].text"},
		{"constructionTax.withholdingPercent", "noteEntries[].text"},
		{"constructionTax.recipientTaxOffice", "noteEntries[].text"},
	},
	Copies: []Move{{"serviceCategory", "noteEntries[].text"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		reverse := func(it invoice.Item) bool { return it.TaxCategoryCode == "AE" }
		if inv.ServiceCategory == invoice.ServiceConstruction && slices.ContainsFunc(inv.Items, reverse) {
			addNote(inv, "Steuerschuldnerschaft des Leistungsempfängers gemäß § 13b UStG")
		}
		if inv.ConstructionTax != nil {
			addNote(inv, constructionTaxNote(inv.ConstructionTax))
			inv.ConstructionTax = nil
		}
	},
}

// addNote adds a note unless the invoice has it already.
func addNote(inv *invoice.Invoice, text string) {
	note := invoice.Note{Text: text}
	if text != "" && !slices.Contains(inv.NoteEntries, note) {
		inv.NoteEntries = append(inv.NoteEntries, note)
	}
}

func constructionTaxNote(tax *invoice.ConstructionTax) string {
	text := ""
	if tax.ExemptionCertificateNumber != "" {
		text = "#FREISTELLUNG#Freistellungsbescheinigung gemäß § 48b EStG, Nummer " + tax.ExemptionCertificateNumber
	}
	if tax.WithholdingPercent.IsSet() {
		text = sentence(text, "Bauabzugsteuer gemäß § 48 EStG: "+tax.WithholdingPercent.String()+" %")
	}
	if tax.RecipientTaxOffice != "" {
		text = sentence(text, "Finanzamt des Leistungsempfängers: "+tax.RecipientTaxOffice)
	}
	return text
}

func sentence(text, more string) string {
	if text == "" {
		return more
	}
	return text + "; " + more
}

// sellerIdentifier: XRechnung wants one of BT-29, BT-30 and BT-31 (BR-CO-26). A seller who may not state a VAT identifier,
// because everything is outside the scope of VAT (BR-O-02), or has none is known by the tax number.
var sellerIdentifier = Step{
	Name:   "seller identifier",
	Moves:  []Move{{"seller.vatId", "seller.identifiers[0].id"}},
	Copies: []Move{{"seller.taxId", "seller.identifiers[0].id"}},
	Derive: func(d *Draft) {
		s := d.Invoice.Seller
		if s == nil || len(s.Identifiers) > 0 || s.RegistrationNumber != "" {
			return
		}
		id, field := "", ""
		switch {
		case s.VATID != "" && outsideScope(d.Invoice):
			id, field, s.VATID = s.VATID, "seller.vatId", ""
		case s.VATID == "" && s.TaxID != "":
			id, field = s.TaxID, "seller.taxId"
		default:
			return
		}
		s.Identifiers = []invoice.Identifier{{ID: id}}
		d.warn(finding.SellerIdentifierDerived, field, "%s is written as the seller identifier (BT-29), because the seller has no identifiers, no registrationNumber and no VAT identifier that the document may carry", field)
	},
}

// outsideScope tells whether every tax group has the category O.
func outsideScope(inv *invoice.Invoice) bool {
	other := func(g invoice.TaxSummary) bool { return g.TaxCategoryCode != "O" }
	return len(inv.TaxSummary) > 0 && !slices.ContainsFunc(inv.TaxSummary, other)
}

// sellerContact: the contact point of the seller (BG-6) is mandatory in Germany (BR-DE-2, BR-DE-5); its name falls back to
// the seller's.
var sellerContact = Step{
	Name:   "seller contact",
	Copies: []Move{{"seller.name", "seller.contact.name"}},
	Derive: func(d *Draft) {
		s := d.Invoice.Seller
		if s == nil {
			return
		}
		if s.Contact == nil {
			s.Contact = &invoice.Contact{}
		}
		s.Contact.Name = cmp.Or(s.Contact.Name, s.Name)
	},
}

// german is the language of Germany, Austria, Liechtenstein and most of Switzerland.
var german = &words{
	dueNow: "Zahlbar sofort ohne Abzug.", dueDays: "Zahlbar innerhalb von %d Tagen ab Rechnungsdatum.", dueOn: "Zahlbar bis %s.",
	retention: "Sicherheitseinbehalt", of: "von", payable: "fällig am",
	discountDays: "%s %% Skonto bei Zahlung innerhalb von %d Tagen ab Rechnungsdatum", day: dotted,
}
