package verifactu

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// soap is the namespace of SOAP 1.1, which SistemaFacturacion.wsdl binds the service to (document/literal, an empty SOAPAction).
const soap = "http://schemas.xmlsoap.org/soap/envelope/"

var (
	envelopeElement   = xmltree.MustQName("soapenv:Envelope")
	soapHeaderElement = xmltree.MustQName("soapenv:Header")
	soapBodyElement   = xmltree.MustQName("soapenv:Body")
)

// Envelope writes a batch as the request of the service.
func (b *Batch) Envelope() ([]byte, error) {
	w := xmltree.NewWriter(xmltree.WriterOptions{})
	w.Start(envelopeElement)
	w.Namespace("soapenv", soap)
	w.Start(soapHeaderElement)
	w.End()
	w.Start(soapBodyElement)
	b.write(w)
	w.End()
	w.End()
	return finished(w)
}

// DefaultWait is the time between two submissions of an issuer until the office tells another (Orden HAC/1177/2024, art. 16.2).
const DefaultWait = 60 * time.Second

// mostWait bounds what the office can tell: TiempoEsperaEnvio has at most four digits.
const mostWait = 9999 * time.Second

// Reply is the answer to a submission (RespuestaRegFactuSistemaFacturacion).
type Reply struct {
	CSV   string        // the office's code for what it has registered; empty where that is nothing
	State string        // EstadoEnvio: Correcto, ParcialmenteCorrecto, Incorrecto
	Wait  time.Duration // TiempoEsperaEnvio: before the next submission
	Lines []ReplyLine
}

// ReplyLine is what became of one record (RespuestaLinea).
type ReplyLine struct {
	Invoice   InvoiceID
	Operation string // TipoOperacion: Alta, Anulacion
	State     string // EstadoRegistro: Correcto, AceptadoConErrores, Incorrecto
	Code      string // CodigoErrorRegistro
	Message   string // DescripcionErrorRegistro

	// Duplicate is EstadoRegistroDuplicado of a record that was refused because the office has it: Correcta, AceptadaConErrores, Anulada. Empty otherwise.
	Duplicate string
}

// Fault says that the office has refused a whole submission (SOAP Fault): nothing of it is registered.
type Fault struct {
	Code    string // 4102 for what does not follow the schema …; empty where there is none
	Message string // the office's
}

// Error implements error.
func (f *Fault) Error() string { return "the tax office has refused the submission: " + f.Message }

// ErrReply says that a document is no answer to a submission, or not to this one.
var ErrReply = errors.New("the answer is none to the submission")

// ReadReply reads the answer of the service. The error is a *Fault where the office has refused the submission, and else wraps ErrReply.
func ReadReply(document []byte) (*Reply, error) {
	d, err := xmltree.Parse(document, xmltree.Options{})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrReply, err)
	}
	root := d.Root()
	if d.Local(root) != "Envelope" || d.Namespace(root) != soap {
		return nil, fmt.Errorf("%w: it is %s, no SOAP 1.1", ErrReply, shown(d.Local(root)))
	}
	body := d.ChildNamed(root, "Body")
	if fault := d.ChildNamed(body, "Fault"); fault != xmltree.None {
		return nil, faultOf(textOf(d, fault, "faultstring"))
	}
	answer := d.ChildNamed(body, "RespuestaRegFactuSistemaFacturacion")
	if answer == xmltree.None {
		return nil, fmt.Errorf("%w: it has no RespuestaRegFactuSistemaFacturacion", ErrReply)
	}
	return readReply(d, answer)
}

func readReply(d *xmltree.Document, answer xmltree.Node) (*Reply, error) {
	r := &Reply{CSV: clipped(textOf(d, answer, "CSV"), mostCode), State: clipped(textOf(d, answer, "EstadoEnvio"), mostCode), Wait: waitOf(textOf(d, answer, "TiempoEsperaEnvio"))}
	for n, end := d.Children(answer); n < end; n = d.End(n) {
		if d.Kind(n) != xmltree.KindElement || d.Local(n) != "RespuestaLinea" {
			continue
		}
		if len(r.Lines) == MostRecords {
			return nil, fmt.Errorf("%w: it has more than %d lines", ErrReply, MostRecords)
		}
		id := d.ChildNamed(n, "IDFactura")
		r.Lines = append(r.Lines, ReplyLine{
			Invoice:   InvoiceID{textOf(d, id, "IDEmisorFactura"), textOf(d, id, "NumSerieFactura"), textOf(d, id, "FechaExpedicionFactura")},
			Operation: textOf(d, d.ChildNamed(n, "Operacion"), "TipoOperacion"),
			State:     textOf(d, n, "EstadoRegistro"),
			Code:      clipped(textOf(d, n, "CodigoErrorRegistro"), mostCode),
			Message:   clipped(textOf(d, n, "DescripcionErrorRegistro"), mostMessage),
			Duplicate: textOf(d, d.ChildNamed(n, "RegistroDuplicado"), "EstadoRegistroDuplicado"),
		})
	}
	return r, nil
}

