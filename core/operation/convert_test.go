package operation

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// yes and no are what options that are told point to.
var yes, no = true, false

// sample is a document of testdata.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// inCII are the options of a conversion into a profile of ZUGFeRD.
func inCII(profile string) invoice.ConvertBody {
	return invoice.ConvertBody{TargetFormat: "zugferd", FormatOptions: &invoice.FormatOptions{Output: outputXML, Profile: profile}}
}

// TestConvert_ListsEveryLoss ensures that each term which the profile BASIC has no place for is told with its term, its place in the source and
// the reason, each entry of a list by itself.
func TestConvert_ListsEveryLoss(t *testing.T) {
	s := shippedService(t, "2026-09-01")
	options := inCII("BASIC")
	options.Validate = &no // BASIC has no rounding amount (BT-114), so that the sums are not right
	answer, err := s.Convert(t.Context(), ConvertRequest{Document: sample(t, "xrechnung-ubl/full.xml"), Options: options})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct{ term, field, member string }{
		{"BT-41", "/Invoice/cac:AccountingSupplierParty/cac:Party/cac:Contact/cbc:Name", "seller.contact.name"},
		{"BT-33", "/Invoice/cac:AccountingSupplierParty/cac:Party/cac:PartyLegalEntity/cbc:CompanyLegalForm", "seller.legalInformation"},
		{"BT-158-1", "/Invoice/cac:InvoiceLine[1]/cac:Item/cac:CommodityClassification[2]/cbc:ItemClassificationCode/@listID", "items[0].classification[1].schemeId"},
		{"BT-155", "/Invoice/cac:InvoiceLine[2]/cac:Item/cac:SellersItemIdentification/cbc:ID", "items[1].articleNumber"},
	} {
		if !slices.ContainsFunc(answer.ConversionWarnings, func(w finding.Finding) bool {
			return w.Code == finding.FieldNotWritten && w.Field == want.field && strings.HasPrefix(w.Message, want.term+" at "+want.field+" (line ") &&
				strings.Contains(w.Message, ", "+want.member+", is not carried: ZUGFeRD 2.4 BASIC has no place for it")
		}) {
			t.Errorf("%s is not told: %+v", want.term, answer.ConversionWarnings)
		}
	}
	if answer.AppliedFormatOptions != (AppliedFormatOptions{Version: "2.4", Profile: "BASIC"}) || answer.SourceFormat != "xrechnung" || answer.Detection.Format != "XRECHNUNG_UBL" ||
		answer.MimeType != "application/xml" {
		t.Errorf("%+v", answer)
	}
	for _, w := range answer.Warnings {
		if w.Code == finding.FieldNotWritten {
			t.Errorf("told as a warning, too: %+v", w)
		}
	}
	again, err := s.Convert(t.Context(), ConvertRequest{Document: sample(t, "xrechnung-ubl/full.xml"), Options: options})
	if err != nil || !bytes.Equal(again.Data, answer.Data) {
		t.Errorf("not the same bytes: %v", err)
	}
}

