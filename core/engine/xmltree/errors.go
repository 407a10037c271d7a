package xmltree

import "fmt"

// Code names a reason why a document is refused. The values are stable.
type Code string

// The reasons why a document is refused.
const (
	DoctypeRefused     Code = "DOCTYPE_REFUSED"      // the document has a DOCTYPE
	NotWellFormed      Code = "NOT_WELL_FORMED"      // any other offence against the grammar of XML 1.0
	TagMismatch        Code = "TAG_MISMATCH"         // an end tag without its start tag, or an element that is never closed
	DuplicateAttribute Code = "DUPLICATE_ATTRIBUTE"  // the same attribute twice, also through two prefixes of one namespace
	UnknownEntity      Code = "UNKNOWN_ENTITY"       // a reference to an entity other than the five predefined ones
	IllegalCharacter   Code = "ILLEGAL_CHARACTER"    // a character, or a reference to one, that XML 1.0 does not allow (clause 2.2)
	NamespaceError     Code = "NAMESPACE_ERROR"      // an offence against Namespaces in XML 1.0, an undeclared prefix for example
	EncodingError      Code = "ENCODING_ERROR"       // bytes that do not exist in the encoding, or another encoding than declared
	EncodingUnknown    Code = "ENCODING_UNSUPPORTED" // an encoding other than UTF-8, UTF-16, ISO-8859-1 and US-ASCII
	VersionRefused     Code = "VERSION_REFUSED"      // an XML version other than 1.0
	NoDocument         Code = "NO_DOCUMENT"          // nothing but white space, comments and processing instructions
	LimitSize          Code = "LIMIT_SIZE"           // Limits.Size
	LimitDepth         Code = "LIMIT_DEPTH"          // Limits.Depth
	LimitAttributes    Code = "LIMIT_ATTRIBUTES"     // Limits.Attributes
	LimitName          Code = "LIMIT_NAME"           // Limits.NameBytes
	LimitNames         Code = "LIMIT_NAMES"          // Limits.Names
	LimitText          Code = "LIMIT_TEXT"           // Limits.TextBytes
	LimitNodes         Code = "LIMIT_NODES"          // Limits.Nodes
)

// Error says why a document was refused and where. Message is a sentence without the place, fit for the public: of the
// document it repeats nothing but names, characters and entity references, shortened.
type Error struct {
	Code    Code
	Line    int // from 1; 0 when the place is the document as a whole
	Column  int // from 1, in characters
	Offset  int // bytes from the start of the document's UTF-8 form (Document.Source)
	Message string
}

// Error gives the place and the message.
func (e *Error) Error() string {
	if e.Line == 0 {
		return "XML: " + e.Message
	}
	return fmt.Sprintf("XML line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// fail keeps the first error and gives the position that ends every scan. All readers hand on positions, so that a
// negative one ends them without a second result. Later errors are consequences of the first.
func (s *scanner) fail(code Code, off int, format string, args ...any) int {
	if s.err == nil {
		s.err = newError(s.src, code, off, format, args...)
	}
	return -1
}

func newError(src []byte, code Code, off int, format string, args ...any) *Error {
	off = min(max(off, 0), len(src))
	line, column := locate(src, off)
	return &Error{Code: code, Line: line, Column: column, Offset: off, Message: fmt.Sprintf(format, args...)}
}

// shown shortens a piece of the document for a message.
func shown(b []byte) string {
	const limit = 60
	if len(b) <= limit {
		return string(b)
	}
	cut := limit
	for cut > 0 && b[cut]&0xC0 == 0x80 {
		cut--
	}
	return string(b[:cut]) + "…"
}
