package hybrid

import "github.com/einvoiced/einvoiced/core/hybrid/pdffile"

// Signatures tells what a PDF was signed with.
type Signatures struct {
	Signed    bool // a field is signed, or the right to use features (ISO 32000-1 §12.8)
	Certified bool // the author has signed what may be changed (§12.8.2.2, DocMDP)
}

// maxFields is how many form fields are looked at.
const maxFields = 100_000

// Signatures looks for signatures: in the fields of the form, and among the permissions of the document.
func (d *Document) Signatures() Signatures {
	permissions := d.file.Dict(d.catalog["Perms"])
	w := &fieldWalk{Document: d, seen: map[pdffile.Ref]bool{}}
	w.found.Certified = d.file.Dict(permissions["DocMDP"]) != nil
	w.found.Signed = d.file.Dict(permissions["UR3"]) != nil
	w.certifying = permissions["DocMDP"]
	for _, field := range d.file.Array(d.file.Dict(d.catalog["AcroForm"])["Fields"]) {
		w.field(field, "", 0)
	}
	return w.found
}

// fieldWalk goes through the fields of a form (§12.7.3).
type fieldWalk struct {
	*Document
	seen       map[pdffile.Ref]bool
	found      Signatures
	certifying pdffile.Object // the signature that the permissions name
}

// field takes a field, or fields with the type that they inherit.
func (w *fieldWalk) field(o pdffile.Object, kind pdffile.Name, depth int) {
	if ref, ok := o.(pdffile.Ref); ok {
		if w.seen[ref] {
			return
		}
		w.seen[ref] = true
	}
	if depth > maxTreeDepth || len(w.seen) > maxFields {
		return
	}
	field := w.file.Dict(o)
	if own := w.file.Name(field["FT"]); own != "" {
		kind = own
	}
	if value := w.file.Dict(field["V"]); kind == "Sig" && value["ByteRange"] != nil {
		w.signature(field["V"], value)
	}
	for _, kid := range w.file.Array(field["Kids"]) {
		w.field(kid, kind, depth+1)
	}
}

// signature takes a signature dictionary (§12.8.1).
func (w *fieldWalk) signature(o pdffile.Object, value pdffile.Dict) {
	certifies := false
	for _, reference := range w.file.Array(value["Reference"]) {
		certifies = certifies || w.file.Name(w.file.Dict(reference)["TransformMethod"]) == "DocMDP"
	}
	if ref, ok := o.(pdffile.Ref); ok && ref == w.certifying {
		certifies = true
	}
	if certifies {
		w.found.Certified = true
	} else {
		w.found.Signed = true
	}
}
