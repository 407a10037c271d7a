package validate

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// node is an element to be written.
type node struct {
	name       string // with prefix
	attributes map[string]string
	text       string
	children   []*node
}

func (n *node) String() string {
	var b strings.Builder
	b.WriteString("<" + n.name)
	if n.name == "rsm:CrossIndustryInvoice" {
		b.WriteString(facturxNamespaces)
	}
	for name, value := range n.attributes {
		fmt.Fprintf(&b, " %s=%q", name, value)
	}
	b.WriteString(">" + n.text)
	for _, child := range n.children {
		b.WriteString(child.String())
	}
	return b.String() + "</" + n.name + ">"
}

const facturxNamespaces = ` xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" xmlns:qdt="urn:un:unece:uncefact:data:standard:QualifiedDataType:100"` +
	` xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100" xmlns:udt="urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100"`

// add puts an element below another: a path of names, each new.
func (n *node) add(path, text string) *node {
	for name := range strings.SplitSeq(path, "/") {
		child := &node{name: name, attributes: map[string]string{}}
		n.children = append(n.children, child)
		n = child
	}
	n.text = text
	return n
}

// wrongElement gives a document with an element of that context which breaks the test, if the variant is right: the elements that
// the test counts are there that many times.
func wrongElement(context, test string, variant int) string {
	root := &node{name: "rsm:CrossIndustryInvoice"}
	at := root
	for _, step := range steps(context)[1:] {
		name, predicate, _ := strings.Cut(step, "[")
		at = at.add(name, "")
		at.fulfil(strings.TrimSuffix(predicate, "]"))
		if strings.Contains(predicate, "../ram:InvoiceCurrencyCode") || strings.Contains(predicate, "../ram:TaxCurrencyCode") {
			root.children[0].children[0].add(currencyElement(predicate), "?")
		}
	}
	switch {
	case strings.HasPrefix(test, "count("):
		if strings.Contains(test, "../../ram:") {
			root.children[0].children[0].add(currencyElement(test), "?")
		}
		child, predicate, _ := strings.Cut(test[len("count("):strings.LastIndex(test, ")")], "[")
		for range variant {
			at.add(child, "").fulfil(strings.TrimSuffix(predicate, "]"))
		}
	case strings.HasPrefix(test, "not(@"):
		name, _, _ := strings.Cut(test[len("not(@"):], ")")
		at.attributes[name] = "?"
	case strings.HasPrefix(test, ". = "):
		at.text = "?"
	}
	if absolute := regexp.MustCompile(`/rsm:CrossIndustryInvoice/\S+/(ram:\w+CurrencyCode)`).FindStringSubmatch(context + test); absolute != nil {
		root.add("rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeSettlement/"+absolute[1], "?")
	}
	return root.String()
}

// currencyElement is the element whose currency a predicate asks for.
func currencyElement(predicate string) string {
	if strings.Contains(predicate, "ram:TaxCurrencyCode") {
		return "ram:TaxCurrencyCode"
	}
	return "ram:InvoiceCurrencyCode"
}

// steps takes a path apart, but not its predicates.
func steps(path string) []string {
	var all []string
	depth, from := 0, 1
	for i, c := range path {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '/' && depth == 0 && i > 0:
			all = append(all, path[from:i])
			from = i + 1
		}
	}
	return append(all, path[from:])
}

// fulfil makes a predicate hold that compares a child or attribute with a literal, or the currency with another element's. Those
// that exclude others hold as it is, but for the attribute listID.
func (n *node) fulfil(predicate string) {
	path, value, found := strings.Cut(predicate, " = ")
	switch {
	case strings.HasPrefix(predicate, "not(not("):
		n.attributes["listID"] = "?"
	case !found || strings.HasPrefix(predicate, "not(") || strings.HasPrefix(predicate, "/"):
	case path == "@currencyID":
		n.attributes["currencyID"] = "?"
	case strings.HasPrefix(path, "@"):
		n.attributes[path[1:]] = strings.Trim(value, "'")
	case strings.Contains(path, "/@"):
		child, attribute, _ := strings.Cut(path, "/@")
		n.add(child, "").attributes[attribute] = strings.Trim(value, "'")
	default:
		n.add(path, strings.Trim(value, "'"))
	}
}

