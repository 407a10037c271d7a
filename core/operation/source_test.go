package operation

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/internal/pdfmaker"
)

// carried is a PDF that carries a document.
func carried(document []byte) []byte {
	return pdfmaker.PDF{Files: []pdfmaker.File{{Name: "xrechnung.xml", Data: document}}}.Bytes()
}

// TestPDFIsReadAsWhatItCarries ensures that a PDF gives the invoice, the detection and the verdict of the XML inside, and says so.
func TestPDFIsReadAsWhatItCarries(t *testing.T) {
	s := newService(t)
	ctx := context.Background()
	xml := document(t, "xrechnung-skonto.xml")
	pdf := carried(xml)
	bare, err := s.Parse(ctx, ParseRequest{Document: xml})
	if err != nil {
		t.Fatal(err)
	}
	for _, req := range []ParseRequest{{Document: pdf}, {Country: "DE", Format: "xrechnung", Document: pdf}} {
		a, err := s.Parse(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		if a.Format != bare.Format || a.Invoice.InvoiceNumber != bare.Invoice.InvoiceNumber || a.Hash == bare.Hash {
			t.Errorf("%s %s %s", a.Format, a.Invoice.InvoiceNumber, a.Hash)
		}
		if len(a.Infos) != 2 || a.Infos[1].Code != "SPECIFICATION" || a.Infos[0].Code != "EXTRACTED_FROM_PDF" || !strings.Contains(a.Infos[0].Message, "xrechnung.xml") {
			t.Errorf("infos %+v", a.Infos)
		}
	}
	opened := s.Open(ctx, pdf)
	defer opened.Release()
	if opened.Err != nil || opened.Detection.Format != bare.Format {
		t.Errorf("%+v", opened)
	}
	inside, err := Extract(ctx, pdf)
	if err != nil || inside.Name != "xrechnung.xml" || !bytes.Equal(inside.XML, xml) {
		t.Errorf("%+v, %v", inside, err)
	}
	v, err := s.Validate(ctx, ValidateRequest{Country: "de", Document: pdf})
	if err != nil {
		t.Fatal(err)
	}
	if v.Carrier == nil || v.Carrier.PDFA3Declared || len(v.Carrier.Checks) == 0 || len(v.Carrier.Warnings) != 1 || v.Detection.Format != bare.Format {
		t.Errorf("%+v of %+v", v.Carrier, v.Detection)
	}
	if v, err = s.Validate(ctx, ValidateRequest{Country: "de", Document: xml}); err != nil || v.Carrier != nil {
		t.Errorf("of XML: %+v, %v", v.Carrier, err)
	}
}

// TestCarrier_IsNotToldOfWhatTheContextKeptFromBeingSeen ensures that whoever has no more time gets no verdict of half a PDF.
func TestCarrier_IsNotToldOfWhatTheContextKeptFromBeingSeen(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	source, err := newService(t).judgedSource(ctx, carried(document(t, "xrechnung-skonto.xml")))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if c, err := source.carrier(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestPDFWithoutInvoice has a row for each way in which a PDF is none: parse answers 422, validate 400.
func TestPDFWithoutInvoice(t *testing.T) {
	s := newService(t)
	ctx := context.Background()
	for name, row := range map[string]struct{ document, says string }{
		"no PDF":       {"%PDF-1.7", "damaged"},
		"no files":     {string(pdfmaker.PDF{}.Bytes()), "no file is embedded"},
		"no XML":       {string(carried([]byte("hello"))), "xrechnung.xml in the PDF cannot be read: line 1"},
		"XML with DTD": {string(carried([]byte("<!DOCTYPE a><a/>"))), "DOCTYPE"},
	} {
		_, parsed := s.Parse(ctx, ParseRequest{Document: []byte(row.document)})
		_, explicit := s.Parse(ctx, ParseRequest{Country: "de", Format: "xrechnung", Document: []byte(row.document)})
		opened := s.Open(ctx, []byte(row.document))
		opened.Release()
		_, judged := s.Validate(ctx, ValidateRequest{Country: "de", Document: []byte(row.document)})
		for _, err := range []error{parsed, explicit, opened.Err, judged} {
			var r *finding.Refusal
			kind := finding.Unprocessable
			if err == judged {
				kind = finding.BadRequest
			}
			if !errors.As(err, &r) || r.Kind != kind || !strings.Contains(r.Message, row.says) || r.Field != "data" {
				t.Errorf("%s: %+v", name, err)
			}
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := s.Parse(cancelled, ParseRequest{Document: carried([]byte("<a/>"))}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// TestPDFTellsTheHybrid ensures that the carrier makes an invoice with the identifier of the standard alone ZUGFeRD or Factur-X, by its seller.
func TestPDFTellsTheHybrid(t *testing.T) {
	const cii = `<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
	 xmlns:ram="urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"><rsm:ExchangedDocumentContext>
	 <ram:GuidelineSpecifiedDocumentContextParameter><ram:ID>GUIDELINE</ram:ID></ram:GuidelineSpecifiedDocumentContextParameter></rsm:ExchangedDocumentContext>
	 <rsm:SupplyChainTradeTransaction><ram:ApplicableHeaderTradeAgreement><ram:SellerTradeParty><ram:PostalTradeAddress><ram:CountryID>SELLER</ram:CountryID>
	 </ram:PostalTradeAddress></ram:SellerTradeParty></ram:ApplicableHeaderTradeAgreement></rsm:SupplyChainTradeTransaction></rsm:CrossIndustryInvoice>`
	s := newService(t)
	for _, row := range []struct{ guideline, seller, inside, alone string }{
		{"urn:cen.eu:en16931:2017", "DE", "ZUGFERD_EN16931", "CII"},
		{"urn:cen.eu:en16931:2017", "BE", "FACTURX_EN16931", "CII"},
		{"urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic", "FR", "FACTURX_BASIC", "FACTURX_BASIC"},
		{"urn:cen.eu:en16931:2017:compliant:factur-x.eu:1p0:basic", "FR", "FACTURX_BASIC", "FACTURX_BASIC"},
		{"urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0", "DE", "XRECHNUNG_CII", "XRECHNUNG_CII"},
	} {
		xml := []byte(strings.NewReplacer("GUIDELINE", row.guideline, "SELLER", row.seller).Replace(cii))
		for want, document := range map[string][]byte{row.inside + " in a PDF": carried(xml), row.alone: xml} {
			a, err := s.Validate(context.Background(), ValidateRequest{Country: row.seller, Document: document})
			if err != nil {
				t.Fatal(err)
			}
			if format, _, _ := strings.Cut(want, " "); a.Detection.Format != format || *a.Detection.CountryCode != row.seller {
				t.Errorf("%s of %s: %+v, want %s", row.guideline, row.seller, a.Detection, want)
			}
		}
	}
}
