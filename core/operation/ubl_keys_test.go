package operation

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/testdata"
)

// Where the numbers of a seller stand in UBL.
const (
	sellerParty  = "AccountingSupplierParty/Party/"
	registeredAs = sellerParty + "PartyLegalEntity/CompanyID"
	taxedAs      = sellerParty + "PartyTaxScheme/CompanyID"
	identifiedAs = sellerParty + "PartyIdentification/ID"
)

// keyCases has every key of the supplement §3 of the countries whose invoices are UBL, with the leaf of the document where its value lands, or
// nothing where the document has no place for it, which is warned of.
var keyCases = []struct{ country, keys, edit, want string }{
	{"AT", `"orderReference":"Z01"`, "", "OrderReference/ID=Z01"},
	{"AT", `"supplierNumber":"1002345"`, "", identifiedAs + "=1002345"},
	{"AT", `"accountingArea":"A1"`, "", ""},
	{"AT", `"govtSubOrganization":"S1"`, "", ""},
	{"BE", `"enterpriseNumber":"0123.456.749"`, "", registeredAs + "@0208=0123456749"},
	{"BE", `"structuredCommunication":"+++010/8068/17183+++"`, "", "PaymentMeans/PaymentID=+++010/8068/17183+++"},
	{"BE", `"peppolEndpointId":"0208:0123456749"`, "", ""},
	{"BG", `"eik":"123456789"`, "", ""},
	{"BG", `"issuedBy":"I. I."`, "", ""},
	{"LI", `"qrReference":"210000000003139471430009017"`, "", "PaymentMeans/PaymentID=210000000003139471430009017"},
	{"LI", `"uid":"CHE-116.281.271"`, "", taxedAs + "=CHE-116.281.271"},
	{"LI", `"referenceType":"QRR"`, "", ""},
	{"LI", `"unstructuredMessage":"M"`, "", ""},
	{"LI", `"billInformation":"//S1"`, "", ""},
	{"LI", `"alternativeSchemes":["eBill"]`, "", ""},
	{"CY", `"heNumber":"HE123456"`, "", registeredAs + "=HE123456"},
	{"CZ", `"ico":"12345678"`, "", registeredAs + "@0154=12345678"},
	{"CZ", `"dic":"CZ12345678"`, `"seller":{"vatId":null}`, taxedAs + "=CZ12345678"},
	{"CZ", `"dic":"8001011234","vatPayer":false`, `"seller":{"vatId":null}`, taxedAs + "=8001011234"},
	{"CZ", `"variableSymbol":"20260042"`, "", "PaymentMeans/PaymentID=20260042"},
	{"CZ", `"constantSymbol":"0308"`, "", ""},
	{"CZ", `"specificSymbol":"77"`, "", ""},
	{"CZ", `"vatPayer":true`, "", ""},
	{"CZ", `"exchangeRate":25.1`, `"currency":"EUR","taxCurrencyCode":"CZK"`, "TaxTotal/TaxAmount=2688.21"},
	{"DK", `"cvr":"12345674"`, "", registeredAs + "@0184=12345674"},
	{"DK", `"fik":{"cardType":"71","creditorNumber":"81234567","paymentId":"123456789012345"}`, `"paymentMethods":[{"type":"danish_fik"}]`,
		"PaymentMeans/PaymentMeansCode=93 PaymentMeans/PaymentID=71#123456789012345 PaymentMeans/PayeeFinancialAccount/ID=81234567"},
	{"DK", `"fik":{"cardType":"04","paymentId":"1234567890123456"},"giroAccount":"1234567"`, `"paymentMethods":[{"type":"giro"}]`,
		"PaymentMeans/PaymentMeansCode=50 PaymentMeans/PaymentID=04#1234567890123456 PaymentMeans/PayeeFinancialAccount/ID=1234567"},
	{"DK", `"giroAccount":"1234567"`, `"paymentMethods":[{"type":"giro"}]`, "PaymentMeans/PaymentID=01# PaymentMeans/PayeeFinancialAccount/ID=1234567"},
	{"EE", `"registryCode":"12345678"`, "", registeredAs + "@0191=12345678"},
	{"ES", `"nif":"B12345674"`, `"seller":{"vatId":null}`, taxedAs + "=B12345674"},
	{"ES", `"invoiceSeries":"A"`, "", ""},
	{"ES", `"personType":"J"`, "", ""},
	{"ES", `"residenceType":"R"`, "", ""},
	{"ES", `"dir3":{"accountingOffice":"L01"}`, "", ""},
	{"ES", `"dir3":{"managingBody":"L01"}`, "", ""},
	{"ES", `"dir3":{"processingUnit":"L01"}`, "", ""},
	{"ES", `"dir3":{"proposingBody":"L01"}`, "", ""},
	{"ES", `"correctionReasonCode":"01"`, "", ""},
	{"ES", `"correctionMethod":"01"`, "", ""},
	{"ES", `"withholdingRate":15`, "", ""},
	{"ES", `"invoiceType":"F1"`, "", ""},
	{"ES", `"regimeKey":"01"`, "", ""},
	{"ES", `"operationQualifier":"S1"`, "", ""},
	{"FI", `"businessId":"1234567-1"`, "", registeredAs + "@0212=1234567-1"},
	{"FR", `"siren":"123 456 789"`, "", registeredAs + "@0002=123456789"},
	{"FR", `"siret":"12345678900012"`, "", identifiedAs + "@0009=12345678900012"},
	{"FR", `"serviceCode":"S-7"`, `"buyerReference":null`, "BuyerReference=S-7"},
	{"FR", `"engagementNumber":"E-1"`, "", "OrderReference/ID=E-1"},
	{"FR", `"rcs":"Nantes B 123 456 789"`, "", sellerParty + "PartyLegalEntity/CompanyLegalForm=RCS Nantes B 123 456 789"},
	{"FR", `"legalForm":"SAS","shareCapital":50000`, "", sellerParty + "PartyLegalEntity/CompanyLegalForm=SAS au capital de 50000 EUR"},
	{"FR", `"operationCategory":"goods"`, "", "Note=Livraison de biens"},
	{"FR", `"operationCategory":"other"`, "", ""},
	{"FR", `"vatOnDebits":true`, "", "Note=Option pour le paiement de la taxe d'après les débits"},
	{"FR", `"notes":{"PMT":"40 EUR"}`, "", "Note=#PMT#40 EUR"},
	{"FR", `"notes":{"PMD":"3 %"}`, "", "Note=#PMD#3 %"},
	{"FR", `"notes":{"AAB":"Néant"}`, "", "Note=#AAB#Néant"},
	{"GB", `"companyNumber":"01234567"`, "", registeredAs + "=01234567"},
	{"HR", `"oib":"12345678903"`, `"seller":{"vatId":null}`, taxedAs + "=12345678903"},
	{"HR", `"operatorOib":"12345678903"`, "", ""},
	{"HR", `"operatorCode":"1"`, "", ""},
	{"HR", `"operatorName":"Ana A."`, "", ""},
	{"HR", `"issueTime":"10:15:00"`, "", ""},
	{"HR", `"businessProcess":"P1"`, "", ""},
	{"IE", `"croNumber":"123456"`, "", registeredAs + "=123456"},
	{"IS", `"kennitala":"550101-1230"`, "", registeredAs + "@0196=5501011230"},
	{"LU", `"rcsNumber":"B123456"`, "", registeredAs + "=B123456"},
	{"MT", `"companyNumber":"C12345"`, "", registeredAs + "=C12345"},
	{"SI", `"registrationNumber":"1234567000"`, "", registeredAs + "=1234567000"},
	{"SK", `"ico":"12345678"`, "", registeredAs + "@0158=12345678"},
	{"SK", `"dic":"2012345670"`, "", taxedAs + "=2012345670"},
	{"SK", `"icDph":"SK2012345678"`, "", taxedAs + "=SK2012345678"},
	{"LV", `"registrationNumber":"40003456789"`, "", registeredAs + "@0218=40003456789"},
	{"LT", `"companyCode":"123456789"`, "", registeredAs + "@0200=123456789"},
	{"NO", `"orgnr":"123 456 785"`, "", registeredAs + "@0192=123456785"},
	{"NO", `"foretaksregisteret":true`, "", taxedAs + "=Foretaksregisteret " + sellerParty + "PartyTaxScheme/TaxScheme/ID=TAX"},
	{"SE", `"orgnr":"556677-8899"`, "", registeredAs + "@0007=5566778899"},
	{"SE", `"fSkatt":true`, "", taxedAs + "=Godkänd för F-skatt"},
	{"NL", `"kvk":"12345678"`, "", registeredAs + "@0106=12345678"},
	{"NL", `"oin":"00000001234567890000"`, "", registeredAs + "@0190=00000001234567890000"},
	{"PL", `"nip":"1234563218"`, `"seller":{"vatId":null}`, taxedAs + "=1234563218"},
	{"PL", `"splitPayment":true`, "", "Note=Mechanizm podzielonej płatności"},
	{"PL", `"cashMethod":true`, "", "Note=Metoda kasowa"},
	{"PL", `"selfBilling":true`, "", "Note=Samofakturowanie"},
	{"PL", `"marginScheme":"used"`, "", ""},
	{"PL", `"placeOfIssue":"Gdańsk"`, "", ""},
	{"PL", `"systemInfo":"S"`, "", ""},
	{"PL", `"correctionReason":"R"`, "", ""},
	{"PL", `"correctionType":1`, "", ""},
	{"PL", `"ksefNumber":"1"`, "", ""},
	{"PL", `"isJst":true`, "", ""},
	{"PL", `"isVatGroupMember":true`, "", ""},
	{"PL", `"nip":"1234563218"`, `"items":[{"description":"Pump P4","quantity":2,"unit":"C62","unitPrice":150,"taxRate":23,"gtu":"GTU_06"}]`, ""},
	{"PL", `"exchangeRate":4.3`, `"currency":"EUR","taxCurrencyCode":"PLN"`, "TaxTotal/TaxAmount=504.39"},
}