// qualified adds the prefixes to a document without.
func qualified(document string) string {
	names := regexp.MustCompile(`<(/?)(\w+)`)
	out := names.ReplaceAllStringFunc(document, func(tag string) string {
		m := names.FindStringSubmatch(tag)
		switch m[2] {
		case "CrossIndustryInvoice", "ExchangedDocument", "ExchangedDocumentContext", "SupplyChainTradeTransaction":
			return "<" + m[1] + "rsm:" + m[2]
		case "Indicator", "DateTimeString":
			return "<" + m[1] + "udt:" + m[2]
		}
		return "<" + m[1] + "ram:" + m[2]
	})
	return strings.Replace(out, "<rsm:CrossIndustryInvoice", "<rsm:CrossIndustryInvoice"+facturxNamespaces, 1)
}

// goodInvoice is a small invoice with one line of 100 in a VAT category.
func goodInvoice(profile, category string) string {
	specification := map[string]string{"basic": "#compliant#urn:factur-x.eu:1p0:basic", "extended": "#conformant#urn:factur-x.eu:1p0:extended"}[profile]
	rate, tax, reason, buyer, seller := "<RateApplicablePercent>0</RateApplicablePercent>", 0, "<ExemptionReason>Because.</ExemptionReason>", registration("AT12"), registration("DE12")
	switch category {
	case "S":
		rate, tax, reason = "<RateApplicablePercent>19</RateApplicablePercent>", 19, ""
	case "Z":
		reason = ""
	case "O":
		rate, buyer, seller = "", "", ""
	}
	lineReason := ""
	if profile == "extended" {
		lineReason = reason
	}
	return qualified(strings.NewReplacer("{spec}", specification, "{rate}", rate, "{tax}", strconv.Itoa(tax), "{gross}", strconv.Itoa(100+tax), "{reason}", reason, "{lineReason}", lineReason,
		"{C}", category, "{buyer}", buyer, "{seller}", seller).Replace(goodText))
}

func registration(id string) string {
	return `<SpecifiedTaxRegistration><ID schemeID="VA">` + id + `</ID></SpecifiedTaxRegistration>`
}

