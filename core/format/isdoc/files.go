package isdoc

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// filesOf gives the files that the document names (ISDOC 6.0.2, SupplementsList) and that are in its archive, and the digests which are not theirs.
func filesOf(doc *xmltree.Document, open func(name string) []byte) *format.Files {
	var files []profile.Supplied
	var belied []mapping.Leaf
	places := xmltree.NewLocator(doc)
	for i, at := range supplements(doc) {
		name := textOf(doc, at, "Filename")
		content := open(name)
		if len(content) == 0 {
			continue
		}
		files = append(files, profile.Supplied{Number: i + 1, Content: content})
		if other := profile.OtherDigest(algorithmOf(doc, at), textOf(doc, at, "DigestValue"), content); other != "" {
			belied = append(belied, mapping.LeafAt(doc, places, doc.ChildNamed(at, "DigestValue"), "the file "+name+" in the archive has the digest "+other))
		}
	}
	return &format.Files{Belied: belied, Attach: func(inv *invoice.Invoice) { profile.AttachSupplied(inv, files) }}
}

// textOf is the text of the first child with a name, without the space around it; "" where there is none.
func textOf(doc *xmltree.Document, of xmltree.Node, child string) string {
	at := doc.ChildNamed(of, child)
	if at == xmltree.None {
		return ""
	}
	return strings.TrimSpace(doc.String(at))
}

// algorithmOf is the identifier of the algorithm of a supplement's digest; "" where it has none.
func algorithmOf(doc *xmltree.Document, supplement xmltree.Node) string {
	method := doc.ChildNamed(supplement, "DigestMethod")
	if method == xmltree.None {
		return ""
	}
	algorithm, _ := doc.AttrValue(method, "Algorithm")
	return strings.TrimSpace(string(algorithm))
}

// supplements are the elements of files that the document names.
func supplements(doc *xmltree.Document) (all []xmltree.Node) {
	list := doc.ChildNamed(doc.Root(), "SupplementsList")
	if list == xmltree.None {
		return nil
	}
	for c, end := doc.Children(list); c < end; c = doc.End(c) {
		if doc.Kind(c) == xmltree.KindElement && doc.Local(c) == "Supplement" {
			all = append(all, c)
		}
	}
	return all
}

// namelessFiles gives supplements without a name their supporting documents, which no row made: what national says of a file is found by its place.
func namelessFiles(doc *xmltree.Document, inv *invoice.Invoice) {
	var all []invoice.SupportingDocument
	named := inv.SupportingDocuments
	for _, at := range supplements(doc) {
		switch {
		case textOf(doc, at, "Filename") == "":
			all = append(all, invoice.SupportingDocument{})
		case len(named) > 0:
			all, named = append(all, named[0]), named[1:]
		}
	}
	inv.SupportingDocuments = append(all, named...)
}
