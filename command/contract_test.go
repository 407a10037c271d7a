package command

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/docs"
)

// reply is what the tests read of an answer.
type reply struct {
	Status     int                 `json:"-"`
	Header     map[string][]string `json:"-"`
	Body       []byte              `json:"-"`
	Success    *bool
	Error      string
	Message    string
	Code       string
	Field      string
	Format     string
	Filename   string
	Hash       string
	Data       []byte
	Valid      *bool
	Results    []struct{ Format, Skipped string }
	Invoice    map[string]any
	Errors     []entry
	Warnings   []entry
	Infos      []entry
	Compliance []entry `json:"complianceErrors"`
	LineItems  map[string]int
	Carrier    struct{ Warnings []entry }
	Detection  map[string]any
	Countries  []struct{ Code, Name string }
}

type entry struct{ Code, Message, Field, Rule string }

// contract is a running service with a key, for tests that talk to it over HTTP.
type contract struct {
	*service
	dir, key string
}

// fewRules makes a service judge by the few rules of testdata.
var fewRules = []string{"--rulebooks", "../testdata/rulebooks"}

func newContract(t *testing.T, args ...string) *contract {
	t.Helper()
	dir := t.TempDir()
	s := start(t, dir, args...)
	return &contract{service: s, dir: dir, key: s.firstKey(t)}
}

func (c *contract) ask(t *testing.T, method, path, body string, header ...string) reply {
	t.Helper()
	status, h, data := get(t, method, c.url+path, c.key, body, header...)
	r := reply{}
	if strings.HasPrefix(h.Get("Content-Type"), "application/json") {
		unmarshal(t, data, &r)
	}
	r.Status, r.Header, r.Body = status, h, data
	return r
}

const generatePath = "/api/v1/invoice/de/xrechnung/generate"

const validatePath = "/api/v1/invoice/de/xrechnung/validate"

// validate posts a request to the route with a format.
func (c *contract) validate(t *testing.T, body string) reply {
	t.Helper()
	return c.ask(t, "POST", validatePath, body)
}

// generate posts the example with edits: pairs of a member's path and the JSON to put there, "" to leave it out.
func (c *contract) generate(t *testing.T, edits ...string) reply {
	t.Helper()
	return c.ask(t, "POST", generatePath, edited(t, edits...))
}

// edited is the example with edits.
func edited(t *testing.T, edits ...string) string {
	t.Helper()
	return changed(t, docs.Example(), edits...)
}