// TestConvert_IntoTheNetwork ensures that a document with e-mail addresses or the process of another specification becomes one that Peppol
// delivers: parties are known by their VAT identifiers, the process is the target's, and what is left out is told with its place.
func TestConvert_IntoTheNetwork(t *testing.T) {
	s := shippedService(t, "2026-09-01")
	french, err := s.Generate(t.Context(), GenerateRequest{Country: "fr", Format: "facturx", Body: withOptions(t, ciiFolder, "french", `{"output":"xml"}`)})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	const process = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"
	for _, c := range []struct {
		name, target, country string
		document              []byte
		told                  []string // terms
		want                  []string // in the result
	}{
		{"Factur-X with e-mail addresses", "ubl", "FR", french.Data, []string{"BT-34", "BT-34-1", "BT-49", "BT-49-1"},
			[]string{`<cbc:EndpointID schemeID="9957">FR40303265045</cbc:EndpointID>`, `<cbc:EndpointID schemeID="9957">FR83404833048</cbc:EndpointID>`}},
		{"Peppol BIS into PINT", "ubl", "AU", sample(t, "ubl/be/invoice.xml"), []string{"BT-23"}, []string{"<cbc:ProfileID>urn:peppol:bis:billing</cbc:ProfileID>"}},
		{"PINT into Peppol BIS", "ubl", "BE", sample(t, "ubl/nz/invoice.xml"), []string{"BT-23"}, []string{"<cbc:ProfileID>" + process + "</cbc:ProfileID>"}},
	} {
		answer, err := s.Convert(t.Context(), ConvertRequest{Document: c.document, Options: invoice.ConvertBody{TargetFormat: c.target, TargetCountry: c.country, Validate: &no}})
		if err != nil {
			t.Errorf("%s: %s", c.name, refusalOf(err))
			continue
		}
		for _, want := range c.want {
			if !bytes.Contains(answer.Data, []byte(want)) {
				t.Errorf("%s: %s is not in %s", c.name, want, answer.Data)
			}
		}
		for _, term := range c.told {
			if !slices.ContainsFunc(answer.ConversionWarnings, func(w finding.Finding) bool {
				return w.Code == finding.FieldNotWritten && strings.HasPrefix(w.Message, term+" at /") && strings.Contains(w.Message, "is not carried")
			}) {
				t.Errorf("%s: %s is not told: %+v", c.name, term, answer.ConversionWarnings)
			}
		}
	}
}

// TestConvert_ChoosesTheSpecification ensures that a conversion writes the specification that generate does, where a token has several: that of
// self-billing, and NLCIUS between Dutch parties, with the type code of the source.
func TestConvert_ChoosesTheSpecification(t *testing.T) {
	s := shippedService(t, "2026-09-01")
	for _, c := range []struct{ source, country, format, want string }{
		{"ubl/be/self-billed.xml", "BE", "ubl", "poacc:selfbilling:3.0 389"},
		{"ubl/be/self-billed-credit.xml", "BE", "ubl", "poacc:selfbilling:3.0 261"},
		{"xrechnung-ubl/self-billed.xml", "FR", "ubl", "poacc:selfbilling:3.0 389"},
		{"ubl/ae-sb/invoice.xml", "AE", "ubl", "selfbilling-1@ae-1 389"},
		{"ubl/jp-ntr/invoice.xml", "JP", "ubl", "nontaxinvoice-1@jp-1 480"},
		{"ubl/nl/invoice.xml", "NL", "ubl", "nlcius:v1.0 380"},
		{"ubl/be/invoice.xml", "NL", "ubl", "poacc:billing:3.0 380"},
	} {
		answer, err := s.Convert(t.Context(), ConvertRequest{Document: sample(t, c.source), Options: invoice.ConvertBody{TargetFormat: c.format, TargetCountry: c.country}})
		if err != nil {
			t.Errorf("%s to %s: %s", c.source, c.country, refusalOf(err))
			continue
		}
		specification, code, _ := strings.Cut(c.want, " ")
		if text := string(answer.Data); !strings.Contains(text, specification+"</cbc:CustomizationID>") || !strings.Contains(text, "TypeCode>"+code+"<") && !strings.Contains(text, `">`+code+"</cbc:InvoiceTypeCode>") {
			t.Errorf("%s to %s is not %s:\n%.900s", c.source, c.country, c.want, text)
		}
	}
}

