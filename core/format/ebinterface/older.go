package ebinterface

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/rulebooks/elementorder"
)

// namespace43 is that of 4.3, whose attributes are in it as well.
const namespace43 = family + "4p3/"

// olderTable is that of 4.3: rates have no categories, exemptions stand in the place of rates, and there is no prepaid amount.
func olderTable() *m.Table[invoice.Invoice] {
	older := Table
	older.Elements = []m.Element{{Name: "Invoice", Namespace: namespace43}}
	older.Editions = nil
	older.Namespaces = map[string]string{"eb": namespace43}
	older.Order = olderOrder()
	older.Rows = olderRows(Table.Rows)
	return &older
}

// olderRows are rows of 6.1 as 4.3 has them.
func olderRows(rows []row) []row {
	var older []row
	for _, r := range rows {
		switch r.Path {
		case "AdditionalInformation[@Key='AEP']", "AdditionalInformation[@Key='ALO']", "AdditionalInformation[@Key]", "AdditionalInformation[not(@Key)]", "PrepaidAmount", "RoundingAmount",
			"Address/TradingName", "PaymentCard", "OtherPayment", "Classification":
			continue
		case "Contact":
			older = append(older, row{Term: r.Rows[0].Term, Field: "contact.name", Path: "Address/Contact"})
			continue
		case "Tax":
			r.Rows = []row{{Term: "BG-23", Card: m.OneOrMore, Field: "taxSummary[]", Path: "VAT/VATItem", Rows: olderBreakdown}}
			older = append(older, r)
			continue
		case "TaxItem":
			older = append(older, olderTax(r.Term == "BG-30")...)
			continue
		}
		r.Path = qualified.Replace(r.Path)
		r.Attrs = slices.Clone(r.Attrs)
		for i := range r.Attrs {
			r.Attrs[i].Name = "eb:" + r.Attrs[i].Name
		}
		r.Rows = olderRows(r.Rows)
		older = append(older, r)
	}
	return older
}

// qualified gives the attributes in predicates their prefix.
var qualified = strings.NewReplacer("[@", "[@eb:", "(@", "(@eb:")

// olderTax are the rows of the rate of a line, with what describes its item, or of a charge on the document.
func olderTax(ofLine bool) []row {
	rate := row{Field: "taxRate", Path: "VATRate", Type: m.Percentage, Convert: percent}
	if !ofLine {
		return []row{rate}
	}
	rows := []row{{Term: "BT-120", Field: "taxExemptionReason", Path: "TaxExemption"}, rate, {Term: "BT-158", Card: m.Many, Field: "classification[]", Path: "AdditionalInformation/Classification",
		Rows: []row{{Term: "BT-158", Card: m.One, Field: "id", Path: ".", Type: m.Code, Attrs: []m.Attr{{Name: "eb:ClassificationSchema", Term: "BT-158-1", Field: "schemeId"}}}}}}
	for _, name := range []string{"SerialNumber", "ChargeNumber", "Size", "Boxes", "Color"} {
		rows = append(rows, row{Term: "BG-32", Card: m.Many, Field: "attributes[]", Path: "AdditionalInformation/" + name, When: described(name), Codec: description(name)})
	}
	rows[len(rows)-1].When = nil // the last row of a list takes what the others leave
	return rows
}

// described tells the attributes of an item that have an element of that name.
func described(name string) func(scope) bool {
	return func(s scope) bool { return s.Group.(*invoice.Attribute).Name == name }
}

// description is an attribute of an item whose name the element tells.
func description(name string) *m.Codec {
	return &m.Codec{
		Fields: []string{"name", "value"},
		Format: func(group any) string { return group.(*invoice.Attribute).Value },
		Parse: func(text string, group any) {
			*group.(*invoice.Attribute) = invoice.Attribute{Name: name, Value: text}
		},
	}
}

var olderBreakdown = []row{
	{Term: "BT-116", Card: m.One, Field: "netAmount", Path: "TaxedAmount", Type: m.Amount, Convert: cents},
	{Term: "BT-120", Field: "exemptionReason", Path: "TaxExemption"},
	{Term: "BT-119", Field: "taxRate", Path: "VATRate", Type: m.Percentage, Convert: percent},
	{Term: "BT-117", Card: m.One, Field: "taxAmount", Path: "Amount", Type: m.Amount, Convert: cents},
	{Term: "BT-111", Field: "taxCurrencyTaxAmount", Path: "AccountingCurrencyAmount", Type: m.Amount, Convert: cents, Attrs: []m.Attr{{Name: "eb:Currency", Const: "EUR"}}},
}

