package verifactu

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// replied is an answer of the service with what is in its body.
func replied(body string) string {
	return `<env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/"><env:Header/><env:Body>` + body + `</env:Body></env:Envelope>`
}

// line is an answer to one record.
func line(number, operation, state, more string) string {
	return "<r:RespuestaLinea><r:IDFactura><i:IDEmisorFactura>B12345674</i:IDEmisorFactura><i:NumSerieFactura>" + number + "</i:NumSerieFactura><i:FechaExpedicionFactura>30-06-2025" +
		"</i:FechaExpedicionFactura></r:IDFactura><r:Operacion><i:TipoOperacion>" + operation + "</i:TipoOperacion></r:Operacion><r:EstadoRegistro>" + state + "</r:EstadoRegistro>" + more + "</r:RespuestaLinea>"
}

func answered(wait string, lines ...string) string {
	return replied(`<r:RespuestaRegFactuSistemaFacturacion xmlns:r="` + schemas + `RespuestaSuministro.xsd" xmlns:i="` + Information + `"><r:CSV>A-1</r:CSV>` + wait +
		"<r:EstadoEnvio>ParcialmenteCorrecto</r:EstadoEnvio>" + strings.Join(lines, "") + "</r:RespuestaRegFactuSistemaFacturacion>")
}

// registering is a batch of these invoices.
func registering(numbers ...string) *Batch {
	b := &Batch{Issuer: Party{Name: "Alfa", NIF: "B12345674"}}
	for _, n := range numbers {
		r := &Record{Invoice: InvoiceID{"B12345674", strings.TrimPrefix(n, "-"), "30-06-2025"}, Cancels: strings.HasPrefix(n, "-")}
		b.Records = append(b.Records, r)
	}
	return b
}

