package isdoc

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

// takeFiles makes attachments of the files that the document names (ISDOC 6.0.2, SupplementsList) and that are in its archive, and reports digests
// which are not theirs.
func takeFiles(reading *format.Reading, doc *xmltree.Document, open func(name string) []byte) {
	var files []profile.Supplied
	for i, named := range reading.Invoice.SupportingDocuments {
		if content := open(named.ID); len(content) > 0 {
			files = append(files, profile.Supplied{Number: i + 1, Content: content})
		}
	}
	named, places := supplements(doc), xmltree.NewLocator(doc)
	for _, other := range profile.AttachSupplied(reading.Invoice, files) {
		at := doc.ChildNamed(named[other.Number-1], "DigestValue")
		reading.Account.Miss(mapping.LeafAt(doc, places, at, "the file "+other.Name+" in the archive has the digest "+other.Digest))
	}
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
		name := doc.ChildNamed(at, "Filename")
		switch nameless := name == xmltree.None || strings.TrimSpace(doc.String(name)) == ""; {
		case nameless:
			all = append(all, invoice.SupportingDocument{})
		case len(named) > 0:
			all, named = append(all, named[0]), named[1:]
		}
	}
	inv.SupportingDocuments = append(all, named...)
}
