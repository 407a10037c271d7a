// Command client sends two invoices, and a document that is none, through the generated Go client and prints what it reads back.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"

	"example.com/shop/einvoiced"
)

type amounts struct{ price, net, tax, total float64 }

var invoices = []amounts{
	{25.00, 100.00, 19.00, 119.00},
	{25936300212.6775, 103745200850.71, 19711588161.63, 123456789012.34},
}

func invoice(a amounts) einvoiced.CompleteInvoice {
	seller := einvoiced.NewCompleteTrader("Weserhandel GmbH", "DE")
	seller.SetStreet("Am Speicher 4")
	seller.SetCity("Bremen")
	seller.SetPostalCode("28195")
	seller.SetVatId("DE123456789")
	seller.SetEmail("billing@weserhandel.example")
	seller.SetPhone("+49 421 000000")
	contact := einvoiced.NewContact()
	contact.SetName("Petra Harms")
	seller.SetContact(*contact)
	seller.SetBankAccount(*einvoiced.NewCompleteBankAccount("DE02120300000000202051"))
	buyer := einvoiced.NewCompleteTrader("Amt Nord", "DE")
	buyer.SetStreet("Fuldaufer 1")
	buyer.SetCity("Kassel")
	buyer.SetPostalCode("34117")
	buyer.SetEmail("intake@amt-nord.example")
	line := einvoiced.NewCompleteItem("Signal lamp", 4, "C62", a.price, a.net, a.tax)
	line.SetTaxRate(19)
	line.SetTaxCategoryCode("S")
	tax := einvoiced.NewCompleteTaxSummary(a.net, a.tax)
	tax.SetTaxRate(19)
	tax.SetTaxCategoryCode("S")
	inv := einvoiced.NewCompleteInvoice("2026-0117", einvoiced.DOCUMENTTYPE_INVOICE, "2026-03-02", "EUR", *seller, *buyer, a.net, a.total,
		[]einvoiced.CompleteTaxSummary{*tax}, []einvoiced.CompleteItem{*line})
	inv.SetDueDate("2026-04-01")
	inv.SetDeliveryDate("2026-02-27")
	inv.SetBuyerReference("04011000-12345-03")
	inv.SetPaymentMethods([]einvoiced.CompletePaymentMethod{*einvoiced.NewCompletePaymentMethod(einvoiced.PAYMENTMETHODTYPE_CREDIT_TRANSFER)})
	return *inv
}

type result struct {
	Document string   `json:"document"`
	Hash     string   `json:"hash"`
	Issued   string   `json:"issued"`
	Amounts  []string `json:"amounts"`
}

func main() {
	configuration := einvoiced.NewConfiguration()
	configuration.Servers = einvoiced.ServerConfigurations{{URL: os.Getenv("URL")}}
	client := einvoiced.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), einvoiced.ContextAccessToken, os.Getenv("KEY"))
	var results []result
	for _, a := range invoices {
		r, err := send(ctx, client, invoice(a))
		if err != nil {
			log.Fatal(err)
		}
		results = append(results, r)
	}
	refused, err := refuse(ctx, client)
	if err != nil {
		log.Fatal(err)
	}
	out, err := json.Marshal(map[string]any{"invoices": results, "refusal": refused})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(out))
}

func send(ctx context.Context, client *einvoiced.APIClient, inv einvoiced.CompleteInvoice) (result, error) {
	made, _, err := client.InvoiceGenerationAPI.Generate(ctx, "de", "xrechnung").GenerateRequest(*einvoiced.NewGenerateRequest(inv)).Execute()
	if err != nil {
		return result{}, err
	}
	read, _, err := client.InvoiceParsingAPI.Parse(ctx, "de", "xrechnung").ParseRequest(*einvoiced.NewParseRequest(made.Data)).Execute()
	if err != nil {
		return result{}, err
	}
	r := result{Document: made.Data, Hash: made.Hash, Issued: read.Invoice.GetIssueDate()}
	for _, v := range []float64{
		read.Invoice.Items[0].GetUnitPrice(), read.Invoice.GetSubtotal(), read.Invoice.TaxSummary[0].GetTaxAmount(), read.Invoice.GetTotal(),
	} {
		r.Amounts = append(r.Amounts, strconv.FormatFloat(v, 'f', -1, 64))
	}
	return r, nil
}

type refusal struct {
	Code    string `json:"code"`
	Success bool   `json:"success"`
	Field   string `json:"field"`
}

func refuse(ctx context.Context, client *einvoiced.APIClient) (refusal, error) {
	_, _, err := client.InvoiceParsingAPI.ParseAuto(ctx).ParseRequest(*einvoiced.NewParseRequest("PEludm9pY2UvPg==")).Execute()
	var answered *einvoiced.GenericOpenAPIError
	if !errors.As(err, &answered) {
		return refusal{}, fmt.Errorf("the document that is none was taken for an invoice: %w", err)
	}
	e, ok := answered.Model().(einvoiced.Error)
	if !ok {
		return refusal{}, fmt.Errorf("an error of another type: %w", err)
	}
	return refusal{e.GetCode(), e.Success == nil || *e.Success, e.Errors[0].Field}, nil
}