// TestGenerate_NationalKeys ensures where each key lands, or that its loss is told.
func TestGenerate_NationalKeys(t *testing.T) {
	s := newService(t)
	for _, c := range keyCases {
		t.Run(c.country+"/"+c.keys, func(t *testing.T) {
			country, format, body := keyRequest(t, c.country, c.keys, c.edit)
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: country, Format: format, Body: body, Calculate: true})
			if err != nil {
				t.Fatal(refusalOf(err))
			}
			lost := slices.ContainsFunc(answer.Warnings, func(w finding.Finding) bool {
				return w.Code == finding.FieldNotWritten && (strings.HasPrefix(w.Field, "countrySpecific.") || strings.HasSuffix(w.Field, ".gtu"))
			})
			if lost != (c.want == "") {
				t.Errorf("lost: %v, %v", lost, houseWarnings(answer.Warnings))
			}
			leaves := leavesOf(t, answer.Data)
			for _, want := range wantedLeaves(c.want) {
				if !slices.Contains(leaves, want) {
					t.Errorf("%s is not in the document:\n%s", want, strings.Join(leaves, "\n"))
				}
			}
		})
	}
}

// wantedLeaves takes a text apart at the blanks before paths.
func wantedLeaves(text string) []string {
	var leaves []string
	for part := range strings.SplitSeq(text, " ") {
		if path, _, found := strings.Cut(part, "="); found && path != "" || len(leaves) == 0 {
			leaves = append(leaves, part)
		} else {
			leaves[len(leaves)-1] += " " + part
		}
	}
	return slices.DeleteFunc(leaves, func(leaf string) bool { return leaf == "" })
}