// olderOrder is the order of 4.3.
func olderOrder() map[string]string {
	order := elementorder.EbInterface()
	maps.Copy(order, map[string]string{
		"AdditionalInformation": "SerialNumber ChargeNumber Classification AlternativeQuantity Size Weight Boxes Color",
		"Address":               "AddressIdentifier Salutation Name Street POBox Town ZIP Country Phone Email Contact AddressExtension",
		"Invoice": "InvoiceNumber InvoiceDate CancelledOriginalDocument RelatedDocument Delivery Biller InvoiceRecipient OrderingParty Details ReductionAndSurchargeDetails Tax " +
			"TotalGrossAmount PayableAmount PaymentMethod PaymentConditions PresentationDetails Comment",
		"ListLineItem": "PositionNumber Description ArticleNumber Quantity UnitPrice TaxExemption VATRate DiscountFlag ReductionAndSurchargeListLineItemDetails Delivery " +
			"BillersOrderReference InvoiceRecipientsOrderReference AdditionalInformation LineItemAmount",
		"OtherTax": "Comment Amount", "OtherVATableTax": "BaseAmount Percentage Amount TaxID Comment VATRate", "OtherVATableTaxListLineItem": "BaseAmount Percentage Amount TaxID Comment",
		"PaymentMethod": "Comment NoPayment DirectDebit SEPADirectDebit UniversalBankTransaction", "PresentationDetails": "URL LogoURL LayoutID SuppressZero",
		"Reduction": "BaseAmount Percentage Amount Comment Classification VATRate", "Surcharge": "BaseAmount Percentage Amount Comment Classification VATRate",
		"Tax": "VAT OtherTax", "VAT": "VATItem", "VATItem": "TaxedAmount TaxExemption VATRate Amount AccountingCurrencyAmount",
	})
	return order
}

// olderNationals are the elements of 4.3 that the invoice may have no member for.
var olderNationals = m.Nationals{Order: olderOrder(), Attributes: append(slices.Clone(nationals.Attributes), "TaxCode", "TaxExemptionCode")}

// salutation is that of a party or a place, which is part of the contact in 6.1.
var salutation = regexp.MustCompile(`^((?:Biller|InvoiceRecipient|OrderingParty|Delivery)/)Address/(Salutation)$`)

// renewedPath gives what 4.3 has in another place its path in 6.1. What 6.1 has no place for keeps its own.
func renewedPath(path string) string {
	return salutation.ReplaceAllString(path, "${1}Contact/$2")
}

// restoreRates says of groups, lines and charges of 4.3 which category they have: that of the exemption, else that of the rate. A line that does not say why it is
// exempt is so for the reason of the group, if there is one.
func restoreRates(inv *invoice.Invoice, doc *xmltree.Document) {
	exempt := map[string]bool{}
	for i, el := range elementsAt(doc, "Tax", "VAT", "VATItem") {
		if i < len(inv.TaxSummary) {
			g := &inv.TaxSummary[i]
			if restoreRate(doc, el, g.ExemptionReason, &g.TaxRate, &g.TaxCategoryCode) {
				exempt[g.TaxCategoryCode] = true
			}
		}
	}
	for i, el := range elementsAt(doc, "Details", "ItemList", "ListLineItem") {
		if i < len(inv.Items) {
			it := &inv.Items[i]
			if restoreRate(doc, el, it.TaxExemptionReason, &it.TaxRate, &it.TaxCategoryCode) && it.TaxExemptionReason == "" && len(exempt) == 1 {
				it.TaxCategoryCode = slices.Collect(maps.Keys(exempt))[0]
			}
		}
	}
	for i := range inv.AllowancesCharges {
		c := &inv.AllowancesCharges[i]
		c.TaxCategoryCode = categoryOfRate(c.TaxRate)
	}
}

// restoreRate tells whether an element is exempt.
func restoreRate(doc *xmltree.Document, el xmltree.Node, reason string, rate *decimal.Decimal, category *string) bool {
	if doc.ChildNamed(el, "TaxExemption") == xmltree.None {
		*category = categoryOfRate(*rate)
		return false
	}
	*category, *rate = categoryOfExemption(reason), decimal.New(0, 0)
	return true
}

func categoryOfRate(rate decimal.Decimal) string {
	if rate.Sign() == 0 {
		return "Z"
	}
	return "S"
}

// exemptions are words that tell why a document has no tax, each with the category. Others are exempt.
var exemptions = []struct{ words, category string }{
	{"reverse charge", "AE"}, {"steuerschuld", "AE"}, {"innergemeinschaftlich", "K"}, {"ausfuhr", "G"}, {"nicht steuerbar", "O"},
}

func categoryOfExemption(reason string) string {
	reason = strings.ToLower(reason)
	for _, e := range exemptions {
		if strings.Contains(reason, e.words) {
			return e.category
		}
	}
	return "E"
}

// elementsAt are the elements at the end of a path, in their order.
func elementsAt(doc *xmltree.Document, path ...string) []xmltree.Node {
	at := []xmltree.Node{doc.Root()}
	for _, name := range path {
		var next []xmltree.Node
		for _, n := range at {
			next = slices.AppendSeq(next, elementsOf(doc, n, name))
		}
		at = next
	}
	return at
}
