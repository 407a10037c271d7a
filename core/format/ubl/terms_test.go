package ubl

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// norm lists the groups of EN 16931-1:2017 in its order with their terms; what each is stands there in our words.
var norm = []struct {
	group, about string
	terms        []term
}{
	{"", "the document", []term{
		{1, "its number"}, {2, "day of issue"}, {3, "type of document"}, {5, "currency"}, {6, "currency of the tax return"},
		{7, "day of the tax point"}, {8, "which day the tax point is"}, {9, "last day to pay"}, {10, "the buyer's own reference"}, {11, "project"}, {12, "contract"},
		{13, "order of the buyer"}, {14, "order as the seller numbers it"}, {15, "receipt of the goods"}, {16, "despatch"}, {17, "tender or lot"},
		{18, "object that is billed"}, {19, "the buyer's account"}, {20, "terms of payment"}}},
	{"BG-1", "remark", []term{{21, "subject of the remark"}, {22, "its text"}}},
	{"BG-2", "what the document follows", []term{{23, "process"}, {24, "specification"}}},
	{"BG-3", "earlier invoice", []term{{25, "its number"}, {26, "its day"}}},
	{"BG-4", "seller", []term{{27, "legal name"}, {28, "name in trade"}, {29, "identifier"}, {30, "entry in a register"}, {31, "VAT identifier"}, {32, "tax number"},
		{33, "legal form and the like"}, {34, "electronic address"}}},
	{"BG-5", "address of the seller", []term{{35, "first line"}, {36, "second line"}, {162, "third line"}, {37, "town"}, {38, "postal code"}, {39, "part of the country"}, {40, "country"}}},
	{"BG-6", "contact at the seller", []term{{41, "who"}, {42, "telephone"}, {43, "e-mail"}}},
	{"BG-7", "buyer", []term{{44, "legal name"}, {45, "name in trade"}, {46, "identifier"}, {47, "entry in a register"}, {48, "VAT identifier"}, {49, "electronic address"}}},
	{"BG-8", "address of the buyer", []term{{50, "first line"}, {51, "second line"}, {163, "third line"}, {52, "town"}, {53, "postal code"}, {54, "part of the country"}, {55, "country"}}},
	{"BG-9", "contact at the buyer", []term{{56, "who"}, {57, "telephone"}, {58, "e-mail"}}},
	{"BG-10", "who is paid", []term{{59, "name"}, {60, "identifier"}, {61, "entry in a register"}}},
	{"BG-11", "tax representative of the seller", []term{{62, "name"}, {63, "VAT identifier"}}},
	{"BG-12", "address of the tax representative", []term{{64, "first line"}, {65, "second line"}, {164, "third line"}, {66, "town"}, {67, "postal code"}, {68, "part of the country"}, {69, "country"}}},
	{"BG-13", "delivery", []term{{70, "to whom"}, {71, "place as an identifier"}, {72, "day"}}},
	{"BG-14", "period of the invoice", []term{{73, "first day"}, {74, "last day"}}},
	{"BG-15", "address of the delivery", []term{{75, "first line"}, {76, "second line"}, {165, "third line"}, {77, "town"}, {78, "postal code"}, {79, "part of the country"}, {80, "country"}}},
	{"BG-16", "way to pay", []term{{81, "which, as a code"}, {82, "which, in words"}, {83, "what to write on the transfer"}}},
	{"BG-17", "account for a transfer", []term{{84, "number"}, {85, "holder"}, {86, "bank"}}},
	{"BG-18", "card", []term{{87, "number, masked"}, {88, "holder"}}},
	{"BG-19", "direct debit", []term{{89, "mandate"}, {90, "identifier of who draws"}, {91, "account that is drawn on"}}},
	{"BG-20", "allowance on the document", []term{{92, "amount"}, {93, "amount it is a percentage of"}, {94, "percentage"}, {95, "VAT category"}, {96, "VAT rate"}, {97, "why, in words"}, {98, "why, as a code"}}},
	{"BG-21", "charge on the document", []term{{99, "amount"}, {100, "amount it is a percentage of"}, {101, "percentage"}, {102, "VAT category"}, {103, "VAT rate"}, {104, "why, in words"}, {105, "why, as a code"}}},
	{"BG-22", "totals", []term{{106, "of the lines"}, {107, "of the allowances"}, {108, "of the charges"}, {109, "without VAT"}, {110, "of the VAT"}, {111, "of the VAT in the other currency"},
		{112, "with VAT"}, {113, "paid before"}, {114, "rounding"}, {115, "still to pay"}}},
	{"BG-23", "VAT by category and rate", []term{{116, "base"}, {117, "tax"}, {118, "category"}, {119, "rate"}, {120, "why exempt, in words"}, {121, "why exempt, as a code"}}},
	{"BG-24", "further document", []term{{122, "its number"}, {123, "what it is"}, {124, "where it is"}, {125, "the document itself"}}},
	{"BG-25", "line", []term{{126, "its number"}, {127, "remark"}, {128, "object that is billed"}, {129, "quantity"}, {130, "unit of the quantity"}, {131, "net amount"},
		{132, "line of the order"}, {133, "the buyer's account"}}},
	{"BG-26", "period of the line", []term{{134, "first day"}, {135, "last day"}}},
	{"BG-27", "allowance on the line", []term{{136, "amount"}, {137, "amount it is a percentage of"}, {138, "percentage"}, {139, "why, in words"}, {140, "why, as a code"}}},
	{"BG-28", "charge on the line", []term{{141, "amount"}, {142, "amount it is a percentage of"}, {143, "percentage"}, {144, "why, in words"}, {145, "why, as a code"}}},
	{"BG-29", "price", []term{{146, "net"}, {147, "what was taken off"}, {148, "before that"}, {149, "quantity it is for"}, {150, "unit of that quantity"}}},
	{"BG-30", "VAT of the line", []term{{151, "category"}, {152, "rate"}}},
	{"BG-31", "what the line is about", []term{{153, "name"}, {154, "description"}, {155, "number at the seller"}, {156, "number at the buyer"}, {157, "number in a standard"}, {158, "class"}, {159, "country of origin"}}},
	{"BG-32", "property of the item", []term{{160, "which"}, {161, "its value"}}},
}

