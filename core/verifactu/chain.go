package verifactu

import (
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// Broken is a place where a chain does not hold.
type Broken struct {
	Position int    `json:"position"` // of the record, counted from 1
	Number   string `json:"invoiceNumber"`
	Reason   string `json:"reason"`
}

// Chain checks a chain, record by record in their order, and adds up what it holds. The zero Chain begins at the first record.
type Chain struct {
	Count         int // records so far
	Invoices      int // of them, registrations
	Cancellations int
	Tax           decimal.Decimal // sum of CuotaTotal
	Total         decimal.Decimal // sum of ImporteTotal
	First, Last   string          // hashes
	Broken        []Broken        // of them, up to mostBroken; BrokenCount has all
	BrokenCount   int

	last Link

	// Part says that the records are a part of a chain, so that the first may have one before it, which is not looked at.
	Part bool
}

// mostBroken is how many broken links are listed.
const mostBroken = 100

// Add checks the next record: its hash, that it names the hash before it, and that it is not older.
func (c *Chain) Add(l Link) {
	c.Count++
	for _, reason := range c.faults(&l) {
		c.BrokenCount++
		if len(c.Broken) < mostBroken {
			c.Broken = append(c.Broken, Broken{Position: c.Count, Number: l.Invoice.Number, Reason: reason})
		}
	}
	if c.Count == 1 {
		c.First = l.Hash
	}
	c.Last, c.last = l.Hash, l
	if l.Cancels {
		c.Cancellations++
		return
	}
	c.Invoices++
	c.Tax, c.Total = c.Tax.Add(amountOf(l.Tax)), c.Total.Add(amountOf(l.Total))
}

// amountOf reads an amount; what is none counts as zero, and its hash tells of it.
func amountOf(text string) decimal.Decimal {
	d, err := decimal.Parse(strings.TrimSpace(text))
	if err != nil {
		return decimal.New(0, 2)
	}
	return d
}

// faults says what is wrong with a record.
func (c *Chain) faults(l *Link) (reasons []string) {
	if computed := l.Computed(); l.Hash != computed {
		reasons = append(reasons, "its hash is "+shown(l.Hash)+", computed is "+computed)
	}
	switch {
	case c.Count == 1 && (c.Part || l.Previous == ""):
	case c.Count == 1:
		reasons = append(reasons, "it is the first and names a record before it, "+shown(l.Previous))
	case l.Previous == "":
		reasons = append(reasons, "it says that it is the first of the chain, and is record "+strconv.Itoa(c.Count))
	case l.Previous != c.last.Hash:
		reasons = append(reasons, "it names "+shown(l.Previous)+" as the hash of the record before, which is "+shown(c.last.Hash))
	}
	if c.Count > 1 && before(l.Generated, c.last.Generated) {
		reasons = append(reasons, "it was generated at "+shown(l.Generated)+", before the record before it")
	}
	return reasons
}

// shown is a value of a document as it may stand in a message.
func shown(text string) string {
	const most = 80
	if text == "" {
		return "empty"
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strconv.Quote(text)
}
