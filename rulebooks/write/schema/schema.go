// Package schema makes the XML Schemas that ship from tables: the structural facts of UBL 2.1, CII D16B, Factur-X and ebInterface, that is
// names, order, cardinalities, types, facets and attributes.
//
// A table is a text file that is read by lines; # begins a remark. A line at the margin begins a block:
//
//	namespace PREFIX URI [PREFIX…]   a namespace, and others whose elements are checked wherever its wildcards let them through
//	unqualified PREFIX               the elements below a document element of that namespace are in none
//	variants NAME…                   the schema comes in variants
//	TYPE                             a complex type with elements
//	TYPE : BASE                      a complex type with the values of BASE
//	TYPE restricts BASE              a complex type that allows less than BASE
//	mixed TYPE, abstract TYPE        with text between the elements, only to be derived from
//	simple TYPE : BASE               a simple type
//	values PREFIX : BASE             elements NAME with the values of BASE, each of a type NAMEType of its own
//	identities ELEMENT               what must be unique in documents of an element: KIND;NAME;SELECTOR;FIELD, of a keyref ;NAME of the other
//	elements PREFIX                  elements whose types stand elsewhere, each NAME=TYPE
//
// The words of the indented lines below say what a type holds:
//
//	<NAME>                           a document's elements NAME are of this type
//	NAME=TYPE                        a child element
//	NAME=TYPE"VALUE"                 a child element that stands for the value where it is empty
//	NAME, PREFIX:NAME                a child element that has a type wherever it stands
//	any/SPACES/PROCESS               any element: of any namespace, an other one or that of a URI, checked strict, lax or skip (not)
//	( A B ), ( A | B )               a group of both, or of one of them
//	@NAME=TYPE, @NAME=TYPE"VALUE"    an attribute, with a fixed value
//	@any/SPACES/PROCESS              any attribute
//	"VALUE", FACET=VALUE             a value of an enumeration, another facet of a simple type
//
// What ends with ? may occur once, with * any number of times, with + at least once, with {M,N} M to N times, else exactly once.
// A type TYPE/NAME has no name of its own: it is that of the child NAME of TYPE. Where there are variants, a line has one word
// with a column for each of them before it: 1 for exactly once, - for never, else as above.
//
// Types that no element leads to are left out of a schema, such as those of elements that a variant does not have.
package schema

import (
	_ "embed"
	"path"
)

//go:embed ubl.txt
var ublText string

//go:embed signature.txt
var signatureText string

//go:embed cii.txt
var ciiText string

//go:embed facturx.txt
var facturxText string

//go:embed ebinterface.txt
var ebinterfaceText string

//go:embed ksef.txt
var ksefText string

//go:embed nav.txt
var navText string

//go:embed mydata.txt
var mydataText string

//go:embed fatturapa.txt
var fatturapaText string

//go:embed verifactu.txt
var verifactuText string

//go:embed isdoc.txt
var isdocText string

//go:embed facturae.txt
var facturaeText string

//go:embed facturae-3.2.txt
var facturae32Text string

//go:embed facturae-3.2.1.txt
var facturae321Text string

//go:embed facturae-3.2.2.txt
var facturae322Text string

var (
	ubl       = source{"ubl.txt", ublText}
	signature = source{"signature.txt", signatureText}
	cii       = source{"cii.txt", ciiText}
	facturx   = source{"facturx.txt", facturxText}

	ebinterface = source{"ebinterface.txt", ebinterfaceText}
	ksef        = source{"ksef.txt", ksefText}
	nav         = source{"nav.txt", navText}
	fatturapa   = source{"fatturapa.txt", fatturapaText}
	verifactu   = source{"verifactu.txt", verifactuText}
	isdoc       = source{"isdoc.txt", isdocText}

	facturae    = source{"facturae.txt", facturaeText}
	facturae32  = source{"facturae-3.2.txt", facturae32Text}
	facturae321 = source{"facturae-3.2.1.txt", facturae321Text}
	facturae322 = source{"facturae-3.2.2.txt", facturae322Text}
	mydata      = source{"mydata.txt", mydataText}
)

// schemas are those that ship: folder below shared/schema, title, variant and tables.
var schemas = []struct {
	folder, title, variant string
	tables                 []source
}{
	{"ubl-2.1", "UBL 2.1 invoice and credit note", "", []source{ubl, signature}},
	{"cii-d16b", "CII D16B", "", []source{cii}},
	{"factur-x/basic", "Factur-X BASIC of 2.3.3, 2.4 and 2.5.2", "basic", []source{facturx}},
	{"factur-x/en16931", "Factur-X EN 16931 of 2.3.3, 2.4 and 2.5.2", "en16931", []source{facturx}},
	{"factur-x/extended-2.3.3", "Factur-X EXTENDED of 2.3.3", "extended-2.3.3", []source{facturx}},
	{"factur-x/extended-2.4", "Factur-X EXTENDED of 2.4", "extended-2.4", []source{facturx}},
	{"factur-x/extended-2.5.2", "Factur-X EXTENDED of 2.5.2", "extended-2.5.2", []source{facturx}},
	{"ebinterface-6.1", "ebInterface 6.1", "", []source{ebinterface}},
	{"fatturapa-1.2.3", "FatturaPA 1.2.3", "", []source{fatturapa, signature}},
	{"verifactu-1.0", "VeriFactu 1.0", "", []source{verifactu, signature}},
	{"nav-3.0", "NAV Online Számla 3.0", "", []source{nav}},
	{"ksef-fa3", "KSeF FA(3) 1-0E", "", []source{ksef}},
	{"isdoc-6.0.2", "ISDOC 6.0.2", "", []source{isdoc}},
	{"facturae-3.2", "Facturae 3.2", "", []source{facturae32, facturae, signature}},
	{"facturae-3.2.1", "Facturae 3.2.1", "", []source{facturae321, facturae, signature}},
	{"facturae-3.2.2", "Facturae 3.2.2", "", []source{facturae322, facturae, signature}},
	{"mydata-2.0.1", "myDATA 2.0.1", "", []source{mydata}},
}

// Files gives all schema files: path below the folder rulebooks, with slashes, to content. The entry files of UBL are
// invoice.xsd and creditnote.xsd, those of CII and Factur-X rsm.xsd; a national format has one file, named after its prefix.
func Files() (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, s := range schemas {
		t, err := read(s.variant, s.tables...)
		if err != nil {
			return nil, err
		}
		files, err := t.files(comment(s.title, s.tables...))
		if err != nil {
			return nil, err
		}
		for name, content := range files {
			all[path.Join("shared/schema", s.folder, name)] = content
		}
	}
	return all, nil
}