type term struct {
	number int
	about  string
}

// absent are the numbers that EN 16931-1:2017 leaves out.
var absent = []int{4}

// qualifiers are the schemes and the like that the norm gives with a term.
var qualifiers = []string{"BT-18-1", "BT-29-1", "BT-30-1", "BT-34-1", "BT-46-1", "BT-47-1", "BT-49-1", "BT-60-1", "BT-61-1", "BT-71-1", "BT-125-1", "BT-125-2",
	"BT-128-1", "BT-157-1", "BT-158-1", "BT-158-2"}

// extension are the groups and terms that the XRechnung extension has besides: a line within a line, whose terms are those of a
// line, and a payment of a third party.
var extension = []string{"BG-DEX-01", "BG-DEX-09", "BT-DEX-001", "BT-DEX-002", "BT-DEX-003"}

// elsewhere are terms that UBL has in another place than in their group, with the reason.
var elsewhere = map[string]string{
	"BT-8":   "the element of BG-14 holds the code of the tax point",
	"BT-9":   "a credit note has no element for it: it stands with a way to pay",
	"BT-23":  "BG-2 has no element: its terms are children of the root",
	"BT-24":  "BG-2 has no element: its terms are children of the root",
	"BT-90":  "the creditor is identified with the party that is paid",
	"BT-110": "tax totals have an element of their own",
	"BT-111": "tax totals have an element of their own",
}

func TestTheListOfTermsIsThatOfTheNorm(t *testing.T) {
	seen := map[int]bool{}
	for i, g := range norm {
		if i > 0 && g.group != fmt.Sprintf("BG-%d", i) {
			t.Errorf("group %d is %s", i, g.group)
		}
		for _, term := range g.terms {
			if seen[term.number] || term.about == "" {
				t.Errorf("BT-%d stands there twice or without what it is", term.number)
			}
			seen[term.number] = true
		}
	}
	for n := 1; n <= 165; n++ {
		if seen[n] == slices.Contains(absent, n) {
			t.Errorf("BT-%d: listed %t", n, seen[n])
		}
	}
}

