package xmltree

import "fmt"

// Options say what a Parser accepts. The zero value is the hardened default: no DOCTYPE, the limits of Limits, every text node kept.
type Options struct {
	Limits Limits // default: see the fields of Limits

	// StripBlank leaves out text nodes of nothing but white space that stand beside other children (indentation). Text of
	// white space that is an element's whole content is kept. Default: false
	StripBlank bool

	// InternalSubset accepts a DOCTYPE and expands the entities that its internal subset declares, in text and attribute
	// values: for files of the operator, such as the schema of XML Signature, never for documents. Nothing outside is
	// read, markup in entities and parameter entities are refused, and depth, number and size are bounded. Source is then
	// the expanded document; its lines keep their numbers. Default: false
	InternalSubset bool
}

// Limits bound what one document may cost. Zero means default; a negative value or one above the maximum is refused by NewParser.
type Limits struct {
	Size       int // bytes of the input, and of its UTF-8 form when it comes in another encoding; at most 1 GiB. Default: 256 MiB
	Depth      int // nested elements; at most 65,535. Default: 256
	Attributes int // attributes and namespace declarations of one element; at most 511. Default: 256
	NameBytes  int // bytes of one qualified name or namespace name; at most 65,535. Default: 1,024
	Names      int // distinct names, and distinct namespace names, in one document; at most 100,000. Default: 10,000
	Nodes      int // nodes of one document, attributes and text nodes included; at most 67,108,863. Default: 8,000,000

	// TextBytes bounds one text, attribute value, comment or processing instruction as it stands in the source. The
	// default lets an attachment of 95 MiB pass as base64 broken into lines by CR LF (130 MiB). At most 1 GiB. Default: 144 MiB
	TextBytes int
}

// Offsets are below inDecoded, whose bit marks decoded values; a gibibyte leaves room for values that are decoded and
// joined.
const (
	maxSize  = 1 << 30
	maxNodes = 1<<26 - 1
)

// bounds gives each limit's place, default and maximum, for withDefaults.
func (l *Limits) bounds() []bound {
	return []bound{
		{"Size", &l.Size, 256 << 20, maxSize},
		{"Depth", &l.Depth, 256, 1<<16 - 1},
		{"Attributes", &l.Attributes, 256, attrMax},
		{"NameBytes", &l.NameBytes, 1024, 1<<16 - 1},
		{"Names", &l.Names, 10_000, 100_000},
		{"Nodes", &l.Nodes, 8_000_000, maxNodes},
		{"TextBytes", &l.TextBytes, 144 << 20, maxSize},
	}
}

type bound struct {
	name     string
	value    *int
	def, max int
}

func (l Limits) withDefaults() (Limits, error) {
	for _, b := range l.bounds() {
		switch {
		case *b.value == 0:
			*b.value = b.def
		case *b.value < 0 || *b.value > b.max:
			return l, fmt.Errorf("xmltree: limit %s is %d, allowed are 1 to %d", b.name, *b.value, b.max)
		}
	}
	return l, nil
}