// keyRequest is the first scenario of a country with other national keys, and an edit of members of the invoice.
func keyRequest(t *testing.T, country, keys, edit string) (string, string, []byte) {
	t.Helper()
	requests, err := ublRequests()
	if err != nil {
		t.Fatal(err)
	}
	r := requests[slices.IndexFunc(requests, func(r testdata.Request) bool { return r.Country == country })]
	var body struct {
		Invoice map[string]json.RawMessage `json:"invoice"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	body.Invoice["countrySpecific"] = json.RawMessage(`{"countryCode":"` + country + `",` + keys + `}`)
	changed := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte("{"+edit+"}"), &changed); err != nil {
		t.Fatal(err)
	}
	if seller, ok := changed["seller"]; ok {
		party := map[string]json.RawMessage{}
		if err := errors.Join(json.Unmarshal(body.Invoice["seller"], &party), json.Unmarshal(seller, &party)); err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(party, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
		changed["seller"], _ = json.Marshal(party)
	}
	maps.Copy(body.Invoice, changed)
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return country, r.Format, text
}

// leavesOf lists the texts of a document as path=text, with @ and the scheme after the path where there is one.
func leavesOf(t *testing.T, document []byte) []string {
	t.Helper()
	var leaves, path []string
	d := xml.NewDecoder(bytes.NewReader(document))
	scheme, text := "", ""
	for {
		token, err := d.Token()
		if err == io.EOF {
			return leaves
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			path, scheme, text = append(path, e.Name.Local), "", ""
			for _, a := range e.Attr {
				if a.Name.Local == "schemeID" {
					scheme = "@" + a.Value
				}
			}
		case xml.CharData:
			text += string(e)
		case xml.EndElement:
			if strings.TrimSpace(text) != "" {
				leaves = append(leaves, strings.Join(path[1:], "/")+scheme+"="+text)
			}
			path, scheme, text = path[:len(path)-1], "", ""
		}
	}
}