const goodText = `<CrossIndustryInvoice><ExchangedDocumentContext><GuidelineSpecifiedDocumentContextParameter><ID>urn:cen.eu:en16931:2017{spec}</ID></GuidelineSpecifiedDocumentContextParameter></ExchangedDocumentContext>
<ExchangedDocument><ID>1</ID><TypeCode>380</TypeCode><IssueDateTime><DateTimeString format="102">20260901</DateTimeString></IssueDateTime></ExchangedDocument>
<SupplyChainTradeTransaction><IncludedSupplyChainTradeLineItem><AssociatedDocumentLineDocument><LineID>1</LineID></AssociatedDocumentLineDocument>
<SpecifiedTradeProduct><Name>Thing</Name></SpecifiedTradeProduct>
<SpecifiedLineTradeAgreement><NetPriceProductTradePrice><ChargeAmount>50.00</ChargeAmount></NetPriceProductTradePrice></SpecifiedLineTradeAgreement>
<SpecifiedLineTradeDelivery><BilledQuantity unitCode="C62">2</BilledQuantity></SpecifiedLineTradeDelivery>
<SpecifiedLineTradeSettlement><ApplicableTradeTax><TypeCode>VAT</TypeCode>{lineReason}<CategoryCode>{C}</CategoryCode>{rate}</ApplicableTradeTax>
<SpecifiedTradeSettlementLineMonetarySummation><LineTotalAmount>100.00</LineTotalAmount></SpecifiedTradeSettlementLineMonetarySummation></SpecifiedLineTradeSettlement></IncludedSupplyChainTradeLineItem>
<ApplicableHeaderTradeAgreement><SellerTradeParty><ID>S</ID><Name>Seller</Name><PostalTradeAddress><CountryID>DE</CountryID></PostalTradeAddress>{seller}</SellerTradeParty>
<BuyerTradeParty><Name>Buyer</Name><PostalTradeAddress><CountryID>AT</CountryID></PostalTradeAddress>{buyer}</BuyerTradeParty></ApplicableHeaderTradeAgreement>
<ApplicableHeaderTradeDelivery><ShipToTradeParty><PostalTradeAddress><CountryID>AT</CountryID></PostalTradeAddress></ShipToTradeParty>
<ActualDeliverySupplyChainEvent><OccurrenceDateTime><DateTimeString format="102">20260901</DateTimeString></OccurrenceDateTime></ActualDeliverySupplyChainEvent></ApplicableHeaderTradeDelivery>
<ApplicableHeaderTradeSettlement><InvoiceCurrencyCode>EUR</InvoiceCurrencyCode>
<SpecifiedTradeSettlementPaymentMeans><TypeCode>58</TypeCode><PayeePartyCreditorFinancialAccount><IBANID>DE02</IBANID></PayeePartyCreditorFinancialAccount></SpecifiedTradeSettlementPaymentMeans>
<ApplicableTradeTax><CalculatedAmount>{tax}.00</CalculatedAmount><TypeCode>VAT</TypeCode>{reason}<BasisAmount>100.00</BasisAmount><CategoryCode>{C}</CategoryCode>{rate}</ApplicableTradeTax>
<SpecifiedTradePaymentTerms><Description>At once.</Description></SpecifiedTradePaymentTerms>
<SpecifiedTradeSettlementHeaderMonetarySummation><LineTotalAmount>100.00</LineTotalAmount><TaxBasisTotalAmount>100.00</TaxBasisTotalAmount><TaxTotalAmount currencyID="EUR">{tax}.00</TaxTotalAmount><GrandTotalAmount>{gross}.00</GrandTotalAmount><DuePayableAmount>{gross}.00</DuePayableAmount></SpecifiedTradeSettlementHeaderMonetarySummation>
</ApplicableHeaderTradeSettlement></SupplyChainTradeTransaction></CrossIndustryInvoice>`

// wrongInvoices are documents that break business rules: one without anything, and for each VAT category such in which what it
// asks for is missing, and what it forbids is there.
func wrongInvoices() []string {
	all := []string{qualified("<CrossIndustryInvoice></CrossIndustryInvoice>"), qualified(wrongParts), qualified(wrongTotals), qualified(wrongLines)}
	for _, category := range []string{"S", "Z", "E", "AE", "K", "G", "O", "L", "M", "B"} {
		for _, text := range []string{wrongCategory, wrongBreakdown, wrongReason, lonelyCategory, strings.ReplaceAll(lonelyCategory, "X</CategoryCode>", "{C}</CategoryCode>")} {
			all = append(all, qualified(strings.ReplaceAll(text, "{C}", category)))
		}
	}
	return all
}

// longInvoice is goodInvoice with many lines, the first of which has the whole amount.
func longInvoice(profile string, lines int) string {
	first, rest, _ := strings.Cut(goodInvoice(profile, "S"), "</ram:IncludedSupplyChainTradeLineItem>")
	_, line, _ := strings.Cut(first, "<ram:IncludedSupplyChainTradeLineItem>")
	var b strings.Builder
	b.WriteString(first + "</ram:IncludedSupplyChainTradeLineItem>")
	line = strings.NewReplacer("<ram:LineTotalAmount>100.00", "<ram:LineTotalAmount>0.00", "<ram:ChargeAmount>50.00", "<ram:ChargeAmount>0.00").Replace(line)
	for i := 2; i <= lines; i++ {
		next := strings.Replace(line, "<ram:LineID>1<", "<ram:LineID>"+strconv.Itoa(i)+"<", 1)
		b.WriteString("<ram:IncludedSupplyChainTradeLineItem>" + next + "</ram:IncludedSupplyChainTradeLineItem>")
	}
	b.WriteString(rest)
	return b.String()
}
