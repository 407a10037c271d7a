package xsd

import "github.com/einvoiced/einvoiced/core/engine/xmltree"

// Kind names a class of violations. The values are stable.
type Kind string

// The kinds of violations.
const (
	KindRoot                Kind = "root"                  // the document element is not declared
	KindElementNotExpected  Kind = "element-not-expected"  // an element that may not stand where it does
	KindMissingChild        Kind = "missing-child"         // an element ends before all children it needs
	KindElementNotAllowed   Kind = "element-not-allowed"   // an element inside one that holds a simple value
	KindElementUnknown      Kind = "element-unknown"       // an element without a declaration where one is needed
	KindElementAbstract     Kind = "element-abstract"      // an element or type that only others may stand for
	KindTextNotAllowed      Kind = "text-not-allowed"      // text between elements or in an empty element
	KindAttributeNotAllowed Kind = "attribute-not-allowed" // an attribute that the element does not have
	KindAttributeMissing    Kind = "attribute-missing"     // an element without an attribute that it needs
	KindDatatype            Kind = "datatype"              // a value that is not of its type
	KindEnumeration         Kind = "enumeration"           // a value that is not in its list
	KindFacet               Kind = "facet"                 // a value outside the length, range, digits or pattern of its type
	KindFixed               Kind = "fixed"                 // a value other than the one that is prescribed
	KindType                Kind = "type"                  // xsi:type with an unknown type or one that may not stand here
	KindNil                 Kind = "nil"                   // xsi:nil where it is not allowed, or with content
	KindIdentity            Kind = "identity"              // a key or unique value twice or missing, or a reference to none
	KindID                  Kind = "id"                    // an ID twice, or an IDREF to none
	KindMore                Kind = "more"                  // there are more violations than are listed
)

// Violation is one offence of a document against its schema.
type Violation struct {
	Kind Kind
	Node xmltree.Node // the element or attribute

	Path   string // an XPath to Node as xmltree.Locator gives it
	Line   int    // from 1
	Column int    // from 1, in characters

	Message string // a sentence that names what was found and what was expected

	// Expected are the elements one of which has to come at the place of the offence, by their names as the document writes them; of the
	// kinds element-not-expected and missing-child alone, and empty where none has to.
	Expected []string
}
