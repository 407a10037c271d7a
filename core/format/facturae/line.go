package facturae

import (
	"regexp"
	"strings"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// line are the members of an invoice line. Where the version has no place for them in the invoice, each line names order, file and contract;
// they are read there in all versions.
func line(v version) []row {
	var named func(scope) bool
	if v.references {
		named = func(scope) bool { return false }
	}
	return []row{
		{Term: "BT-12", Field: "/contractNumber", Path: "ReceiverContractReference", Convert: upTo(20), When: named},
		{Term: "BT-13", Field: "/orderNumber", Path: "ReceiverTransactionReference", Convert: upTo(20), When: named},
		{Term: "BT-11", Field: "/projectNumber", Path: "FileReference", Convert: upTo(20), When: named},
		{Term: "BT-126", Field: "lineId", Path: "SequenceNumber", Convert: sequence},
		{Path: "DeliveryNotesReferences/DeliveryNote", Rows: []row{
			{Term: "BT-16", Field: "/deliveryNote.number", Path: "DeliveryNoteNumber", Convert: upTo(30), First: true},
			{Field: "/deliveryNote.date", Path: "DeliveryNoteDate", Type: m.Day, First: true},
		}},
		{Term: "BT-153", Card: m.One, Field: "description", Path: "ItemDescription"},
		{Term: "BT-129", Card: m.One, Field: "quantity", Path: "Quantity", Type: m.Quantity},
		{Term: "BT-130", Card: m.One, Field: "unit", Path: "UnitOfMeasure", Type: m.Code, Convert: units(v)},
		{Term: "BT-146", Card: m.One, Field: "unitPrice", Path: "UnitPriceWithoutTax", Type: m.UnitPrice, Convert: v.price},
		{Field: "grossAmount", Path: "TotalCost", Type: m.Amount, Convert: v.price}, // of the canonical invoice
		{Term: "BG-27", Card: m.Many, Field: "allowances[]", Path: "DiscountsAndRebates/Discount", Rows: reduction(v, "Discount", 136)},
		{Term: "BG-28", Card: m.Many, Field: "charges[]", Path: "Charges/Charge", Rows: reduction(v, "Charge", 141)},
		{Term: "BT-131", Card: m.One, Field: "netAmount", Path: "GrossAmount", Type: m.Amount, Convert: v.price},
		{Path: "TaxesOutputs/Tax", Rows: []row{
			{Term: "BT-151", Card: m.One, Field: "taxCategoryCode", Path: "TaxTypeCode", Type: m.Code, Convert: taxTypes},
			{Term: "BT-152", Card: m.One, Field: "taxRate", Path: "TaxRate", Type: m.Percentage, Convert: v.number, Fill: "0.00"},
			{Field: "netAmount", Path: "TaxableBase/TotalAmount", Type: m.Amount, Convert: v.number, Last: true},
			{Field: "taxAmount", Path: "TaxAmount/TotalAmount", Type: m.Amount, Convert: v.number},
		}},
		{Term: "BT-134", Field: "servicePeriod.start", Path: "LineItemPeriod/StartDate", Type: m.Day},
		{Term: "BT-135", Field: "servicePeriod.end", Path: "LineItemPeriod/EndDate", Type: m.Day},
		{Term: "BT-154 BT-127", Path: "AdditionalLineItemInformation", Codec: lineInformation},
		{Term: "BT-151", Path: "SpecialTaxableEvent/SpecialTaxableEventCode", Codec: specialEvent},
		{Term: "BT-120", Field: "taxExemptionReason", Path: "SpecialTaxableEvent/SpecialTaxableEventReason"},
		{Term: "BT-155", Field: "articleNumber", Path: "ArticleCode", Convert: upTo(20)},
	}
}

// sequence is for identifiers of lines that are numbers.
var sequence = &m.Converter{
	Write: func(id string) (string, bool) { return id, numeric.MatchString(id) },
	Read: func(text string) (string, bool) {
		if whole, zeros, found := strings.Cut(text, "."); found && strings.Trim(zeros, "0") == "" {
			text = whole
		}
		return text, true
	},
}

var numeric = regexp.MustCompile(`^[0-9]{1,15}$`)

// noteMark begins the note of a line (BT-127) behind its description (BT-154).
const noteMark = "Nota: "

var lineInformation = &m.Codec{
	Fields: []string{"itemDescription", "note"},
	Format: func(group any) string {
		it := group.(*invoice.Item)
		if it.Note == "" {
			return it.ItemDescription
		}
		return strings.TrimPrefix(it.ItemDescription+"\n"+noteMark+it.Note, "\n")
	},
	Parse: func(text string, group any) {
		it := group.(*invoice.Item)
		text = strings.TrimSpace(text)
		if note, all := strings.CutPrefix(text, noteMark); all {
			it.Note = note
			return
		}
		it.ItemDescription, it.Note, _ = strings.Cut(text, "\n"+noteMark)
	},
}

// specialEvent says that a line without tax is exempt (01) or not subject to it (02). What is read waits in natureCode for profile.Facturae.
var specialEvent = &m.Codec{
	Fields: []string{"natureCode"},
	Format: func(group any) string { return profile.SpecialTaxableEvent(group.(*invoice.Item)) },
	Parse:  func(text string, group any) { group.(*invoice.Item).NatureCode = strings.TrimSpace(text) },
}