// TestConvert_NamesWhatStepsLeaveOut ensures the place of what a step leaves out, which is another entry of the list there than in the
// invoice that was read.
func TestConvert_NamesWhatStepsLeaveOut(t *testing.T) {
	answer, err := newService(t).Convert(t.Context(), ConvertRequest{Document: sample(t, "xrechnung-ubl/full.xml"),
		Options: invoice.ConvertBody{TargetFormat: "xrechnung", FormatOptions: &invoice.FormatOptions{Syntax: "cii"}, Validate: &no}})
	if err != nil || len(answer.ConversionWarnings) != 1 {
		t.Fatalf("%v %+v", err, answer)
	}
	w := answer.ConversionWarnings[0]
	if w.Field != "/Invoice/cac:BillingReference[2]/cac:InvoiceDocumentReference/cbc:ID" || !strings.HasPrefix(w.Message, "BT-25 at /Invoice/cac:BillingReference[2]/") {
		t.Errorf("%+v", w)
	}
	if len(answer.Warnings) != 1 || answer.Warnings[0].Code != finding.SelfCheckIncomplete || !strings.Contains(answer.Warnings[0].Message, "validate is false") {
		t.Errorf("%+v", answer.Warnings)
	}
}

// TestConvert_ListsWhatIsWritten ensures that who asks for a format that nothing writes is told those that something writes, and that the
// list of sources has the formats that are only read as well.
func TestConvert_ListsWhatIsWritten(t *testing.T) {
	s := newService(t)
	goods := sample(t, "xrechnung-ubl/goods.xml")
	written := "these are written: ebinterface, facturae, facturx, fatturapa, isdoc, ksef, mydata, nav, pdf, peppol-ubl, qr-bill, ubl, xrechnung, zugferd"
	for _, c := range []struct {
		options invoice.ConvertBody
		want    string
	}{
		{invoice.ConvertBody{TargetFormat: "edifact"}, `targetFormat "edifact" is no format; ` + written},
		{invoice.ConvertBody{TargetFormat: "cii"}, `targetFormat "cii": CII is read and judged only; ` + written},
		{invoice.ConvertBody{TargetFormat: "hr-fisk", TargetCountry: "HR"}, `targetFormat "hr-fisk" of Croatia is not written; these are: pdf, ubl`},
		{invoice.ConvertBody{TargetFormat: "xrechnung", SourceFormat: "fatturapa"}, "data: the document is XRECHNUNG_UBL of Germany, not FatturaPA"},
		{invoice.ConvertBody{TargetFormat: "xrechnung", SourceFormat: "edifact"}, `sourceFormat "edifact" is no format; these are: cii, ebinterface, efactura, facturae, ` +
			"facturx, fatturapa, hr-fisk, isdoc, ksef, mydata, nav, pdf, peppol-ubl, qr-bill, ubl, xrechnung, zugferd"},
	} {
		_, err := s.Convert(t.Context(), ConvertRequest{Document: goods, Options: c.options})
		if r, ok := errors.AsType[*finding.Refusal](err); !ok || r.Message != c.want {
			t.Errorf("%+v: %v", c.options, err)
		}
	}
}

