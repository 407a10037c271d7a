package operation

import (
	"errors"
	"io/fs"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/envelope"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/mapping"
)

// filesBeside finds the files that a document names in the archive that it came in, and tells of those that cannot be had. Packed is nil where it
// came in none, syntax where that is unknown; files are nil then, and where documents of the syntax name none.
func filesBeside(packed *envelope.Packed, syntax *format.Syntax, doc *xmltree.Document) (files *format.Files, left []Info) {
	if packed == nil || syntax == nil || syntax.Files == nil {
		return nil, nil
	}
	files = syntax.Files(doc, func(name string) []byte {
		content, err := packed.File(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			left = append(left, Info{finding.Unwrapped, name + " was left in the archive: " + err.Error()})
		}
		return content
	})
	return files, left
}

// besideJudged tells of the files beside a document that is judged what is told of them where it is read: they are no reason to call it invalid.
func besideJudged(source *source, syntax *format.Syntax, doc *xmltree.Document) ([]finding.Finding, []Info) {
	files, left := filesBeside(source.packed, syntax, doc)
	if files == nil {
		return nil, nil
	}
	return notMapped(mapping.Account{Reported: len(files.Belied), Leaves: files.Belied}), left
}
