package taxoffice

import (
	"encoding/xml"
	"fmt"
	"io"
	"log"
	"strings"

	"github.com/einvoiced/einvoiced/core/verifactu"
)

// discard is a log for what broken handshakes leave.
func discard() *log.Logger { return log.New(io.Discard, "", 0) }

// The namespaces of answers.
const (
	schemas  = "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws/"
	envStart = `<?xml version="1.0" encoding="UTF-8"?><env:Envelope xmlns:env="http://schemas.xmlsoap.org/soap/envelope/"><env:Header/><env:Body>`
	envEnd   = "</env:Body></env:Envelope>"
)

func envelope(body string) string { return envStart + body + envEnd }

// answer registers a batch and answers it (RespuestaRegFactuSistemaFacturacion, in the order of RespuestaSuministro.xsd).
func (o *Office) answer(batch *verifactu.Batch, b Behaviour) string {
	var lines strings.Builder
	good := 0
	for i, r := range batch.Records {
		state, more := o.register(r, b, i)
		if state == "Correcto" {
			good++
		}
		operation := "Alta"
		if r.Cancels {
			operation = "Anulacion"
		}
		fmt.Fprintf(&lines, "<sfR:RespuestaLinea><sfR:IDFactura><sf:IDEmisorFactura>%s</sf:IDEmisorFactura><sf:NumSerieFactura>%s</sf:NumSerieFactura>"+
			"<sf:FechaExpedicionFactura>%s</sf:FechaExpedicionFactura></sfR:IDFactura><sfR:Operacion><sf:TipoOperacion>%s</sf:TipoOperacion></sfR:Operacion>"+
			"<sfR:EstadoRegistro>%s</sfR:EstadoRegistro>%s</sfR:RespuestaLinea>", r.Invoice.Issuer, escaped(r.Invoice.Number), r.Invoice.Date, operation, state, more)
	}
	state := "ParcialmenteCorrecto"
	switch {
	case good == len(batch.Records):
		state = "Correcto"
	case b == Rejected:
		state = "Incorrecto"
	}
	return envelope(fmt.Sprintf(`<sfR:RespuestaRegFactuSistemaFacturacion xmlns:sfR="%sRespuestaSuministro.xsd" xmlns:sf="%sSuministroInformacion.xsd"><sfR:CSV>A-%d</sfR:CSV>`+
		"<sfR:DatosPresentacion><sf:NIFPresentador>B12345674</sf:NIFPresentador><sf:TimestampPresentacion>2026-06-30T10:00:00+02:00</sf:TimestampPresentacion></sfR:DatosPresentacion>"+
		"<sfR:Cabecera><sf:ObligadoEmision><sf:NombreRazon>%s</sf:NombreRazon><sf:NIF>%s</sf:NIF></sf:ObligadoEmision></sfR:Cabecera>"+
		"<sfR:TiempoEsperaEnvio>%d</sfR:TiempoEsperaEnvio><sfR:EstadoEnvio>%s</sfR:EstadoEnvio>%s</sfR:RespuestaRegFactuSistemaFacturacion>",
		schemas, schemas, len(o.batches), escaped(batch.Issuer.Name), batch.Issuer.NIF, o.Wait, state, lines.String()))
}

// register gives the state of a record, and the elements that tell why.
func (o *Office) register(r *verifactu.Record, b Behaviour, i int) (state, more string) {
	key := fmt.Sprintf("%v %+v", r.Cancels, r.Invoice)
	if _, known := o.registered[key]; known {
		return "Incorrecto", told("3000", "The record is registered already") + "<sfR:RegistroDuplicado><sf:IdPeticionRegistroDuplicado>P-1</sf:IdPeticionRegistroDuplicado>" +
			"<sf:EstadoRegistroDuplicado>Correcta</sf:EstadoRegistroDuplicado></sfR:RegistroDuplicado>"
	}
	switch {
	case b == Rejected, b == Partly && i%3 == 2:
		return "Incorrecto", told("1109", "The NIF is not in the census")
	case b == Partly && i%3 == 1:
		state, more = "AceptadoConErrores", told("2005", "ImporteTotal differs")
	default:
		state = "Correcto"
	}
	o.registered[key] = r.Hash
	return state, more
}

func told(code, message string) string {
	return "<sfR:CodigoErrorRegistro>" + code + "</sfR:CodigoErrorRegistro><sfR:DescripcionErrorRegistro>" + message + "</sfR:DescripcionErrorRegistro>"
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder does not fail
	return b.String()
}
