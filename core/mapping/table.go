// Package mapping turns one declarative table per syntax into everything that has to agree about it: the writing plan, the
// reading plan with the account of what no row took, and the way from an XML node back to the member of the invoice object.
//
// A table lists rows: business term, invoice field, element path, datatype. Adding a term is adding a row.
package mapping

import (
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// Table is the mapping of one XML syntax.
type Table struct {
	// Namespaces maps the prefixes of the paths to their namespace URIs; steps without a prefix are in the root's own.
	Namespaces map[string]string
	// Roots are the document elements of the syntax. A path step "a|b" names one element for each root that extends no other, in
	// this order.
	Roots []RootElement
	// Order gives the sequence of child elements by local name of the parent, as the schema fixes it. Rows need not stand in
	// schema order.
	Order map[string]string
	// Rows is the table itself.
	Rows []Row
	// Silent names the members that no row takes and that are not missed in the document, with the reason.
	Silent map[string]string
}

// RootElement is a document element, or one specification on it.
type RootElement struct {
	Name      string // local name, e.g. Invoice
	Namespace string // URI
	// Specification is the identifier (BT-24) of the documents that the root is for; empty for all that no other root of the
	// same element is for.
	Specification string
	// Extends is the root, listed before, whose rows hold here too; 0 without. A row of the root's own takes the place of one of
	// those with the same path.
	Extends On
}

// Base is the index of the root that a root extends, else its own: the alternatives of paths go by it.
func (t *Table) Base(root int) int {
	if on := t.Roots[root].Extends; on != 0 {
		return int(on) - 1
	}
	return root
}

// Holds tells whether a row holds for the root with an index.
func (t *Table) Holds(row *Row, root int) bool {
	on := int(row.On) - 1
	return row.On == 0 || on == root || on == t.Base(root)
}

// On tells for which root a row holds: 0 for all of them, else 1 + the root's index.
type On int

// Row binds one business term, or a group of them, to an element.
type Row struct {
	// Term is the business term or group (BT-1, BG-4); several are separated by blanks. Empty for what the syntax demands
	// beyond EN 16931.
	Term string
	// Field is the member of the invoice object, relative to the enclosing group ("contact.name"); that of a text may count from
	// the invoice, when it begins with a slash ("/dueDate"). "[]" at the end makes a group repeat for each entry of a list.
	Field string
	// Path is the element below the enclosing group's element: steps separated by "/", each a prefixed name, which may carry
	// predicates: [path='text'], [path!='text'] (another text, or none), [path] (some text), [not(path)] (no text). A path may
	// end in an attribute. Equalities are also written.
	Path string
	// Type is the datatype of the element's text.
	Type Type
	// Card is how often the term or group may occur in its parent (EN 16931-1 §6.3).
	Card Cardinality
	// Attrs are the attributes of the last step.
	Attrs []Attr
	// On limits the row to one root.
	On On
	// When limits writing (not reading) to entries for which it holds.
	When func(Scope) bool
	// Const is written instead of a field, wherever the element around it is: a text, or one of the variables if that is not
	// empty. It alone never opens an element.
	Const string
	// Total computes the value from the whole invoice; reading compares it and keeps nothing.
	Total func(*invoice.Invoice) decimal.Decimal
	// From names the member that a Total or a Const comes from, for locating and for the account of unwritten members.
	From string
	// Keep puts what a document states as a Total into the invoice, where it can be held; without it reading only compares.
	Keep func(*invoice.Invoice, decimal.Decimal)
	// Fill is written where the schema demands an element whose field is empty.
	Fill string
	// Codec joins several fields of the group in one text.
	Codec *Codec
	// Rows are the members of a group.
	Rows []Row
	// Again says that the entries of the list are what the enclosing group is: its rows hold for them as well, this one included.
	// Levels below NestLimit are not read.
	Again bool
}

// NestLimit is how many levels deep entries within entries are read (contract, limits: subItems depth).
const NestLimit = 100

// Attr binds an attribute of a row's element to a field of the row's group or to a constant. An attribute qualifies the text of
// its element: without text it is neither written nor read.
type Attr struct {
	Name  string
	Term  string // business term; empty for that of the row
	Field string
	Const string
}

// Type is the semantic datatype of EN 16931-1 §6.5; it decides how values are written. White space around a text is not read.
type Type uint8

// The datatypes.
const (
	Text Type = iota // any text
	Identifier
	Code
	Amount           // decimal as sent
	UnitPrice        // decimal as sent
	Quantity         // decimal as sent
	InvoicedQuantity // decimal, written with at least two decimals (contract, item: quantity)
	Percentage       // decimal as sent
	Day              // YYYY-MM-DD
	Indicator        // true or false
	Binary           // base64
)

// Cardinality is how often a term or group occurs in its parent.
type Cardinality uint8

// The cardinalities of EN 16931-1.
const (
	Optional  Cardinality = iota // 0..1
	One                          // 1..1
	Many                         // 0..n
	OneOrMore                    // 1..n
)

// String gives the notation of the standard.
func (c Cardinality) String() string { return [...]string{"0..1", "1..1", "0..n", "1..n"}[c] }

// Repeats tells whether there may be more than one.
func (c Cardinality) Repeats() bool { return c == Many || c == OneOrMore }

// The variables that Const and predicates may name.
const (
	Specification = "$specification" // BT-24, chosen by the profile
	Currency      = "$currency"      // BT-5
	TaxCurrency   = "$taxCurrency"   // BT-6
)

// Scope is what a When condition sees: the invoice and the place in the list that is being written.
type Scope struct {
	Invoice *invoice.Invoice
	Group   any // pointer to the struct of the enclosing group
	Index   int // position in the innermost enclosing list
	Root    int // index of the root that is written
}

// Codec joins the members of a group in one text and takes them apart again.
type Codec struct {
	Fields []string                     // the members it covers
	Format func(group any) string       // group points to the group's struct
	Parse  func(text string, group any) // group points to the group's struct
}