// The most bytes that are kept of a code and of a message (TextMax1500Type).
const (
	mostCode    = 64
	mostMessage = 1500
)

// clipped is the beginning of a text of others.
func clipped(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// waitOf reads seconds; what is none is the default.
func waitOf(text string) time.Duration {
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 0 {
		return DefaultWait
	}
	return min(time.Duration(min(seconds, 1<<20))*time.Second, mostWait)
}

// textOf is the text of a child, whatever its namespace: the office's own examples and its schema differ in the namespaces of parts.
func textOf(d *xmltree.Document, of xmltree.Node, name string) string {
	n := d.ChildNamed(of, name)
	if n == xmltree.None {
		return ""
	}
	return strings.TrimSpace(d.String(n))
}

// faultOf reads the text of a fault: Codigo[4102].What is wrong.
func faultOf(text string) *Fault {
	f := &Fault{Message: clipped(text, mostMessage)}
	if rest, ok := strings.CutPrefix(text, "Codigo["); ok {
		if code, _, ok := strings.Cut(rest, "]"); ok {
			f.Code = clipped(code, mostCode)
		}
	}
	return f
}

// Outcome is what the office says of a record.
type Outcome struct {
	State   string // Accepted, AcceptedWithErrors, Rejected
	Code    string // of an error, also of one that did not keep the record out; empty without one
	Message string // the office's words
}

// The states of a record that was sent. A record without an outcome is Pending.
const (
	Pending            = "pending"
	Accepted           = "accepted"
	AcceptedWithErrors = "accepted_with_errors"
	Rejected           = "rejected"
)

// Outcomes are those of the records of the batch that the reply answers, in its order. The error wraps ErrReply where a record has no line, a line no
// record, or a state is unknown: then nobody knows what became of the batch.
func (r *Reply) Outcomes(b *Batch) ([]Outcome, error) {
	if len(r.Lines) != len(b.Records) {
		return nil, fmt.Errorf("%w: it has %d lines for %d records", ErrReply, len(r.Lines), len(b.Records))
	}
	lines := make(map[lineKey]*ReplyLine, len(r.Lines))
	for i := range r.Lines {
		lines[r.Lines[i].key()] = &r.Lines[i]
	}
	outcomes := make([]Outcome, len(b.Records))
	for i, record := range b.Records {
		line := lines[lineKey{record.operation(), record.Invoice}]
		if line == nil {
			return nil, fmt.Errorf("%w: it has no line for %s of invoice %s", ErrReply, record.operation(), shown(record.Invoice.Number))
		}
		var known bool
		if outcomes[i], known = line.outcome(); !known {
			return nil, fmt.Errorf("%w: the state of invoice %s is %s", ErrReply, shown(record.Invoice.Number), shown(line.State))
		}
	}
	return outcomes, nil
}

// lineKey tells lines apart: a chain registers and cancels an invoice once each.
type lineKey struct {
	operation string
	invoice   InvoiceID
}

func (l *ReplyLine) key() lineKey { return lineKey{l.Operation, l.Invoice} }

// operation is the record as TipoOperacion has it.
func (r *Record) operation() string {
	if r.Cancels {
		return "Anulacion"
	}
	return "Alta"
}

// outcome is what the line says. A record that is refused because the office has it was received before, by a submission whose answer was lost.
func (l *ReplyLine) outcome() (o Outcome, known bool) {
	o = Outcome{Code: l.Code, Message: l.Message}
	switch {
	case l.State == "Correcto":
		o.State = Accepted
	case l.State == "AceptadoConErrores", l.State == "Incorrecto" && l.Duplicate == "AceptadaConErrores":
		o.State = AcceptedWithErrors
	case l.State == "Incorrecto" && (l.Duplicate == "Correcta" || l.Duplicate == "Anulada"):
		o.State = Accepted
	case l.State == "Incorrecto":
		o.State = Rejected
	}
	return o, o.State != ""
}