// TestEveryTermOfTheNormStandsInTheTable holds that each term and group has its row, for both document elements, inside the row
// of its group.
func TestEveryTermOfTheNormStandsInTheTable(t *testing.T) {
	for _, doc := range []document{{Invoice, EN16931}, {CreditNote, EN16931}, {Invoice, Extension}} {
		name, found := doc.edition+" "+doc.element, map[string][]string{}
		collect(Table.Rows, doc, "", found)
		for _, term := range extension {
			if _, ok := found[term]; ok != (doc.edition == Extension) {
				t.Errorf("%s: %s is in the table: %t", name, term, ok)
			}
			delete(found, term)
		}
		expect := func(term, group string) {
			switch groups, ok := found[term]; {
			case !ok:
				t.Errorf("%s: %s is not in the table", name, term)
			case elsewhere[term] == "" && !slices.Contains(groups, group):
				t.Errorf("%s: %s is in %q, not in %s", name, term, groups, group)
			}
			delete(found, term)
		}
		for _, g := range norm {
			for _, term := range g.terms {
				expect(fmt.Sprintf("BT-%d", term.number), g.group)
			}
			if g.group != "" && g.group != "BG-2" {
				expect(g.group, parentOf[g.group])
			}
		}
		for _, q := range qualifiers {
			delete(found, q)
		}
		for term := range found {
			t.Errorf("%s: the table has %s, which is not in the norm", name, term)
		}
	}
}

// parentOf are the groups that stand in another group.
var parentOf = map[string]string{"BG-5": "BG-4", "BG-6": "BG-4", "BG-8": "BG-7", "BG-9": "BG-7", "BG-12": "BG-11", "BG-15": "BG-13", "BG-17": "BG-16", "BG-18": "BG-16", "BG-19": "BG-16",
	"BG-26": "BG-25", "BG-27": "BG-25", "BG-28": "BG-25", "BG-29": "BG-25", "BG-31": "BG-25", "BG-30": "BG-31", "BG-32": "BG-31"}

// document is a document element in an edition.
type document struct{ element, edition string }

// collect gives for each term of the table the groups around it. A list of one term, such as the identifiers of BT-29, is no
// group.
func collect(rows []row, doc document, group string, found map[string][]string) {
	for _, row := range rows {
		if !Table.Holds(&row, doc.element, doc.edition) {
			continue
		}
		inner := group
		for term := range strings.FieldsSeq(row.Term) {
			found[term] = append(found[term], group)
			if strings.HasPrefix(term, "BG-") {
				inner = term
			}
		}
		for term := range strings.FieldsSeq(row.Term) {
			found[term] = append(found[term], inner)
		}
		for _, a := range row.Attrs {
			if a.Term != "" {
				found[a.Term] = append(found[a.Term], inner)
			}
		}
		collect(row.Rows, doc, inner, found)
		if pair := strings.Fields(row.Term); len(pair) == 2 && strings.HasPrefix(pair[0], "BG-") {
			collect(row.Rows, doc, pair[0], found)
		}
	}
}

func TestEveryQualifierIsAnAttribute(t *testing.T) {
	var attributes []string
	var walk func(rows []row)
	walk = func(rows []row) {
		for _, row := range rows {
			for _, a := range row.Attrs {
				if a.Field != "" && a.Term == "" {
					t.Errorf("%s: the attribute %s has no term", row.Term, a.Name)
				}
				attributes = append(attributes, a.Term)
			}
			walk(row.Rows)
		}
	}
	walk(Table.Rows)
	for _, q := range append(qualifiers, "BT-82", "BT-130", "BT-150") {
		if !slices.Contains(attributes, q) {
			t.Errorf("no attribute has the term %s", q)
		}
	}
}