// TestConvert_Refuses has requests that cannot be meant, documents that cannot be read and invoices that the target does not take.
func TestConvert_Refuses(t *testing.T) {
	s := shippedService(t, "2026-09-01")
	goods := sample(t, "xrechnung-ubl/goods.xml")
	one := 1
	into := func(format string) invoice.ConvertBody { return invoice.ConvertBody{TargetFormat: format} }
	nobody := []byte(strings.NewReplacer("<cbc:Telephone>", "<cbc:Telefax>", "</cbc:Telephone>", "</cbc:Telefax>").Replace(string(goods)))
	for name, c := range map[string]struct {
		document    []byte
		options     invoice.ConvertBody
		most        int
		kind        finding.Kind
		code, field string
	}{
		"no target":                     {goods, invoice.ConvertBody{}, 0, finding.BadRequest, "", "targetFormat"},
		"an unknown target":             {goods, into("edifact"), 0, finding.BadRequest, "", "targetFormat"},
		"a target that is read only":    {goods, into("cii"), 0, finding.BadRequest, "", "targetFormat"},
		"a target that is judged only":  {goods, invoice.ConvertBody{TargetFormat: "hr-fisk", TargetCountry: "HR"}, 0, finding.BadRequest, "", "targetFormat"},
		"a judged target without place": {goods, into("hr-fisk"), 0, finding.BadRequest, "", "targetFormat"},
		"a source format of elsewhere":  {goods, invoice.ConvertBody{TargetFormat: "xrechnung", SourceFormat: "fatturapa"}, 0, finding.BadRequest, "", "data"},
		"a target of another country":   {goods, invoice.ConvertBody{TargetFormat: "xrechnung", TargetCountry: "AT"}, 0, finding.BadRequest, "", "targetFormat"},
		"a country that is not served":  {goods, invoice.ConvertBody{TargetFormat: "xrechnung", TargetCountry: "US"}, 0, finding.BadRequest, "", "targetCountry"},
		"a seller without the target":   {goods, into("facturx"), 0, finding.BadRequest, "", "targetCountry"},
		"a language without words":      {goods, invoice.ConvertBody{TargetFormat: "zugferd", FormatOptions: &invoice.FormatOptions{Language: "tlh"}}, 0, finding.BadRequest, "", "formatOptions.language"},
		"more lines than a page has":    {manyLines(maxPrinted + 1), invoice.ConvertBody{TargetFormat: "pdf", TargetCountry: "DE"}, 0, finding.BadRequest, "", "data"},
		"a profile that there is not":   {goods, inCII("MINIMUM"), 0, finding.BadRequest, finding.UnsupportedFormatProfile, "formatOptions.profile"},
		"another invoice of the file":   {goods, invoice.ConvertBody{TargetFormat: "xrechnung", Index: &one}, 0, finding.BadRequest, "", "index"},
		"a source of another format":    {goods, invoice.ConvertBody{TargetFormat: "xrechnung", SourceCountry: "DE", SourceFormat: "cii"}, 0, finding.BadRequest, "", "data"},
		"a source format of nobody":     {goods, invoice.ConvertBody{TargetFormat: "xrechnung", SourceFormat: "x"}, 0, finding.BadRequest, "", "sourceFormat"},
		"more lines than allowed":       {sample(t, "xrechnung-ubl/lines-25.xml"), into("xrechnung"), 24, finding.BadRequest, finding.TooManyLineItems, "data"},
		"no XML":                        {[]byte("hello"), into("xrechnung"), 0, finding.BadRequest, finding.FormatNotDetected, "data"},
		"no invoice":                    {[]byte("<a/>"), into("xrechnung"), 0, finding.BadRequest, finding.FormatNotDetected, "data"},
		"cut off":                       {goods[:len(goods)-9], into("xrechnung"), 0, finding.Unprocessable, finding.ParseFailed, "data"},
		"what the rules do not let out": {nobody, into("xrechnung"), 0, finding.Unprocessable, finding.ConversionFailed, "seller.contact.phone"},
	} {
		_, err := s.Convert(t.Context(), ConvertRequest{Document: c.document, Options: c.options, MaxItems: c.most})
		r, ok := errors.AsType[*finding.Refusal](err)
		if !ok || r.Kind != c.kind || c.code != "" && r.Code != c.code || r.Field != c.field || !strings.Contains(r.Message, strings.Split(c.field, ".")[0]) && r.Message != "Country US is not supported" {
			t.Errorf("%s: %+v", name, err)
			continue
		}
		has := func(member string) bool {
			return slices.ContainsFunc(r.Extra, func(e finding.Extra) bool { return e.Name == member })
		}
		if has("detection") != (c.code == finding.FormatNotDetected) || has("complianceErrors") != (c.code == finding.ConversionFailed) || has("conversionWarnings") != has("complianceErrors") {
			t.Errorf("%s: %+v", name, r.Extra)
		}
	}
}

