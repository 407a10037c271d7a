// Package mapping turns one declarative table per syntax into everything that has to agree about it: the writing plan, the
// reading plan with the account of what no row took, and the way from an XML node back to the member of the invoice object.
//
// A table lists rows: business term, invoice field, element path, datatype. Adding a term is adding a row. docs/mapping.md tells
// how a table is written.
//
// Compile checks a Table and makes a Mapping of it, in which each document element in each edition has a plan: a tree of
// elements, each with the row that it came from. Write goes through the plan, looks up the members of an invoice and lists
// what it found no element for; Read goes through a document, looks up the rows of its elements and keeps an Account of each
// leaf; a Locator goes up from a node of the document and down the rows to its member. None of them changes the Mapping,
// which is made once at the start.
package mapping

import (
	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// Table is the mapping of one XML syntax to invoices of the type T: invoice.Invoice, or what a format derives from it. The names
// of members are those of their JSON.
type Table[T any] struct {
	// Elements are the document elements of the syntax. A path step "a|b" names one element for each of them, in this order.
	Elements []Element
	// Editions are the extents that the syntax comes in, such as the profiles of Factur-X. Without any there is one, which has all
	// rows.
	Editions []Edition
	// Namespaces maps the prefixes of the paths to their namespace URIs. Names without a prefix are in that of their document
	// element.
	Namespaces map[string]string
	// Variables are the names that Const and predicates may use for what the invoice says, which begin with $, and the members
	// that they stand for.
	Variables map[string]string
	// Order gives the sequence of child elements by local name of the parent, as the schema fixes it, which package elementorder has.
	// Rows need not stand in schema order. "a|b" are elements that the schema leaves in any order.
	Order map[string]string
	// Rows is the table itself.
	Rows []Row[T]
	// Lines is the list that holds the invoice lines ("items[]"), of which a document has a limited number.
	Lines string
	// Silent names the members that no row takes and that are not missed in the document, with the reason.
	Silent map[string]string
}

// Specification is the variable for the specification identifier (BT-24), which every table has.
const Specification = "$specification"

// Row binds one business term, or a group of them, to an element.
type Row[T any] struct {
	// Term is the business term or group (BT-1, BG-4); several are separated by blanks. Empty for what the syntax demands
	// beyond EN 16931.
	Term string
	// Field is the member of the invoice object, relative to the enclosing group ("contact.name"); that of a text may count from
	// the invoice, when it begins with a slash ("/dueDate"). "[]" at the end makes a group repeat for each entry of a list. Several
	// rows may share a list: an entry goes to the first of them whose condition it meets; the last one has none.
	Field string
	// Path is the element below the enclosing group's element: steps separated by "/", each a name, with its prefix if it has one,
	// which may carry predicates: [path='text'], [path!='text'] (another text, or none), [path] (some text), [not(path)] (no text).
	// Their paths may end in an attribute. Equalities are also written. "." is the enclosing element itself: its text (Field,
	// Split) and its attributes.
	Path string
	// Type is the datatype of the element's text.
	Type Type
	// Card is how often the term or group may occur in its parent (EN 16931-1 §6.3).
	Card Cardinality
	// Attrs are the attributes of the last step.
	Attrs []Attr
	// On limits the row to the document element of that name.
	On string
	// In limits the row to the edition of that name and those that include it. Such a row takes the place of one with the same
	// path that is for more editions.
	In string
	// When limits writing (not reading) to entries for which it holds.
	When func(Scope[T]) bool
	// Const is written instead of a field, wherever the element around it is: a text, or one of the variables if that is not
	// empty. It alone never opens an element.
	Const string
	// Total computes the value from the whole invoice; reading compares it and keeps nothing.
	Total func(*T) decimal.Decimal
	// From names the member that a Total or a Const comes from, for locating and for the account of unwritten members.
	From string
	// Keep puts what a document states as a Total into the invoice, where it can be held; without it reading only compares.
	Keep func(*T, decimal.Decimal)
	// Computed is a text that the invoice and the group around the row decide about, such as the amount of a line in another currency.
	// Without a Field; From names the member of the invoice that it comes from, if it is none of the group.
	Computed *Computed[T]
	// Fill is written where the schema demands an element whose field is empty.
	Fill string
	// Required is for an element that the schema demands even if nothing is in it: it stands wherever the element around it does.
	Required bool
	// Lines says that further elements of the row, with other texts, are further lines of the member.
	Lines bool
	// Separate says that each line of the member is written as an element of its own; it goes with Lines. Lines without a text are left out.
	Separate bool
	// First is for a member of the invoice that stands with the first entry of a list: further entries neither write it nor are read for it.
	First bool
	// Single is for a group that the document may have more of than the invoice: elements after the first are not read.
	Single bool
	// Last says that the element is read after the others of the group of rows around it: where another one states the member as
	// well, that counts.
	Last bool
	// Convert is for a text that reads otherwise in the document than in the invoice.
	Convert *Converter
	// Codec joins several fields of the group in one text. Without a Field, those of the enclosing group, which it reads after the
	// other rows of that.
	Codec *Codec
	// Split takes the text of the Field apart: Rows are its pieces, each with its Path.
	Split *Split
	// Rows are the members of a group.
	Rows []Row[T]
	// Again says that the entries of the list are what the enclosing group is: its rows hold for them as well, this one included.
	// Levels below NestLimit are not read.
	Again bool
}

// NestLimit is how many levels deep entries within entries are read (contract, limits: subItems depth).
const NestLimit = 100

// Attr binds an attribute of a row's element to a field of the row's group or to a constant. An attribute qualifies the text of
// its element: without text it is neither written nor read.
type Attr struct {
	Name    string // with its prefix where it is in a namespace
	Term    string // business term; empty for that of the row
	Field   string
	Const   string
	Convert *Converter // for a text that reads otherwise in the document
}

// Type is the semantic datatype of EN 16931-1 §6.5; it decides how values are written. White space around a text is not read.
type Type uint8

// The datatypes.
const (
	Text Type = iota // any text
	Identifier
	Code
	Amount           // decimal as sent, without zeros at the end beyond two decimals
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

// Scope is what a When condition sees: the invoice and the place in the list that is being written.
type Scope[T any] struct {
	Invoice *T
	Group   any    // pointer to the struct of the enclosing group; for a row of a group or list, to that of the group or entry
	Index   int    // position in the innermost enclosing list
	Element string // name of the document element that is written
	Edition string // name of the edition that is written

	once func(name string, find func() int) int
}

// Once gives the place in the invoice that find gives. It is looked for once in each document that is written, so that a condition may
// ask for it in each entry of a list; the name tells it from other places.
func (s Scope[T]) Once(name string, find func(*T) int) int {
	return s.once(name, func() int { return find(s.Invoice) })
}

// Codec joins the members of a group in one text and takes them apart again.
type Codec struct {
	Fields []string                     // the members it covers
	Format func(group any) string       // group points to the group's struct
	Parse  func(text string, group any) // group points to the group's struct
}

// Computed is a text that is written as the invoice gives it, and held against that in reading: the same text, or the same number as far
// as the document has digits, is derived; another one is reported.
type Computed[T any] struct {
	// Of are the members of the group around the row that the text comes from; a finding about it is placed at the first.
	Of []string
	// Text gives the text, empty for an element that is not written. In reading it is asked for at the end of the group, of what has been
	// read by then.
	Text func(Scope[T]) string
	// Take is given the text of a document where the invoice gives none yet, and tells whether it says it now, be it by saying nothing.
	// It is asked when the element around the row ends. Default: such a text is reported.
	Take func(stated string, at Scope[T]) bool
}

// Split takes the text of a member apart into several elements and puts it together again.
type Split struct {
	// Parts gives a text for each piece in the order of the rows, empty for an element that is not written; nil for a text that
	// the syntax has no form for, which stays unwritten and is listed.
	Parts func(text string) []string
	// Join gives the member's text of the pieces that a document has, empty for those that it lacks; false where they make none.
	Join func(parts []string) (string, bool)
}
