package fatturapa

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// nationals are what countrySpecific.national can hold: every element.
var nationals = m.Nationals{Order: order, Attributes: []string{"SistemaEmittente"}}

// takeNational keeps what the table does not take. Payments and their terms that are others than computed are kept as well, so that
// instalments are written as they were.
func takeNational(doc *xmltree.Document, said *m.Reading[invoice.Invoice]) {
	account := &said.Account
	kept := nationals.Take(doc, account)
	groups := groupsOf(doc)
	agreed := termsOf(doc, groups)
	left := account.Leaves[:0]
	for _, leaf := range account.Leaves {
		path, own := ofPayment(leaf.Path)
		if !own {
			left = append(left, leaf)
			continue
		}
		further, text := furtherTerms(path), strings.TrimSpace(doc.String(leaf.Node))
		if further && text != agreed {
			left = append(left, leaf)
			continue
		}
		if kept == nil {
			kept = invoice.National{}
		}
		if !further {
			kept[path] = append(kept[path], text)
		}
		account.Mapped, account.Reported = account.Mapped+1, account.Reported-1
	}
	account.Leaves = left
	if kept = joinGroups(doc, groups, kept); len(kept) == 0 {
		return
	}
	if said.Invoice.CountrySpecific == nil {
		said.Invoice.CountrySpecific = &invoice.CountrySpecific{}
	}
	said.Invoice.CountrySpecific.National = behind(said.Invoice, kept)
}

// ofPayment gives the path of a leaf below the document element, and whether it is the amount of a payment or the terms of a group.
func ofPayment(path string) (string, bool) {
	_, path, _ = strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return path, strings.HasPrefix(path, body+paymentGroup) && (strings.HasSuffix(path, "/"+amountOf) || strings.HasSuffix(path, "/"+terms))
}

// furtherTerms tells whether a path is that of the terms of a group after the first, of which writing has one.
func furtherTerms(path string) bool {
	return strings.HasSuffix(path, "/"+terms) && strings.HasPrefix(path, body+paymentGroup+"[") && !strings.HasPrefix(path, body+paymentGroup+"[1]")
}

// within matches paths of the lists of a line that the table writes some entries of: the line's number, the list, the entry's.
var within = regexp.MustCompile(`^(FatturaElettronicaBody/DatiBeniServizi/DettaglioLinee(?:\[([0-9]+)\])?/(CodiceArticolo|AltriDatiGestionali))(?:\[([0-9]+)\])?(/.*)$`)

// behind numbers the entries of such lists on from those that the table writes, which stand before them. What an entry of the table has besides, such
// as the number of a note, stays with it.
func behind(inv *invoice.Invoice, kept invoice.National) invoice.National {
	ranks := ranksOf(kept)
	numbered := invoice.National{}
	for path, texts := range kept {
		at := within.FindStringSubmatch(path)
		if at == nil {
			numbered[path] = texts
			continue
		}
		before, place := mapped(inv, number(at[2])-1, at[3]), 1
		if rank := ranks[at[1]][number(at[4])]; rank > 0 {
			place = before + rank
		}
		entry := ""
		if before+len(ranks[at[1]]) > 1 {
			entry = "[" + strconv.Itoa(place) + "]"
		}
		numbered[at[1]+entry+at[5]] = texts
	}
	return numbered
}

// ranksOf gives the entries of each list that are kept whole, by their numbers, with their places among them from 1: those whose kind is kept.
func ranksOf(kept invoice.National) map[string]map[int]int {
	ranks := map[string]map[int]int{}
	for path := range kept {
		at := within.FindStringSubmatch(path)
		if at == nil || at[5] != "/TipoDato" && at[5] != "/CodiceTipo" {
			continue
		}
		if ranks[at[1]] == nil {
			ranks[at[1]] = map[int]int{}
		}
		ranks[at[1]][number(at[4])] = 0
	}
	for _, entries := range ranks {
		for i, entry := range slices.Sorted(maps.Keys(entries)) {
			entries[entry] = i + 1
		}
	}
	return ranks
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 1
	}
	return n
}

// mapped is how many entries of a list of a line the table writes.
func mapped(inv *invoice.Invoice, line int, list string) int {
	if line >= len(inv.Items) {
		return 0
	}
	count := 0
	texts := []string{inv.Items[line].ArticleNumber, inv.Items[line].BuyerItemID, inv.Items[line].GTIN}
	if list == "AltriDatiGestionali" {
		texts = []string{inv.Items[line].Note}
	}
	for _, text := range texts {
		if text != "" {
			count++
		}
	}
	return count
}