// TestConvert_SaysWhereARuleFindsTheSource ensures that an error leads back into the document that was sent.
func TestConvert_SaysWhereARuleFindsTheSource(t *testing.T) {
	goods := string(sample(t, "xrechnung-ubl/goods.xml"))
	wrong := strings.Replace(goods, `unitCode="C62"`, `unitCode="crate"`, 1)
	if wrong == goods {
		t.Fatal("the sample has no such unit")
	}
	_, err := shippedService(t, "2026-09-01").Convert(t.Context(), ConvertRequest{Document: []byte(wrong), Options: inCII("")})
	r, ok := errors.AsType[*finding.Refusal](err)
	if !ok || r.Code != finding.ConversionFailed || !strings.Contains(r.Errors[0].Message, "(in the source: /Invoice/cac:InvoiceLine") || !strings.HasPrefix(r.Errors[0].Field, "items[0].") {
		t.Errorf("%+v", r)
	}
}

// TestConvert_AttachesTheSource ensures that the source is carried where the target has such attachments, byte for byte, and that the
// caller hears where it is not.
func TestConvert_AttachesTheSource(t *testing.T) {
	s := shippedService(t, "2026-09-01")
	goods, extension := sample(t, "xrechnung-ubl/goods.xml"), sample(t, "xrechnung-ubl/extension.xml")
	pdf := pdfmaker.PDF{Files: []pdfmaker.File{{Name: "factur-x.xml", Data: sample(t, "cii/zugferd-2.4-en16931/goods.xml")}}}.Bytes()
	for name, c := range map[string]struct {
		document []byte
		options  invoice.ConvertBody
		media    string // of the attachment; empty for none
	}{
		"XML into XRechnung":     {goods, invoice.ConvertBody{TargetFormat: "xrechnung"}, ""},
		"XML into its extension": {extension, invoice.ConvertBody{TargetFormat: "xrechnung"}, "application/xml"},
		"a PDF into XRechnung":   {pdf, invoice.ConvertBody{TargetFormat: "xrechnung"}, "application/pdf"},
		"a PDF into BASIC":       {pdf, inCII("BASIC"), ""},
	} {
		c.options.AttachSource = &yes
		answer, err := s.Convert(t.Context(), ConvertRequest{Document: c.document, Filename: "of mine.xml", Options: c.options})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		content := base64.StdEncoding.EncodeToString(c.document)
		attached := bytes.Contains(answer.Data, []byte(content)) && bytes.Contains(answer.Data, []byte(`mimeCode="`+c.media+`"`)) && bytes.Contains(answer.Data, []byte(`filename="of mine.xml"`))
		warned := slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool { return w.Field == "attachSource" })
		if attached != (c.media != "") || warned != (c.media == "") {
			t.Errorf("%s: attached %t, warnings %+v", name, attached, answer.Warnings)
		}
		if slices.ContainsFunc(answer.ConversionWarnings, func(w finding.Finding) bool { return strings.Contains(w.Message, "attachments[0]") }) {
			t.Errorf("%s: the attachment counts as a loss: %+v", name, answer.ConversionWarnings)
		}
	}
}

// FuzzConvert ensures that whatever is sent is converted or refused.
func FuzzConvert(f *testing.F) {
	s := newService(f)
	for _, name := range []string{"xrechnung-ubl/full.xml", "xrechnung-ubl/credit-note.xml", "xrechnung-ubl/extension.xml", "cii/zugferd-2.4-extended/full.xml"} {
		f.Add(sample(f, name), true)
		f.Add(sample(f, name), false)
	}
	f.Fuzz(func(t *testing.T, document []byte, ubl bool) {
		options := inCII("EXTENDED")
		options.TargetCountry, options.AttachSource = "DE", &yes
		if ubl {
			options = invoice.ConvertBody{TargetFormat: "xrechnung", AttachSource: &yes}
		}
		_, err := s.Convert(context.Background(), ConvertRequest{Document: document, Options: options})
		if _, refused := errors.AsType[*finding.Refusal](err); err != nil && !refused {
			t.Fatal(err)
		}
	})
}
