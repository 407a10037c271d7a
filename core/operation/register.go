package operation

import (
	"context"
	"fmt"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/core/validate"
	"github.com/einvoiced/einvoiced/core/verifactu"
)

// NoVeriFactu is the 409 of a service that makes no records of invoices.
var NoVeriFactu = &finding.Refusal{Kind: finding.Conflict, Word: "Conflict", Code: "VERIFACTU_NOT_CONFIGURED",
	Message: "VeriFactu is not configured: the service needs --verifactu (EINVOICED_VERIFACTU), a file that names the producer and the installation, and it keeps the chain of records"}

// registerField is the member that asks for a record.
const registerField = "countrySpecific.verifactu"

// register makes the record of a Spanish invoice that asks for one, and judges it. The Refusal is 409 where nobody makes records, and 422 for an invoice
// that no record can be made of, or one that the tax office would refuse.
func (s *Service) register(ctx context.Context, req GenerateRequest, country format.Country, body *decoded) error {
	keys := body.Invoice.CountrySpecific
	if country.Code != "ES" || keys == nil || keys.VeriFactu == nil || !*keys.VeriFactu {
		return nil
	}
	if s.cfg.VeriFactu == nil {
		refusal := *NoVeriFactu
		refusal.Field = registerField
		return &refusal
	}
	record, wrong := verifactu.FromInvoice(body.Invoice)
	if len(wrong) > 0 {
		return notCompliant(wrong, wrong)
	}
	judged, err := s.judgeRecord(ctx, record)
	if err != nil {
		return err
	}
	if len(judged.Errors) > 0 {
		return notCompliant(judged.Errors, judged.Compliance)
	}
	body.record = record
	body.look.verifactu = record.QR(!req.Live).URL()
	body.warnings = append(body.warnings, judged.Warnings...)
	for _, gap := range judged.gaps {
		body.warnings = append(body.warnings, finding.Finding{Code: finding.SelfCheckIncomplete, Field: registerField,
			Message: "the record of the invoice was not checked in full: " + gap})
	}
	if req.Live && !s.cfg.VeriFactu.Sends(true) {
		body.warnings = append(body.warnings, finding.Finding{Code: finding.VeriFactuNotSent, Field: registerField,
			Message: "the record of the invoice stands in the chain as pending: this service does not send records to the tax office"})
	}
	return nil
}

// judgeRecord judges a record as it would stand at the beginning of a chain, now. Its place in the chain is known only in the
// transaction that appends it.
func (s *Service) judgeRecord(ctx context.Context, record *verifactu.Record) (*checked, error) {
	sealed := *record
	sealed.Seal(s.cfg.VeriFactu.System(), nil, verifactu.Moment(s.cfg.Now()))
	text, err := sealed.XML()
	if err != nil {
		return nil, badRequest(registerField, "%s: a text of the invoice has a character that XML does not allow", registerField)
	}
	doc, err := s.parser.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read the record: %w", err)
	}
	defer doc.Release()
	root := doc.Root()
	kind := rulebook.Kind{Root: xmltree.Name{Space: doc.Namespace(root), Local: doc.Local(root)}}
	report, c, err := s.session(ctx, "", false).judge(ctx, doc, kind, true)
	if err != nil {
		return nil, err
	}
	c.Entries = report.Entries(recordPlacer{doc}, false)
	return c, nil
}

// recordPlacer names the members of the invoice that elements of its record are made of.
type recordPlacer struct{ doc *xmltree.Document }

// madeOf are the members that elements of a record are made of. What is not here is made of several, or of none.
var madeOf = map[string]string{
	"IDEmisorFactura": "seller.vatId", "NumSerieFactura": "invoiceNumber", "FechaExpedicionFactura": "issueDate", "NombreRazonEmisor": "seller.name",
	"TipoFactura": "countrySpecific.invoiceType", "TipoRectificativa": "countrySpecific.correctionMethod", "ImporteRectificacion": "countrySpecific.national",
	"FechaOperacion": "deliveryDate", "DescripcionOperacion": "items[0].description", "Destinatarios": "buyer.vatId", "IDDestinatario": "buyer.vatId",
	"FacturasRectificadas": "referencedInvoices", "FacturasSustituidas": "referencedInvoices", "Desglose": "taxSummary", "CuotaTotal": "taxSummary", "ImporteTotal": "total",
	"ClaveRegimen": "countrySpecific.regimeKey", "CalificacionOperacion": "countrySpecific.operationQualifier", "OperacionExenta": "countrySpecific.operationQualifier",
}

// ofDetail are the members of an entry of the tax summary.
var ofDetail = map[string]string{
	"TipoImpositivo": "taxRate", "BaseImponibleOimporteNoSujeto": "netAmount", "CuotaRepercutida": "taxAmount", "DetalleDesglose": "",
}

// ofWhole are the members that checks of a whole record are about.
var ofWhole = map[string]string{
	"1105": "issueDate", "1112": "issueDate", "1152": "issueDate", "1146": "deliveryDate", "1114": "countrySpecific.invoiceType", "1115": "countrySpecific.invoiceType",
	"1116": "countrySpecific.invoiceType", "1117": "countrySpecific.invoiceType", "1118": "countrySpecific.national", "1119": "countrySpecific.national",
	"1150": "buyer.vatId", "1189": "buyer.vatId", "1190": "buyer.vatId", "1289": "buyer.vatId", "2005": "total", "2006": "taxSummary",
}

// Place implements validate.Placer.
func (p recordPlacer) Place(f *validate.Finding) (field, message string, at finding.Place) {
	if member := ofWhole[f.Rule]; member != "" {
		return member, f.Message, at
	}
	for n := f.Node; n != xmltree.None && n != p.doc.Root() && p.doc.Kind(n) != xmltree.KindDocument; n = p.doc.Parent(n) {
		if member, known := ofDetail[p.doc.Local(n)]; known {
			return p.detail(n, member), f.Message, at
		}
		if member := madeOf[p.doc.Local(n)]; member != "" {
			return member, f.Message, at
		}
	}
	return registerField, f.Message, at
}

// detail is the place of an entry of the tax summary, or of a member of it.
func (p recordPlacer) detail(n xmltree.Node, member string) string {
	if p.doc.Local(n) != "DetalleDesglose" {
		n = p.doc.Parent(n)
	}
	index := 0
	for before := p.doc.PrevSibling(n); before != xmltree.None; before = p.doc.PrevSibling(before) {
		if p.doc.Kind(before) == xmltree.KindElement {
			index++
		}
	}
	return strings.TrimSuffix(fmt.Sprintf("taxSummary[%d].%s", index, member), ".")
}
