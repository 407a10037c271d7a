package fatturapa

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// The elements of payments (FatturaPA 1.2.3, 2.4): a group with its terms, and each payment in it with its amount.
const (
	paymentGroup = "DatiPagamento"
	paymentIn    = "DettaglioPagamento"
	terms        = "CondizioniPagamento"
	payments     = body + paymentGroup + "/" + paymentIn
	amountOf     = "ImportoPagamento"
)

// joinGroups gives what is kept of payments the paths that it has where all of them are in one group, as writing has them.
func joinGroups(doc *xmltree.Document, groups []xmltree.Node, kept invoice.National) invoice.National {
	if len(groups) < 2 {
		return kept
	}
	before, count := make([]int, len(groups)), 0
	for i, g := range groups {
		before[i] = count
		count += len(elementsNamed(doc, g, paymentIn))
	}
	joined := invoice.National{}
	for path, texts := range kept {
		joined[inOneGroup(path, before)] = texts
	}
	return joined
}

// elementsNamed lists the elements of a name in another one.
func elementsNamed(doc *xmltree.Document, n xmltree.Node, local string) (all []xmltree.Node) {
	for c := doc.FirstChild(n); c != xmltree.None; c = doc.NextSibling(c) {
		if doc.Kind(c) == xmltree.KindElement && doc.Local(c) == local {
			all = append(all, c)
		}
	}
	return all
}

// groupsOf lists the groups of payments of a document with one invoice.
func groupsOf(doc *xmltree.Document) []xmltree.Node {
	invoice := doc.ChildNamed(doc.Root(), strings.TrimSuffix(body, "/"))
	if invoice == xmltree.None {
		return nil
	}
	return elementsNamed(doc, invoice, paymentGroup)
}

// inPayment matches paths of what payments say: the number of the group, that of the payment in it, and the element.
var inPayment = regexp.MustCompile(`^` + body + paymentGroup + `(?:\[([0-9]+)\])?/` + paymentIn + `(?:\[([0-9]+)\])?(/.+)$`)

// inOneGroup is the path of what a payment or the first group says where all payments are in one group.
func inOneGroup(path string, before []int) string {
	at := inPayment.FindStringSubmatch(path)
	if at == nil {
		return strings.Replace(path, body+paymentGroup+"[1]/", body+paymentGroup+"/", 1)
	}
	return payments + "[" + strconv.Itoa(before[number(at[1])-1]+number(at[2])) + "]" + at[3]
}

// termsOf gives the terms of the first group; empty where there is none.
func termsOf(doc *xmltree.Document, groups []xmltree.Node) string {
	if len(groups) == 0 {
		return ""
	}
	c := doc.ChildNamed(groups[0], terms)
	if c == xmltree.None {
		return ""
	}
	return strings.TrimSpace(doc.String(c))
}
