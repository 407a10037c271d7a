package profile

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// The formats of transmission of FatturaPA 1.2 (specifiche tecniche 1.9, FormatoTrasmissione), which the canonical invoice has as its
// business process (BT-23).
const (
	italianPublic  = "FPA12" // to the public administration
	italianPrivate = "FPR12"
)

// FatturaPA is FatturaPA 1.2.3 of Italy. A credit note is positive there, quantities have no sign, discounts are for one unit, and
// allowances and charges of the document are lines.
//
// Allowances and charges become lines before lines get natures and numbers; retention and discount join the terms of payment
// before these become a note; texts come last, when all that is written is there.
func FatturaPA() *Profile {
	return New(Profile{
		Token: "fatturapa", Country: "IT", TypeCodes: []string{"380", "381", "384", "389"},
		Refused: map[invoice.Type]string{invoice.TypeProforma: "the Sistema di Interscambio takes no pro forma invoice; send it as pdf"},
		Steps: []Step{
			italianRecipient, typeCode, sumOfGroups, italianDocument, italianCredit, leafLines, italianArticles, lineAmounts, taxCategories, exemptionReasons, italianCharges,
			italianNatures, italianLines, italianPrices, retentionKept, discountSentence, italianTerms, notes, precedingInvoices,
			deliveryDay, paymentMeans, plainIBANs, italianAccounts, italianMethods, contacts, italianParties, italianTexts,
		},
		Attachments: []string{"application/pdf", "image/png", "image/jpeg", "text/csv", "application/xml",
			"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "application/vnd.oasis.opendocument.spreadsheet"},
	})
}

// italianWords are the sentences of Italy.
var italianWords = &words{
	dueNow: "Pagamento immediato, senza sconto.", dueDays: "Pagamento entro %d giorni dalla data della fattura.", dueOn: "Pagamento entro il %s.",
	retention: "Ritenuta a garanzia", of: "su", payable: "esigibile il",
	discountDays: "Sconto del %s %% per pagamento entro %d giorni dalla data della fattura", day: slashed,
}

// italianKeys is countrySpecific, made where there is none.
func italianKeys(inv *invoice.Invoice) *invoice.CountrySpecific {
	if inv.CountrySpecific == nil {
		inv.CountrySpecific = &invoice.CountrySpecific{}
	}
	return inv.CountrySpecific
}

// recipientCode is a code of the Sistema di Interscambio: six characters of a public office (IPA), seven of a channel.
var recipientCode = regexp.MustCompile(`^[A-Z0-9]{6,7}$`)

// The codes of recipients that have none (specifiche tecniche 1.9, CodiceDestinatario).
const (
	noRecipient      = "0000000"
	foreignRecipient = "XXXXXXX"
)

// The schemes of electronic addresses (EAS) that route invoices in Italy: office code of the IPA, certified e-mail, recipient code.
const (
	schemeIPA     = "0201"
	schemePEC     = "0202"
	schemeCoddest = "0205"
)

// italianRecipient: the recipient's code decides about the format of transmission. Without one, that of the buyer's electronic address
// or the buyer's reference (BT-10) counts, and else the code of those who have none.
var italianRecipient = Step{
	Name: "recipient",
	Moves: []Move{{"buyer.electronicAddress.id", "countrySpecific.recipientCode"}, {"buyer.electronicAddress.id", "countrySpecific.pec"},
		{"buyerReference", "countrySpecific.recipientCode"}, {"countrySpecific.recipientCode", "businessProcess"}},
	Derive: func(d *Draft) {
		inv, cs := d.Invoice, italianKeys(d.Invoice)
		if b := inv.Buyer; b != nil && b.ElectronicAddress != nil {
			takeRoute(b, cs)
		}
		if cs.RecipientCode == "" && recipientCode.MatchString(inv.BuyerReference) {
			moveInto(&cs.RecipientCode, &inv.BuyerReference)
		}
		if cs.RecipientCode == "" {
			d.assumeRecipient(cs)
		}
		if inv.BusinessProcess != "" {
			d.warn(finding.FieldNotWritten, "businessProcess", "businessProcess is not written: FatturaPA has no place for it")
		}
		inv.BusinessProcess = italianPrivate
		if len(cs.RecipientCode) == 6 {
			inv.BusinessProcess = italianPublic
		}
		deriveTransmission(inv, cs)
	},
	Restore: restoreTransmission,
}

// takeRoute takes code and certified e-mail of the recipient from the buyer's electronic address.
func takeRoute(buyer *invoice.Party, cs *invoice.CountrySpecific) {
	address := buyer.ElectronicAddress
	switch address.SchemeID {
	case schemeIPA, schemeCoddest:
		cs.RecipientCode = cmp.Or(cs.RecipientCode, address.ID)
		if cs.RecipientCode == address.ID {
			buyer.ElectronicAddress = nil
		}
	case schemePEC:
		cs.PEC = cmp.Or(cs.PEC, address.ID)
		if cs.PEC == address.ID {
			buyer.ElectronicAddress = nil
		}
	}
}

// assumeRecipient fills in the code of a recipient that has none.
func (d *Draft) assumeRecipient(cs *invoice.CountrySpecific) {
	const field = "countrySpecific.recipientCode"
	if b := d.Invoice.Buyer; b != nil && b.CountryCode != "IT" && b.CountryCode != "" {
		cs.RecipientCode = foreignRecipient
		d.warn(finding.ValueAssumed, field, "%s is missing: %s is written, the code of recipients abroad", field, foreignRecipient)
		return
	}
	cs.RecipientCode = noRecipient
	if cs.PEC == "" {
		d.warn(finding.ValueAssumed, field, "%s is missing, and so is countrySpecific.pec: %s is written, so that the invoice waits in the buyer's tax drawer; "+
			"send the code of seven characters, or of six for a public office", field, noRecipient)
	}
}

// deriveTransmission fills in who transmits and the number of the transmission.
func deriveTransmission(inv *invoice.Invoice, cs *invoice.CountrySpecific) {
	cs.TaxRegime = cmp.Or(cs.TaxRegime, "RF01")
	if inv.Seller != nil {
		takeFiscalCode(&inv.Seller.TaxID, &cs.SellerFiscalCode)
		italianVATID(inv.Seller)
		cs.TransmitterID = cmp.Or(cs.TransmitterID, inv.Seller.VATID)
	}
	if inv.Buyer != nil {
		takeFiscalCode(&inv.Buyer.TaxID, &cs.BuyerFiscalCode)
		italianVATID(inv.Buyer)
	}
	cs.ProgressiveNumber = cmp.Or(cs.ProgressiveNumber, transmission(inv))
}

func takeFiscalCode(taxID, code *string) {
	if *taxID == "" || *taxID == *code {
		*taxID, *code = cmp.Or(*code, *taxID), ""
	}
}

// partitaIVA is the number of an Italian VAT identifier.
var partitaIVA = regexp.MustCompile(`^[0-9]{11}$`)

// italianVATID completes the VAT identifier of an Italian party: with the country's prefix, and of a seller that gives none from the tax
// number, which companies have in common with it.
func italianVATID(p *invoice.Party) {
	if p.CountryCode == "IT" && partitaIVA.MatchString(p.VATID) {
		p.VATID = "IT" + p.VATID
	}
}

// transmission numbers a transmission by what tells invoices apart. So the same invoice gives the same file. ProgressivoInvio
// has room for ten characters.
func transmission(inv *invoice.Invoice) string {
	seller := ""
	if inv.Seller != nil {
		seller = inv.Seller.VATID
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{seller, inv.InvoiceNumber, string(inv.IssueDate)}, "\n")))
	return hex.EncodeToString(sum[:])[:10]
}

// restoreTransmission lets go what follows from the rest of the invoice.
func restoreTransmission(d *Draft) {
	inv, cs := d.Invoice, italianKeys(d.Invoice)
	inv.BusinessProcess = ""
	if cs.TaxRegime == "RF01" {
		cs.TaxRegime = ""
	}
	if inv.Seller != nil && cs.TransmitterID == inv.Seller.VATID {
		cs.TransmitterID = ""
	}
	if cs.ProgressiveNumber == transmission(inv) {
		cs.ProgressiveNumber = ""
	}
	if *cs = cleared(cs); !slices.Contains([]string{"", "IT"}, cs.CountryCode) || specified(cs) {
		cs.CountryCode = "IT"
	} else {
		inv.CountrySpecific = nil
	}
}
