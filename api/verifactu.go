package api

import (
	"errors"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/qrcode"
	"github.com/einvoiced/einvoiced/core/verifactu"
	"github.com/einvoiced/einvoiced/storage/account"
)

var verifactuRoutes = []route{
	{"verifactuDeclaration", http.MethodGet, "/api/v1/verifactu/declaracion", readVerifactu, (*Server).verifactuDeclaration},
	{"verifactuExport", http.MethodGet, "/api/v1/verifactu/chain/{vatId}/export", readVerifactu, (*Server).verifactuExport},
	{"verifactuCancel", http.MethodPost, "/api/v1/verifactu/cancel", writeVerifactu, (*Server).verifactuCancel},
	{"verifactuQR", http.MethodPost, "/api/v1/invoice/es/verifactu-qr", readVerifactu, (*Server).verifactuQR},
}

var (
	readVerifactu  = administer("verifactu:read")
	writeVerifactu = administer("verifactu:write")
)

// invalidRequest is the word of the QR route for input that is not valid (contract, error codes).
const invalidRequest = "INVALID_REQUEST"

// How large codes are drawn: 40 mm with the quiet zone, of which the modules take more than 30, and eight pixels for a module.
const (
	qrMillimetres = 40
	qrPixels      = 8
)

// qrRequest is what the QR code of a Spanish invoice is asked for with.
type qrRequest struct {
	SellerNIF     string         `json:"sellerNif"`
	InvoiceSeries string         `json:"invoiceSeries"`
	InvoiceNumber string         `json:"invoiceNumber"`
	InvoiceDate   string         `json:"invoiceDate"`
	Total         jsontext.Value `json:"total"`
	VerifactuMode *bool          `json:"verifactuMode"`
}

// qrView is the QR code of an invoice.
type qrView struct {
	URL string `json:"url"`
	PNG []byte `json:"png"`
	SVG string `json:"svg"`
}

// verifactuQR is POST /api/v1/invoice/es/verifactu-qr.
func (s *Server) verifactuQR(c *call) (*answer, error) {
	var body qrRequest
	if err := s.readMembers(c, &body); err != nil {
		return nil, invalid(err)
	}
	in := verifactu.QRInput{SellerNIF: body.SellerNIF, Series: body.InvoiceSeries, Number: body.InvoiceNumber, Date: body.InvoiceDate,
		VerifactuMode: body.VerifactuMode == nil || *body.VerifactuMode, Test: c.key.Mode == account.Test}
	in.Total, _ = decimal.ParseJSON(body.Total) // what is no number is missing, and told so
	code, wrong := verifactu.NewQR(in)
	if len(wrong) > 0 {
		return nil, invalid(&finding.Refusal{Kind: finding.BadRequest, Message: wrong[0].Message, Field: wrong[0].Field, Errors: wrong})
	}
	view, err := drawn(code.URL())
	if err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, view), nil
}

// drawn is the code that holds an address.
func drawn(url string) (*qrView, error) {
	code, err := qrcode.Encode(url, "M")
	if err != nil {
		return nil, err
	}
	picture, err := code.PNG(qrPixels)
	if err != nil {
		return nil, err
	}
	return &qrView{URL: url, PNG: picture, SVG: code.SVG(qrMillimetres)}, nil
}

// invalid gives a 400 the word of the QR route.
func invalid(err error) error {
	refusal, ok := errors.AsType[*finding.Refusal](err)
	if !ok || refusal.Kind != finding.BadRequest {
		return err
	}
	worded := *refusal
	worded.Word, worded.Code = invalidRequest, invalidRequest
	return &worded
}

// verifactuDeclaration is GET /api/v1/verifactu/declaracion.
func (s *Server) verifactuDeclaration(c *call) (*answer, error) {
	installed := s.Registrar.Installation
	if installed == nil {
		return nil, operation.NoVeriFactu
	}
	if !wants(c.r.Header, "application/pdf") {
		return jsonAnswer(http.StatusOK, installed.Declaration()), nil
	}
	pages, err := s.Operations.PrintDeclaration(c.r.Context())
	if err != nil {
		return nil, err
	}
	return documentAnswer(pages.Filename, pages.MimeType, pages.Hash, pages.Data), nil
}
