package verifactu

import (
	"errors"
	"fmt"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// The namespaces of the schemas.
const (
	schemas     = "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
	Submission  = schemas + "SuministroLR.xsd"          // of RegFactuSistemaFacturacion
	Information = schemas + "SuministroInformacion.xsd" // of records
)

// The elements that documents consist of.
var (
	batchElement      = xmltree.MustQName("lr:RegFactuSistemaFacturacion")
	headElement       = xmltree.MustQName("lr:Cabecera")
	registeredElement = xmltree.MustQName("lr:RegistroFactura")
	obligedElement    = prefixed("ObligadoEmision")
	voluntaryElement  = prefixed("RemisionVoluntaria")
	incidentElement   = prefixed("Incidencia")
	invoiceElement    = prefixed("RegistroAlta")
	cancelElement     = prefixed("RegistroAnulacion")
)

// ErrNoRecords says that a document has no records.
var ErrNoRecords = errors.New("the document has no VERI*FACTU records: it must be RegFactuSistemaFacturacion, RegistroAlta or RegistroAnulacion")

// XML writes a record as a document of its own. The error says that a text has a character which XML does not allow.
func (r *Record) XML() ([]byte, error) {
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	r.write(w, true)
	if err := w.Finish(); err != nil {
		return nil, fmt.Errorf("write the record of invoice %s: %w", r.Invoice.Number, err)
	}
	return w.Bytes(), nil
}

func (r *Record) write(w *xmltree.Writer, alone bool) {
	element, parts := invoiceElement, ofInvoice
	if r.Cancels {
		element, parts = cancelElement, ofCancellation
	}
	w.Start(element)
	if alone {
		w.Namespace("sf", Information)
	}
	writeParts(w, r, parts)
	w.End()
}

// XML writes a batch. The error says that a text has a character which XML does not allow.
func (b *Batch) XML() ([]byte, error) {
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	b.write(w)
	return finished(w)
}

// write writes RegFactuSistemaFacturacion.
func (b *Batch) write(w *xmltree.Writer) {
	w.Start(batchElement)
	w.Namespace("lr", Submission)
	w.Namespace("sf", Information)
	w.Start(headElement)
	writeElement(w, obligedElement, &b.Issuer, party)
	if b.Delayed {
		w.Start(voluntaryElement)
		w.Leaf(incidentElement, "S")
		w.End()
	}
	w.End()
	for _, r := range b.Records {
		w.Start(registeredElement)
		r.write(w, false)
		w.End()
	}
	w.End()
}

// finished is what was written.
func finished(w *xmltree.Writer) ([]byte, error) {
	if err := w.Finish(); err != nil {
		return nil, fmt.Errorf("write records: %w", err)
	}
	return w.Bytes(), nil
}

// Read reads the records of a document: a batch, one within the body of a SOAP envelope, or one record. The error is ErrNoRecords for another
// document, and an *xmltree.Error for what is no XML. The issuer is that of the batch, nobody where there is none.
func Read(document []byte) (*Batch, error) {
	d, err := xmltree.Parse(document, xmltree.Options{})
	if err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	b := &Batch{}
	b.find(d, d.Root())
	if len(b.Records) == 0 {
		return nil, ErrNoRecords
	}
	return b, nil
}

// find goes through a document for records, which are in its order.
func (b *Batch) find(d *xmltree.Document, root xmltree.Node) {
	for n := root; n < d.End(root); {
		if d.Kind(n) != xmltree.KindElement || d.Namespace(n) != Information {
			n++
			continue
		}
		switch d.Local(n) {
		case "RegistroAlta", "RegistroAnulacion":
			b.Records = append(b.Records, readRecord(d, n))
			n = d.End(n)
		case "ObligadoEmision":
			readParts(d, n, &b.Issuer, party)
			n = d.End(n)
		default:
			n++
		}
	}
}

func readRecord(d *xmltree.Document, n xmltree.Node) *Record {
	r := &Record{Cancels: d.Local(n) == "RegistroAnulacion"}
	parts := ofInvoice
	if r.Cancels {
		parts = ofCancellation
	}
	readParts(d, n, r, parts)
	return r
}
