package profile

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"maps"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// supplements is the path of the files that a document names (ISDOC 6.0.2, SupplementsList), below which each has a method and a digest.
const (
	supplements  = "SupplementsList/Supplement"
	digestMethod = "DigestMethod/@Algorithm"
	digestValue  = "DigestValue"
)

// sha256URI is the algorithm that digests are written by: SHA-1, which the format's own samples have, is no longer safe.
const sha256URI = "http://www.w3.org/2001/04/xmlenc#sha256"

// digests are the algorithms by their identifiers (RFC 9231; XML Signature, XML Encryption).
var digests = map[string]func([]byte) []byte{
	"http://www.w3.org/2000/09/xmldsig#sha1":        func(data []byte) []byte { sum := sha1.Sum(data); return sum[:] },
	sha256URI:                                       func(data []byte) []byte { sum := sha256.Sum256(data); return sum[:] },
	"http://www.w3.org/2001/04/xmldsig-more#sha384": func(data []byte) []byte { sum := sha512.Sum384(data); return sum[:] },
	"http://www.w3.org/2001/04/xmlenc#sha512":       func(data []byte) []byte { sum := sha512.Sum512(data); return sum[:] },
}

// czechFiles: a document names files with their digests, which travel beside it in an archive (ISDOCX). Supporting documents come first, then
// attachments; what national says of a file stands at the position among both.
var czechFiles = Step{
	Name:  "supplements",
	Moves: []Move{{"attachments[].filename", "supportingDocuments[].id"}},
	Derive: func(d *Draft) {
		inv := d.Invoice
		if len(inv.SupportingDocuments)+len(inv.Attachments) == 0 {
			return
		}
		said, further := saidOfFiles(inv)
		named, groups := d.namedFiles(said)
		for i := range inv.Attachments {
			a := &inv.Attachments[i]
			g := said[len(inv.SupportingDocuments)+i+1]
			named, groups = append(named, invoice.SupportingDocument{ID: a.Filename}), append(groups, digested(g, a.Content))
			field := entry("attachments", i)() + ".content"
			d.warn(finding.FieldNotWritten, field, "%s is not written: ISDOC has the name of a file and its digest (SupplementsList), and the file goes beside the document in an archive (ISDOCX)", field)
			a.Filename, a.MimeType, a.Content = "", "", ""
		}
		inv.SupportingDocuments = named
		putGroups(inv, supplements, append(groups, further...))
	},
	Restore: func(d *Draft) {
		for i := range d.Invoice.SupportingDocuments {
			doc := &d.Invoice.SupportingDocuments[i]
			doc.ID = cmp.Or(doc.ID, unnamed)
		}
	},
}

// saidOfFiles takes what national says of the files of an invoice by their numbers, and further files, which it names itself.
func saidOfFiles(inv *invoice.Invoice) (said map[int]group, further []group) {
	said = numberedGroups(inv, supplements)
	for _, number := range slices.Sorted(maps.Keys(said)) {
		if g := said[number]; g["Filename"] != "" || number > len(inv.SupportingDocuments)+len(inv.Attachments) {
			further = append(further, g)
			delete(said, number)
		}
	}
	return said, further
}

// namedFiles are the supporting documents that have a digest, which every file has in ISDOC, and what national says of them.
func (d *Draft) namedFiles(said map[int]group) (named []invoice.SupportingDocument, groups []group) {
	for i, doc := range d.Invoice.SupportingDocuments {
		g := said[i+1]
		if g == nil {
			field := entry("supportingDocuments", i)()
			d.warn(finding.FieldNotWritten, field, "%s is not written: ISDOC names files with their digests; give it in countrySpecific.national as %s[%d]/%s and %s, or the file in attachments",
				field, supplements, i+1, digestMethod, digestValue)
			continue
		}
		named, groups = append(named, doc), append(groups, g)
	}
	return named, groups
}

// digested is what is said of a file with its digest, by the algorithm that is said, or by SHA-256.
func digested(said group, content invoice.Base64) group {
	g := group{}
	maps.Copy(g, said)
	if g[digestMethod] != "" && digests[g[digestMethod]] == nil && g[digestValue] != "" {
		return g // nobody here can compute it
	}
	if digests[g[digestMethod]] == nil {
		g[digestMethod] = sha256URI
	}
	data, _ := base64.StdEncoding.DecodeString(string(content)) // the input checks have been there
	g[digestValue] = base64.StdEncoding.EncodeToString(digests[g[digestMethod]](data))
	return g
}

// Supplied is a file that an ISDOC document names and that came with it.
type Supplied struct {
	Number  int    // of the supplement, from 1
	Content []byte // of the file
}

// OtherDigest gives the digest of a file in base64 where a document states another one, by the identifier of the algorithm; nothing where the stated
// one is right or missing, or nobody here can compute it.
func OtherDigest(algorithm, stated string, content []byte) string {
	of, text := digests[algorithm], strings.Join(strings.Fields(stated), "")
	if of == nil || text == "" {
		return ""
	}
	sum := of(content)
	if said, err := base64.StdEncoding.DecodeString(text); err == nil && bytes.Equal(said, sum) {
		return ""
	}
	return base64.StdEncoding.EncodeToString(sum)
}

// AttachSupplied makes attachments of supporting documents whose files came with the document, in a canonical invoice of ISDOC.
func AttachSupplied(inv *invoice.Invoice, files []Supplied) {
	if len(files) == 0 {
		return
	}
	said := numberedGroups(inv, supplements)
	contents := map[int][]byte{}
	for _, f := range files {
		contents[f.Number] = f.Content
	}
	var left []invoice.SupportingDocument
	var groups, attached []group
	for i, doc := range inv.SupportingDocuments {
		content, there := contents[i+1]
		if !there {
			left, groups = append(left, doc), append(groups, said[i+1])
			continue
		}
		inv.Attachments = append(inv.Attachments, invoice.Attachment{Filename: doc.ID, MimeType: mediaTypeOf(doc.ID), Content: invoice.Base64(base64.StdEncoding.EncodeToString(content))})
		spendDigest(said[i+1])
		attached = append(attached, said[i+1])
	}
	inv.SupportingDocuments = left
	putGroups(inv, supplements, append(groups, attached...))
}

// spendDigest takes what is computed of a file off what is said of it. What cannot be computed stays.
func spendDigest(said group) {
	if digests[said[digestMethod]] == nil {
		return
	}
	delete(said, digestValue)
	if said[digestMethod] == sha256URI {
		delete(said, digestMethod)
	}
}