// TestReadReply_Outcomes ensures what an answer says of each record, in whatever order its lines are, and that a duplicate was received before.
func TestReadReply_Outcomes(t *testing.T) {
	code := "<r:CodigoErrorRegistro>1109</r:CodigoErrorRegistro><r:DescripcionErrorRegistro> not known </r:DescripcionErrorRegistro>"
	duplicate := func(state string) string {
		return "<r:CodigoErrorRegistro>3000</r:CodigoErrorRegistro><r:RegistroDuplicado><i:IdPeticionRegistroDuplicado>1</i:IdPeticionRegistroDuplicado><i:EstadoRegistroDuplicado>" + state +
			"</i:EstadoRegistroDuplicado></r:RegistroDuplicado>"
	}
	reply, err := ReadReply([]byte(answered("<r:TiempoEsperaEnvio>120</r:TiempoEsperaEnvio>", line("A-2", "Alta", "AceptadoConErrores", code), line("A-1", "Alta", "Correcto", ""),
		line("A-1", "Anulacion", "Incorrecto", code), line("A-3", "Alta", "Incorrecto", duplicate("Correcta")), line("A-4", "Alta", "Incorrecto", duplicate("AceptadaConErrores")),
		line("A-4", "Anulacion", "Incorrecto", duplicate("Anulada")))))
	if err != nil {
		t.Fatal(err)
	}
	if reply.CSV != "A-1" || reply.State != "ParcialmenteCorrecto" || reply.Wait != 2*time.Minute {
		t.Errorf("%+v", reply)
	}
	got, err := reply.Outcomes(registering("A-1", "A-2", "-A-1", "A-3", "A-4", "-A-4"))
	want := []Outcome{{State: Accepted}, {AcceptedWithErrors, "1109", "not known"}, {Rejected, "1109", "not known"}, {Accepted, "3000", ""}, {AcceptedWithErrors, "3000", ""}, {Accepted, "3000", ""}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

// TestReadReply_Wait ensures the time to the next submission: the office's, within its four digits, and the default where it tells none.
func TestReadReply_Wait(t *testing.T) {
	for text, want := range map[string]time.Duration{"0": 0, "60": time.Minute, "9999": 9999 * time.Second, "99999999999999999999": DefaultWait, "123456": 9999 * time.Second, "-1": DefaultWait, "soon": DefaultWait, "": DefaultWait} {
		reply, err := ReadReply([]byte(answered("<r:TiempoEsperaEnvio>" + text + "</r:TiempoEsperaEnvio>")))
		if err != nil || reply.Wait != want {
			t.Errorf("%q: %+v %v", text, reply, err)
		}
	}
}

// TestReadReply_RefusesWhatIsNone ensures that faults are told by their code, and that what is no answer to the batch is an error: nobody then knows what
// became of it.
func TestReadReply_RefusesWhatIsNone(t *testing.T) {
	good := line("A-1", "Alta", "Correcto", "")
	for name, c := range map[string]struct{ document, want string }{
		"fault":            {replied("<env:Fault><faultcode>env:Client</faultcode><faultstring>Codigo[4102].No schema</faultstring></env:Fault>"), "4102"},
		"fault, no code":   {replied("<env:Fault><faultcode>env:Server</faultcode><faultstring>out of order</faultstring></env:Fault>"), "refused the submission: out of order"},
		"fault, no text":   {replied("<env:Fault/>"), "refused the submission"},
		"no XML":           {"<html>", "no answer"},
		"a page":           {"<html/>", "no SOAP"},
		"a document type":  {"<!DOCTYPE a><a/>", "no answer"},
		"nothing in it":    {replied(""), "no Respuesta"},
		"one line missing": {answered("", good), "1 lines for 2"},
		"another invoice":  {answered("", good, line("A-9", "Alta", "Correcto", "")), "no line for Alta"},
		"another action":   {answered("", good, line("A-2", "Anulacion", "Correcto", "")), "no line for Alta"},
		"twice the same":   {answered("", good, good), "no line for Alta"},
		"a strange state":  {answered("", good, line("A-2", "Alta", "Quizas", "")), "Quizas"},
		"too many lines":   {answered("", strings.Repeat(good, MostRecords+1)), "more than 1000"},
	} {
		reply, err := ReadReply([]byte(c.document))
		if err == nil {
			_, err = reply.Outcomes(registering("A-1", "A-2"))
		}
		said := fmt.Sprint(err)
		if f, ok := errors.AsType[*Fault](err); ok {
			said += " " + f.Code
		} else if !errors.Is(err, ErrReply) {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(strings.ReplaceAll(said, "the answer is none", "no answer"), c.want) {
			t.Errorf("%s: %s", name, said)
		}
	}
}

// TestEnvelope ensures that a batch comes back from its envelope, with what it says of a delay.
func TestEnvelope(t *testing.T) {
	for _, delayed := range []bool{false, true} {
		b := &Batch{Issuer: Party{Name: "Alfa", NIF: "B12345674"}, Delayed: delayed, Records: []*Record{full()}}
		document, err := b.Envelope()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(texts(t, document), "; "), "NIF: B12345674; Incidencia: S; IDVersion: 1.0"); got != delayed {
			t.Errorf("%s", document)
		}
		read, err := Read(document)
		b.Delayed = false
		if diff := cmp.Diff(b, read); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
}

// FuzzReadReply ensures that no answer of anybody brings the reader down, and that every outcome has a state that there is.
func FuzzReadReply(f *testing.F) {
	f.Add(answered("<r:TiempoEsperaEnvio>60</r:TiempoEsperaEnvio>", line("A-1", "Alta", "Correcto", "")))
	f.Add(replied("<env:Fault><faultstring>Codigo[4102].x</faultstring></env:Fault>"))
	f.Add(replied("<RespuestaRegFactuSistemaFacturacion><RespuestaLinea/></RespuestaRegFactuSistemaFacturacion>"))
	f.Fuzz(func(t *testing.T, document string) {
		reply, err := ReadReply([]byte(document))
		if err != nil {
			return
		}
		if reply.Wait < 0 || reply.Wait > mostWait || len(reply.Lines) > MostRecords {
			t.Errorf("%+v", reply)
		}
		outcomes, err := reply.Outcomes(registering("A-1"))
		for _, o := range outcomes {
			if err != nil || o.State != Accepted && o.State != AcceptedWithErrors && o.State != Rejected {
				t.Errorf("%+v %v", o, err)
			}
		}
	})
}