// changed is edited for another request.
func changed(t *testing.T, request []byte, edits ...string) string {
	t.Helper()
	var body map[string]any
	decoder := json.NewDecoder(bytes.NewReader(request))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(edits); i += 2 {
		edit(t, body["invoice"].(map[string]any), strings.Split(edits[i], "."), edits[i+1])
	}
	out, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// edit puts JSON at a path; items.0 is the first entry of a list.
func edit(t *testing.T, at map[string]any, path []string, value string) {
	t.Helper()
	if len(path) == 1 {
		delete(at, path[0])
		if value != "" {
			at[path[0]] = json.RawMessage(value)
		}
		return
	}
	switch next := at[path[0]].(type) {
	case map[string]any:
		edit(t, next, path[1:], value)
	case []any:
		edit(t, next[0].(map[string]any), path[2:], value)
	default:
		t.Fatalf("nothing at %s", path[0])
	}
}

// codes lists the codes of entries.
func codes(entries []entry) []string {
	var list []string
	for _, e := range entries {
		list = append(list, e.Code)
	}
	return list
}

// wants fails unless a condition holds.
func wants(t *testing.T, holds bool, r reply, what string, args ...any) {
	t.Helper()
	if !holds {
		t.Errorf("want %s; status %d: %.1500s", fmt.Sprintf(what, args...), r.Status, r.Body)
	}
}

func hasXML(r reply, part string) bool { return bytes.Contains(r.Data, []byte(part)) }

// TestWhatClientsRelyOn has a test for each rule of the contract supplement's §1 whose routes exist.
func TestWhatClientsRelyOn(t *testing.T) {
	c := newContract(t)
	judge := newContract(t, fewRules...)
	rules := []struct {
		name string
		test func(t *testing.T)
	}{
		{"rule 1: segments are matched without regard to case", func(t *testing.T) {
			r := c.ask(t, "POST", "/api/v1/invoice/DE/XRECHNUNG/generate", string(docs.Example()))
			wants(t, r.Status == 200 && r.Format == "xrechnung", r, "the format in lower case")
			r = c.ask(t, "GET", "/api/v1/invoice/De/formats", "")
			wants(t, r.Status == 200 && bytes.Contains(r.Body, []byte(`"code":"DE"`)), r, "the country in upper case")
		}},
		{"rule 2: unknown keys are ignored, 10 and 10.0 are the same, empty strings are absent", func(t *testing.T) {
			plain, other := c.generate(t, "roundingAmount", "0.10", "total", "119.00"), c.generate(t, "roundingAmount", "0.10", "total", "119.0",
				"tracking", `{"a":[1]}`, "orderNumber", `""`, "buyer.taxId", `""`)
			wants(t, plain.Status == 200 && other.Status == 200, other, "200")
			wants(t, !hasXML(other, "OrderReference"), other, "no element of an empty string")
		}},
		{"rule 3: every answer is JSON and carries x-request-id", func(t *testing.T) {
			for _, ask := range [][2]string{{"GET", "/nope"}, {"GET", generatePath}, {"POST", generatePath}, {"GET", "/api/v1/jobs/none"}} {
				r := c.ask(t, ask[0], ask[1], "", "X-Request-Id", "mine-1")
				wants(t, r.Status >= 400 && r.Error != "" && slices.Equal(r.Header["X-Request-Id"], []string{"mine-1"}), r, "JSON and the request id for %v", ask)
			}
			r := c.ask(t, "GET", "/nope", "")
			wants(t, r.Status == 404 && r.Error == "Not Found" && r.Message == "Endpoint does not exist", r, "the words of the contract")
		}},
		{"rule 4: generate and parse answer success", func(t *testing.T) {
			r := c.generate(t)
			wants(t, r.Status == 200 && r.Success != nil && *r.Success, r, "success true")
			r = c.parse(t, "", "<nothing/>")
			wants(t, r.Status == 400 && r.Success != nil && !*r.Success, r, "success false of a failed auto parse")
		}},
		{"rule 4: validate answers 200 and valid, without success", func(t *testing.T) {
			r := judge.validate(t, string(docs.Example()))
			wants(t, r.Status == 200 && r.Valid != nil && *r.Valid && r.Success == nil && len(r.Results) == 1, r, "valid true")
			r = judge.validate(t, edited(t, "buyerReference", ""))
			wants(t, r.Status == 200 && r.Valid != nil && !*r.Valid && r.Success == nil, r, "valid false")
			r = judge.validate(t, edited(t, "currency", ""))
			wants(t, r.Status == 400 && r.Valid == nil, r, "400 for what is no invoice")
			r = judge.validate(t, edited(t, "notes", `"TRY-NUMBER x"`))
			wants(t, r.Valid != nil && !*r.Valid && slices.Contains(codes(r.Errors), "VALIDATION_NOT_RUN"), r, "false where a rule could not be evaluated")
		}},
		{"rule 5: message and errors[0].message name reason and field", func(t *testing.T) {
			r := c.generate(t, "items.0.quantity", `"four"`, "currency", "")
			wants(t, r.Status == 400 && strings.Contains(r.Message, r.Errors[0].Field) && r.Errors[0].Field != "", r, "the field in the message")
			wants(t, slices.ContainsFunc(r.Errors, func(e entry) bool { return e.Field == "items[0].quantity" }), r, "every error at once")
			r = c.generate(t)
			wants(t, bytes.Contains(r.Body, []byte(`"errors":[]`)), r, "errors as an array when there are none")
		}},
		{"rule 6: words of 401, 403 and of an unsupported country", func(t *testing.T) {
			status, _, body := get(t, "POST", c.url+generatePath, "sk_test_wrong", string(docs.Example()))
			wants(t, status == 401 && bytes.Contains(body, []byte("API key authentication failed")), reply{Status: status, Body: body}, "401")
			r := c.ask(t, "POST", "/api/v1/invoice/xy/xrechnung/generate", string(docs.Example()))
			wants(t, r.Status == 400 && strings.Contains(r.Message, "Country XY is not supported"), r, "400")
		}},
		{"rule 7: data, filename and hash", func(t *testing.T) {
			r := c.generate(t, "invoiceNumber", `"../RE 7..8"`)
			safe := regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*[A-Za-z0-9]$`)
			wants(t, safe.MatchString(r.Filename) && !strings.Contains(r.Filename, "..") && strings.HasSuffix(r.Filename, ".xml"), r, "a safe file name")
			wants(t, regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(r.Hash) && hasXML(r, "RE 7..8"), r, "hash and document")
		}},
		{"rule 8: a 202 comes only when asked for, content types on GET are no matter", func(t *testing.T) {
			r := c.ask(t, "GET", "/api/v1/invoice/formats", "", "Content-Type", "application/json", "Accept", "*/*", "User-Agent", "")
			wants(t, r.Status == 200 && len(r.Countries) == 37, r, "37 countries")
			r = c.ask(t, "POST", generatePath, string(docs.Example()), "Prefer", "respond-async")
			wants(t, r.Status == 202 && len(r.Header["Location"]) == 1, r, "202 with a location")
		}},
		{"rule 9: same input, same bytes", func(t *testing.T) {
			a, b := c.generate(t), c.generate(t)
			wants(t, a.Hash != "" && a.Hash == b.Hash, b, "the hash %s", a.Hash)
		}},
		{"rule 10: countrySpecific without countryCode", func(t *testing.T) {
			r := c.generate(t, "countrySpecific", `{"leitwegId":"04011000-12345-03"}`)
			wants(t, r.Status == 200 && slices.Contains(codes(r.Warnings), "COUNTRY_CODE_ASSUMED"), r, "the warning")
			r = c.generate(t, "countrySpecific", `{"countryCode":"fr"}`)
			wants(t, r.Status == 400 && r.Field == "countrySpecific.countryCode", r, "400 for another country")
		}},
		{"rule 11: signs", func(t *testing.T) {
			r := c.generate(t, "type", `"credit_note"`, "items.0.quantity", "-4", "items.0.netAmount", "-100", "items.0.taxAmount", "-19",
				"taxSummary.0.netAmount", "-100", "taxSummary.0.taxAmount", "-19", "subtotal", "-100", "total", "-119")
			wants(t, slices.Contains(codes(r.Warnings), "CREDIT_NOTE_SIGN_FLIPPED") && hasXML(r, ">4.00</cbc:CreditedQuantity>") && hasXML(r, ">25.00</cbc:PriceAmount>"), r, "a positive credit note")
			r = c.generate(t, "items.0.unitPrice", "-25", "items.0.netAmount", "-100", "items.0.taxAmount", "-19",
				"taxSummary.0.netAmount", "-100", "taxSummary.0.taxAmount", "-19", "subtotal", "-100", "total", "-119")
			wants(t, slices.Contains(codes(r.Warnings), "LINE_SIGN_MOVED") && hasXML(r, ">-4.00</cbc:InvoicedQuantity>"), r, "the sign at the quantity")
			r = c.generate(t, "items.0.unitPrice", "-25", "items.0.quantity", "-4")
			wants(t, r.Status == 422 && slices.Contains(codes(r.Errors), "BR-27"), r, "BR-27")
			r = c.generate(t, "roundingAmount", "-0.0")
			wants(t, r.Status == 200 && hasXML(r, ">0.0</cbc:PayableRoundingAmount>"), r, "0 for -0.0")
		}},
		{"rule 12: defaults", func(t *testing.T) {
			r := c.generate(t, "seller.contact", "", "items.0.taxCategoryCode", "", "taxSummary.0.taxCategoryCode", "", "paymentTerms", `{"dueDays":14}`, "dueDate", "")
			wants(t, hasXML(r, "<cbc:Name>Weserhandel GmbH</cbc:Name>") && hasXML(r, "<cbc:Telephone>+49 421 000000</cbc:Telephone>"), r, "the seller as contact")
			wants(t, hasXML(r, "<cbc:ID>S</cbc:ID>") && hasXML(r, "14 Tagen") && hasXML(r, "<cbc:DueDate>2026-03-16</cbc:DueDate>"), r, "category, sentence and due date")
			wants(t, hasXML(r, `<cbc:EndpointID schemeID="EM">intake@amt-nord.example</cbc:EndpointID>`), r, "the e-mail as electronic address")
			r = c.generate(t, "seller.email", "", "buyer.email", "")
			wants(t, r.Status == 422 && slices.Contains(codes(r.Errors), "PEPPOL-EN16931-R010"), r, "no made-up address")
		}},
		{"rule 13: no check digits of VAT ids and Leitweg ids, IBANs by mod 97", func(t *testing.T) {
			r := c.generate(t, "seller.vatId", `"DE000000000"`, "buyerReference", "", "countrySpecific", `{"countryCode":"DE","leitwegId":"99-X-00"}`)
			wants(t, r.Status == 200, r, "200")
			r = c.generate(t, "seller.bankAccount.iban", `"DE02120300000000202052"`)
			wants(t, r.Status == 400 && r.Field == "seller.bankAccount.iban", r, "400")
			r = c.generate(t, "items.0.taxAmount", "19.01")
			wants(t, r.Status == 200 && !slices.Contains(codes(r.Warnings), "FIELD_NOT_WRITTEN"), r, "a cent off is no matter")
		}},
		{"rule 14: openapi.json without a key", func(t *testing.T) {
			status, _, body := get(t, "GET", c.url+"/openapi.json", "", "")
			wants(t, status == 200 && bytes.Contains(body, []byte(`"openapi":"3.1`)), reply{Status: status, Body: body[:min(len(body), 200)]}, "200")
		}},
		{"rule 15: the invoice of a parse answer can be generated", func(t *testing.T) {
			parsed := c.parse(t, "", string(c.generate(t).Data))
			body, _ := json.Marshal(map[string]any{"invoice": parsed.Invoice})
			r := c.ask(t, "POST", generatePath, string(body))
			wants(t, r.Status == 200, r, "200")
		}},
		{"rule 16: parsing never validates", func(t *testing.T) {
			document := strings.Replace(string(c.generate(t).Data), ">119.00</cbc:TaxInclusiveAmount>", ">999.00</cbc:TaxInclusiveAmount>", 1)
			document = strings.Replace(document, "xeinkauf.de:kosit:xrechnung_3.0", "example:unknown_9.9", 1)
			document = regexp.MustCompile(`<cbc:DueDate>[^<]*</cbc:DueDate>`).ReplaceAllString(document, "")
			r := c.parse(t, "", document)
			wants(t, r.Status == 200 && r.Format == "UBL" && r.Invoice["total"] == 999.0, r, "an invoice with wrong sums")
		}},
		{"rule 17: empty formatOptions", func(t *testing.T) {
			r := c.ask(t, "POST", generatePath, strings.Replace(string(docs.Example()), `"invoice":`, `"formatOptions": {}, "invoice":`, 1))
			wants(t, r.Status == 200, r, "200")
		}},
		{"raw answers: a document without warnings is the body", func(t *testing.T) {
			r := c.ask(t, "POST", generatePath, string(docs.Example()), "Accept", "application/xml")
			wants(t, r.Status == 200 && r.Header["Content-Type"][0] == "application/xml" && bytes.HasPrefix(r.Body, []byte("<?xml")), r, "XML")
			r = c.ask(t, "POST", generatePath, edited(t, "seller.website", `"https://weserhandel.example"`), "Accept", "application/xml")
			wants(t, r.Status == 200 && len(r.Warnings) > 0, r, "JSON, because of a warning")
		}},
		{"house codes: errors have the rule, complianceErrors the code", func(t *testing.T) {
			r := c.generate(t, "seller.city", "")
			wants(t, r.Status == 422 && slices.Contains(codes(r.Errors), "BR-DE-3") && slices.Contains(codes(r.Compliance), "DE_SELLER_CITY_001"), r, "BR-DE-3 and DE_SELLER_CITY_001")
			r = c.generate(t, "seller.vatId", `"XX123456789"`)
			wants(t, r.Status == 422 && slices.Contains(codes(r.Errors), "BR-CO-09") && slices.Contains(codes(r.Compliance), "DE_VAT_001"), r, "a code for a rule of EN 16931")
		}},
		{"rule 18: gross tax bases are told of", func(t *testing.T) {
			r := judge.generate(t, "taxSummary.0.netAmount", "119")
			wants(t, r.Status == 422 && slices.Contains(codes(r.Errors), "BR-S-08") && strings.Contains(string(r.Body), "equals the gross amount"), r, "BR-S-08 with the reason")
		}},
		{"rule 18: countries in English", func(t *testing.T) {
			r := c.ask(t, "GET", "/api/v1/invoice/de/formats", "")
			wants(t, bytes.Contains(r.Body, []byte(`"name":"Germany"`)), r, "Germany")
		}},
	}
	for _, rule := range rules {
		t.Run(rule.name, rule.test)
	}
}

// parse posts a document: to the automatic route, or to that of "de/xrechnung".
func (c *contract) parse(t *testing.T, route, document string) reply {
	t.Helper()
	path := "/api/v1/invoice/parse"
	if route != "" {
		path = "/api/v1/invoice/" + route + "/parse"
	}
	return c.ask(t, "POST", path, fmt.Sprintf(`{"data":%q}`, base64.StdEncoding.EncodeToString([]byte(document))))
}

// readExample reads one of our own documents.
func readExample(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../testdata/documents/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
