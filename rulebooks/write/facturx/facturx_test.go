package facturx

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// TestQualify ensures that names of elements get their prefixes, and nothing else does.
func TestQualify(t *testing.T) {
	for expression, want := range map[string]string{
		"ID/@schemeID = 'VAT ID'":                       "ram:ID/@schemeID = 'VAT ID'",
		"/CrossIndustryInvoice/ExchangedDocument":       "/rsm:CrossIndustryInvoice/rsm:ExchangedDocument",
		"not(ancestor::SellerTradeParty) or $Lines":     "not(ancestor::ram:SellerTradeParty) or $Lines",
		"qdt:DateTimeString | DateTimeString":           "qdt:DateTimeString | udt:DateTimeString",
		"xs:decimal(BasisAmount) - 10 div $a-B":         "xs:decimal(ram:BasisAmount) - 10 div $a-B",
		`(Name|ID)[. = "It's Name"]/normalize-space(.)`: `(ram:Name|ram:ID)[. = "It's Name"]/normalize-space(.)`,
	} {
		if got := qualify(expression); got != want {
			t.Errorf("%s: got %s, want %s", expression, got, want)
		}
	}
	if got, want := qualifyMessage("Name {Name} and {count(ID)} ID"), "Name {ram:Name} and {count(ram:ID)} ID"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestCell ensures that the id of a profile is found.
func TestCell(t *testing.T) {
	for _, test := range []struct {
		cell                cell
		basic, en, extended string
	}{
		{"A", "A", "A", "A"}, {"-", "", "", ""}, {"be:A,x:B", "A", "A", "B"}, {"x:~1", "", "", "~1"},
	} {
		for i, want := range []string{test.basic, test.en, test.extended} {
			if got := test.cell.of(profiles()[i]); got != want {
				t.Errorf("%s in %s: %q, want %q", test.cell, profiles()[i].title, got, want)
			}
		}
	}
}

// TestIDs_Resolve ensures that we report the publisher's id where there is one, else our own, else that of the newest version.
func TestIDs_Resolve(t *testing.T) {
	official := map[string]cell{"1.07": "~1", "1.08": "A-8", "1.09": "b:A-9,x:~2"}
	basic, extended := profiles()[0], profiles()[2]
	for _, test := range []struct {
		ids        ids
		set        set
		ours, want string
	}{
		{ids{official: official}, set{versions()[1], basic}, "A-8", "A-8"},
		{ids{official: official}, set{versions()[0], basic}, "A-9", "~1"},
		{ids{official: official}, set{versions()[2], extended}, "A-9", "~2"},
		{ids{official: official, own: "OWN"}, set{versions()[0], extended}, "OWN", "~1"},
	} {
		ours, publisher, err := test.ids.resolve(test.set)
		if ours != test.ours || publisher != test.want || err != nil {
			t.Errorf("%s: %s, %s, %v; want %s, %s", test.set.key(), ours, publisher, err, test.ours, test.want)
		}
	}
	if _, _, err := (ids{}).resolve(set{versions()[0], basic}); err == nil {
		t.Error("a rule without an id is accepted")
	}
	m := &maker{standsFor: map[string]string{}}
	for _, claim := range []struct {
		ours, official string
		right          bool
	}{{"A", "~1", true}, {"A", "~1", true}, {"A", "~2", false}, {"", "~3", false}} {
		if err := m.claim(claim.ours, claim.official); (err == nil) != claim.right {
			t.Errorf("%s for %s: %v", claim.ours, claim.official, err)
		}
	}
}

// TestLimit ensures that versions and profiles are read, and others refused.
func TestLimit(t *testing.T) {
	l, err := readLimit("1.07 1.09x")
	if err != nil || len(l) != 4 || !l["1.07b"] || !l["1.09x"] || l["1.09b"] {
		t.Errorf("%v, %v", l, err)
	}
	if l, err = readColumns("be- --- --x"); err != nil || len(l) != 3 || !l["1.07e"] || !l["1.09x"] {
		t.Errorf("%v, %v", l, err)
	}
	for _, text := range []string{"1.06", "1.07z", "1"} {
		if _, err := readLimit(text); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
	if _, err := readColumns("bex bex"); err == nil {
		t.Error("two versions are accepted")
	}
	name, in, err := cutLimit("ID[. = 'A'] [1.08]")
	if name != "ID[. = 'A']" || len(in) != 3 || err != nil {
		t.Errorf("%s, %v, %v", name, in, err)
	}
	if name, in, _ := cutLimit("ID [. = 'A']"); name != "ID [. = 'A']" || in != nil {
		t.Errorf("a predicate is taken for a limit: %s, %v", name, in)
	}
}

// TestCategory ensures that letters are filled in, and that what speaks of rates is left out for the category that has none.
func TestCategory(t *testing.T) {
	line := "%C<< and rate>> %N %A"
	for want, c := range map[string]category{"S and rate S-1 a": {"C": "S", "N": "S-1", "A": "a"}, "O O a": {"C": "O", "N": "O", "A": "a"}} {
		if got := c.repeat(line); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestReplaceVariable ensures that a path is put in the place of its name, and not of longer names.
func TestReplaceVariable(t *testing.T) {
	if got, want := replaceVariable("$line/X + $lines - $line", "line", "/A"), "/A/X + $lines - /A"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestContextOf ensures that conditions in paths become predicates, and that unknown ones are refused.
func TestContextOf(t *testing.T) {
	for path, want := range map[string]string{
		".": "/rsm:CrossIndustryInvoice",
		"SupplyChainTradeTransaction/X{charge}/ReasonCode{unlisted}": "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction/ram:X[ram:ChargeIndicator/udt:Indicator = 'true']/ram:ReasonCode[not(@listID)]",
		"SpecifiedTaxRegistration{else}":                             "/rsm:CrossIndustryInvoice/ram:SpecifiedTaxRegistration[not(ram:ID/@schemeID = 'VA') and not(ram:ID/@schemeID = 'FC')]",
	} {
		if got, err := contextOf(path); got != want || err != nil {
			t.Errorf("%s: got %s, %v, want %s", path, got, err, want)
		}
	}
	for _, path := range []string{"X{nothing}", "X{else}"} {
		if _, err := contextOf(path); err == nil {
			t.Errorf("%s is accepted", path)
		}
	}
}

// TestTerms ensures that an element has its own business term, else that of what it stands in.
func TestTerms(t *testing.T) {
	known := terms{"Seller": "BG-4 Seller", "Seller/Name": "BT-27 Seller name", "Seller/ID/@schemeID": "BT-29-1 Scheme"}
	for path, want := range map[string]string{
		"A/Seller/Name": "BT-27 Seller name: ", "A/Seller/Other/ID": "BG-4 Seller: ", "A/Seller/ID/@schemeID": "BT-29-1 Scheme: ", "A/BestSeller/Name": "", ".": "",
	} {
		if got := known.of(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	if got := plain("A/B{else}/qdt:C/D"); got != "B/C/D" {
		t.Errorf("got %s", got)
	}
}

// TestFiles_AreXML ensures that each set is well-formed XML in which each rule has an id and a message that begins with a
// business term, as far as its element has one.
func TestFiles_AreXML(t *testing.T) {
	texts, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for name, text := range texts {
		if !strings.HasSuffix(name, ".sch") {
			continue
		}
		count++
		for d := xml.NewDecoder(bytes.NewReader(text)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if start, ok := token.(xml.StartElement); ok && start.Name.Local == "assert" && start.Attr[0].Name.Local != "id" {
				t.Errorf("%s: an assertion without id: %v", name, start.Attr)
			}
		}
		if bytes.ContainsAny(text, "%") && bytes.Contains(text, []byte("%C")) || bytes.Contains(text, []byte("<<")) {
			t.Errorf("%s: something was not filled in", name)
		}
	}
	if count != len(sets()) {
		t.Errorf("%d sets, want %d", count, len(sets()))
	}
}

// TestBusinessReader_Refusals ensures that lines that mean nothing are refused.
func TestBusinessReader_Refusals(t *testing.T) {
	for _, lines := range [][]string{
		{"contexts //X"}, {"let x"}, {"let x [1.05] = 1"}, {"context //X", "  ID", "    tests true()"}, {"categories Q", "context //X", "end"},
	} {
		r := &businessReader{categories: map[string]category{}, defined: category{}}
		var err error
		for _, line := range lines {
			if err == nil {
				err = r.line(line)
			}
		}
		if err == nil {
			t.Errorf("%q is accepted", lines)
		}
	}
}
