package verifactu

import (
	"testing"
)

// official are the examples of the AEAT's specification of the hash (0.1.2, section 6): two registrations and a cancellation, in a chain.
var official = []struct {
	link Link
	hash string
}{
	{Link{Invoice: InvoiceID{"89890001K", "12345678/G33", "01-01-2024"}, Type: "F1", Tax: "12.35", Total: "123.45", Generated: "2024-01-01T19:20:30+01:00"},
		"3C464DAF61ACB827C65FDA19F352A4E3BDC2C640E9E9FC4CC058073F38F12F60"},
	{Link{Invoice: InvoiceID{"89890001K", "12345679/G34", "01-01-2024"}, Type: "F1", Tax: "12.35", Total: "123.45", Generated: "2024-01-01T19:20:35+01:00"},
		"F7B94CFD8924EDFF273501B01EE5153E4CE8F259766F88CF6ACB8935802A2B97"},
	{Link{Cancels: true, Invoice: InvoiceID{"89890001K", "12345679/G34", "01-01-2024"}, Generated: "2024-01-01T19:20:40+01:00"},
		"177547C0D57AC74748561D054A9CEC14B4C4EA23D1BEFD6F2E69E3A388F90C68"},
}

// officialChain is the three examples with their hashes.
func officialChain() []Link {
	var links []Link
	previous := ""
	for _, o := range official {
		o.link.Previous, o.link.Hash = previous, o.hash
		previous = o.hash
		links = append(links, o.link)
	}
	return links
}

// TestHash_OfTheSpecification recomputes the three hashes of the specification.
func TestHash_OfTheSpecification(t *testing.T) {
	for _, l := range officialChain() {
		if got := l.Computed(); got != l.Hash {
			t.Errorf("%s: %s, want %s", l.HashInput(), got, l.Hash)
		}
	}
}

// TestHash_BlanksAroundValuesDoNotCount ensures that values are hashed without the white space around them.
func TestHash_BlanksAroundValuesDoNotCount(t *testing.T) {
	l := officialChain()[0]
	l.Invoice.Number = " " + l.Invoice.Number + "\n"
	if got := l.Computed(); got != l.Hash {
		t.Errorf("%s", got)
	}
}

// TestChain_TellsTheFirstBrokenLink changes a chain in each way that breaks it.
func TestChain_TellsTheFirstBrokenLink(t *testing.T) {
	rehash := func(l *Link) { l.Hash = l.Computed() }
	for _, c := range []struct {
		name     string
		change   func(links []Link) []Link
		position int // of the first that is broken; 0 for none
	}{
		{"nothing", func(l []Link) []Link { return l }, 0},
		{"an amount", func(l []Link) []Link { l[1].Total = "123.46"; return l }, 2},
		{"an amount with its hash", func(l []Link) []Link { l[0].Total = "123.46"; rehash(&l[0]); return l }, 2},
		{"a record less", func(l []Link) []Link { return append(l[:1], l[2]) }, 2},
		{"the first record less", func(l []Link) []Link { return l[1:] }, 1},
		{"a second first record", func(l []Link) []Link {
			l[1].Previous = ""
			rehash(&l[1])
			l[2].Previous = l[1].Hash
			rehash(&l[2])
			return l
		}, 2},
		{"two records the other way round", func(l []Link) []Link { l[1], l[2] = l[2], l[1]; return l }, 2},
		{"a record that is older", func(l []Link) []Link { l[2].Generated = "2024-01-01T19:20:34+01:00"; rehash(&l[2]); return l }, 3},
		{"an older one in another zone", func(l []Link) []Link { l[2].Generated = "2024-01-01T18:20:40Z"; rehash(&l[2]); return l }, 0},
		{"lower-case digits", func(l []Link) []Link {
			l[2].Hash = "177547c0d57ac74748561d054a9cec14b4c4ea23d1befd6f2e69e3a388f90c68"
			return l
		}, 3},
	} {
		var chain Chain
		for _, l := range c.change(officialChain()) {
			chain.Add(l)
		}
		first := 0
		if len(chain.Broken) > 0 {
			first = chain.Broken[0].Position
		}
		if first != c.position {
			t.Errorf("%s: first broken at %d, want %d: %+v", c.name, first, c.position, chain.Broken)
		}
	}
}

// TestChain_AddsUp ensures that sums are those of the registrations, and that a part may begin anywhere.
func TestChain_AddsUp(t *testing.T) {
	chain := Chain{Part: true}
	for _, l := range officialChain()[1:] {
		chain.Add(l)
	}
	if chain.BrokenCount > 0 || chain.Count != 2 || chain.Invoices != 1 || chain.Cancellations != 1 || chain.Tax.String() != "12.35" || chain.Total.String() != "123.45" ||
		chain.First != official[1].hash || chain.Last != official[2].hash {
		t.Errorf("%+v", chain)
	}
}

// TestChain_ListsABoundedNumber ensures that a chain which is broken everywhere is told in a bounded answer.
func TestChain_ListsABoundedNumber(t *testing.T) {
	var chain Chain
	for range 3 * mostBroken {
		chain.Add(Link{})
	}
	if len(chain.Broken) != mostBroken || chain.BrokenCount < 3*mostBroken {
		t.Errorf("%d of %d", len(chain.Broken), chain.BrokenCount)
	}
}
