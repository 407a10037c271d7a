package format

import (
	"context"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// Syntax is a language of documents, such as UBL 2.1: how its documents are recognised, what they tell, and how they are read and
// written.
type Syntax struct {
	Name     string    // lower case, e.g. ubl
	Elements []Element // document elements; of two that fit the first counts
	Places   Places    // what documents tell before they are read
	Cores    []string  // beginnings of specification identifiers (BT-24) that are those of the standard, in lower case
	Codec    Codec     // reads and writes; nil where documents are recognised only
	Text     *Text     // how documents that are no XML become the XML that Codec and rulebooks know. Default: they are XML

	// Country gives the country of a document, where a place does not tell it. Default: it is SellerCountry of Places.
	Country func(*xmltree.Document) string
	// Partial says that documents hold a part of the invoice only, so that what they lack is told only where every loss is asked for.
	Partial bool
	// OfAll are elements about all invoices of a file which has several. Default: there are none.
	OfAll []OfAll
	// Files finds the files that a document names among those that came in an archive with it; open gives a file by its name, nothing where there is
	// none. Default: files are left in the archive.
	Files func(doc *xmltree.Document, open func(name string) []byte) *Files
	// Largest gives how many bytes the receiving authority takes of a document, and the code that it refuses more with. Default: no authority says.
	Largest func(document []byte) (bytes int, code string)
}

// Files are those that came in an archive with a document.
type Files struct {
	Belied []mapping.Leaf         // what the document says of them and is not so
	Attach func(*invoice.Invoice) // takes them into the invoice that was read of the document, in canonical form
}

// OfAll is an element in which a file with several invoices states something of all of them, such as their number or sum. It stands before them,
// and none of them has it.
type OfAll struct {
	Path []string                            // local names below the document element
	Text func(file *xmltree.Document) string // what the invoices come to
}

// Text is for a syntax whose documents are lines of text. Between reading and writing they are XML, so that tables, rulebooks and places are
// as for all others; nobody sends that XML, and nobody gets it.
type Text struct {
	// Like tells whether bytes that are neither XML nor PDF are such a document, by what is in them.
	Like func(document []byte) bool
	// Lift gives the XML of a document, in which each line has an element that stands on the line of the same number. The error says for
	// people why there is none.
	Lift func(document []byte) ([]byte, error)
	// Lower gives the document of a tree.
	Lower func(*xmltree.Document) []byte
}

// Element is a document element.
type Element struct {
	Local     string
	Namespace string // of the version that rulebooks judge
	Family    string // what the namespaces of all versions begin with. Default: there is one, Namespace
	Detection string // detection id of documents that tell no customisation (supplement §2): that of a row of the catalogue
	Version   string // that the namespace tells. Default: none
	Attribute string // of the document element, which tells the version more exactly. Default: none does
}

// Places are the paths of what documents tell, as local names below the document element. What is empty is not told.
type Places struct {
	Number        []string // invoice number (BT-1)
	Version       []string // version of the format, where an element tells it
	Specification []string // specification identifier (BT-24)
	Process       []string // business process (BT-23)
	SellerCountry []string // country of the seller (BT-40)
	Lines         []string // parent of the invoice lines
	Line          []string // names of an invoice line (BG-25) there; empty where lines cannot be counted
	Invoices      []string // element of which a document has one for each of its invoices. Default: a document has one invoice
	Signature     []string // signature that a document carries of itself (XAdES enveloped)
}

// Edition is the form in which a document of a syntax is written.
type Edition struct {
	Specification string // specification identifier (BT-24)
	Name          string // of the edition of the syntax's table. Default: that of documents with the specification
	Every         bool   // what has no place is listed entry by entry, as mapping.Env says. Default: once for a list
}

// Codec reads and writes documents of a syntax. It is immutable and safe for concurrent use.
type Codec interface {
	// Read reads a document. Errors are mapping.ErrElement, mapping.ErrTooManyLines, and the context's.
	Read(ctx context.Context, doc *xmltree.Document) (*Reading, error)
	// Write writes a canonical invoice in an edition of the syntax, and tells what that has no place for. The error is a
	// *mapping.FieldError where a member holds what XML does not allow; others are those of the writer and of the context.
	Write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, as Edition) ([]mapping.Unwritten, error)
	// Locator finds the members that the nodes of a document are made of: of the invoice that it was written from, or where that is
	// nil of the one that it is read as.
	Locator(doc *xmltree.Document, inv *invoice.Invoice) Locator
	// Uses lists where the syntax has a business term or group.
	Uses(term string) []mapping.Use
}

// Locator tells which members of the invoice made the nodes of one document. It is not safe for concurrent use.
type Locator interface {
	// Locate gives the member and the business term of a node, or those of the nearest element around it.
	Locate(at xmltree.Node) mapping.Place
	// Member tells whether a node is a member by itself.
	Member(at xmltree.Node) bool
	// Nearest gives the place of a business term, the one that is nearest to a node; false where the syntax does not have it.
	Nearest(term string, from xmltree.Node) (mapping.Seen, bool)
	// Missing gives the place of what a document lacks: of the elements with these names below parent the one which is required, or
	// the only one with a place; false where there is none.
	Missing(parent xmltree.Node, names []string) (mapping.Place, bool)
}

// Reading is what a document says.
type Reading struct {
	Invoice  *invoice.Invoice // in canonical form: what the steps of a profile derive has not been taken back yet
	Type     invoice.Type     // what the document element tells of it: credit_note, or empty
	Extended bool             // the document is by the extension of its customisation
	Account  mapping.Account  // what became of every leaf of the source
}

// Cores gives the beginnings of the specification identifiers of EN 16931 and of the profiles of Factur-X and ZUGFeRD 2, in lower
// case: identifiers that go on from them are those of customisations.
func Cores() []string {
	return []string{CoreSpecification, "urn:factur-x.eu:1p0:", "urn:zugferd.de:2p0:"}
}

// CoreSpecification is the specification identifier (BT-24) of EN 16931 itself; those of its customisations begin with it.
const CoreSpecification = "urn:cen.eu:en16931:2017"

// ReadingOf gives what the table of a syntax has read in the form of a Codec; an error is passed on.
func ReadingOf(said *mapping.Reading[invoice.Invoice], err error) (*Reading, error) {
	if err != nil {
		return nil, err
	}
	return &Reading{Invoice: said.Invoice, Account: said.Account}, nil
}
