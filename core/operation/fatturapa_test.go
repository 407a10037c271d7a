package operation

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/testdata"
)

var fatturapaFormat = nationalFormat{country: "IT", token: "fatturapa", folder: "fatturapa", signed: true}

const fatturapaFolder = "../../testdata/fatturapa"

// fatturapaWarned are the codes that the inputs of FatturaPA are warned with, each once, in alphabetical order; the others are not warned.
var fatturapaWarned = map[string]string{
	"consumer":             "FIELD_NOT_WRITTEN",
	"credit-note-negative": "CREDIT_NOTE_SIGN_FLIPPED",
	"discounts":            "FIELD_NOT_WRITTEN",
	"full":                 "FIELD_NOT_WRITTEN",
	"foreign-currency":     "FIELD_NOT_WRITTEN VALUE_ASSUMED",
	"groups":               "DECIMALS_REDUCED GROUP_NOT_REPRESENTABLE",
	"intra-community":      "FIELD_NOT_WRITTEN",
	"long-texts":           "FIELD_TOO_LONG TEXT_TRANSLITERATED",
	"partial":              "DOCUMENT_TYPE_FALLBACK",
	"terms-returns":        "LINE_SIGN_MOVED",
}

// TestGenerate_FatturaPA ensures the documents of the inputs, which the rules that ship accept, and what the caller is warned of.
func TestGenerate_FatturaPA(t *testing.T) {
	s := fullService(t)
	for _, name := range fatturapaFormat.names(t) {
		t.Run(name, func(t *testing.T) {
			answer, err := s.Generate(t.Context(), GenerateRequest{Country: "it", Format: "fatturapa", Body: withOptions(t, fatturapaFolder, name, `{}`)})
			if err != nil {
				t.Fatalf("%v%s", err, entriesOf(err))
			}
			compareGolden(t, filepath.Join(fatturapaFolder, name+".xml"), answer.Data)
			if len(answer.Rulebooks) != 1 || answer.Rulebooks[0] != (Rulebook{"fatturapa", "1.2.3"}) {
				t.Errorf("judged by %v", answer.Rulebooks)
			}
			if got := warnedWith(answer.Warnings); got != fatturapaWarned[name] {
				t.Errorf("warned with %q, want %q: %+v", got, fatturapaWarned[name], answer.Warnings)
			}
		})
	}
}

// warnedWith are the codes of findings, each once.
func warnedWith(list []finding.Finding) string {
	var codes []string
	for _, f := range list {
		codes = append(codes, f.Code)
	}
	slices.Sort(codes)
	return strings.Join(slices.Compact(codes), " ")
}

// TestParse_FatturaPAComesBack ensures that a document that was generated is read without a remark, and that what it says is written as the
// same document again.
func TestParse_FatturaPAComesBack(t *testing.T) {
	s := fullService(t)
	for _, name := range fatturapaFormat.names(t) {
		document, err := os.ReadFile(filepath.Join(fatturapaFolder, name+".xml"))
		if err != nil {
			t.Fatal(err)
		}
		first, err := s.Parse(t.Context(), ParseRequest{Document: document})
		if err != nil || len(first.Warnings) > 0 || first.Format != "FATTURAPA" {
			t.Errorf("%s: %v %+v", name, err, first)
			continue
		}
		again := fatturapaFormat.generate(t, s, requestOf(t, first.Invoice)).Data
		second, err := s.Parse(t.Context(), ParseRequest{Document: again})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(first.Invoice, second.Invoice, cmp.Comparer(func(a, b decimal.Decimal) bool { return a.IsSet() == b.IsSet() && a.Cmp(b) == 0 })); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestFatturaPA_SeveralInvoices ensures that parse answers every invoice of a file, and that convert takes the one that is asked for.
func TestFatturaPA_SeveralInvoices(t *testing.T) {
	s := fullService(t)
	one, err := os.ReadFile(filepath.Join(fatturapaFolder, "goods.xml"))
	if err != nil {
		t.Fatal(err)
	}
	body := string(one[strings.Index(string(one), "<FatturaElettronicaBody>"):strings.Index(string(one), "</p:FatturaElettronica>")])
	other := strings.Replace(strings.Replace(body, "<Numero>FT-1<", "<Numero>FT-2<", 1), "<Comune>", "<Strano>x</Strano><Comune>", 1)
	other = strings.Replace(other, "<Descrizione>", "<Altro>1</Altro><Descrizione>", 1)
	file := strings.Replace(string(one), body, body+other+strings.Replace(body, "<Numero>FT-1<", "<Numero>FT-3<", 1), 1)
	answer, err := s.Parse(t.Context(), ParseRequest{Document: []byte(file)})
	if err != nil {
		t.Fatal(err)
	}
	var numbers []string
	for _, inv := range answer.Invoices {
		numbers = append(numbers, inv.InvoiceNumber+" "+inv.Seller.Name)
	}
	if got := strings.Join(numbers, ", "); got != "FT-1 Esempio Ufficio S.r.l., FT-2 Esempio Ufficio S.r.l., FT-3 Esempio Ufficio S.r.l." || answer.Invoice != answer.Invoices[0] {
		t.Errorf("invoices %s", got)
	}
	if w := answer.Warnings; len(w) != 1 || w[0].Field != "/p:FatturaElettronica/FatturaElettronicaBody[2]/DatiBeniServizi/DettaglioLinee[1]/Altro" ||
		!strings.Contains(w[0].Message, lineOf(file, "<Altro>")) {
		t.Errorf("warnings %+v", w)
	}
	index := 2
	into := ConvertRequest{Document: []byte(file), Options: invoice.ConvertBody{TargetCountry: "IT", TargetFormat: "fatturapa"}}
	if _, err := s.Convert(t.Context(), into); err == nil || !strings.Contains(err.Error(), "index is required: the document has 3 invoices") {
		t.Errorf("without index: %v", err)
	}
	into.Options.Index = &index
	converted, err := s.Convert(t.Context(), into)
	if err != nil || !strings.Contains(string(converted.Data), "<Numero>FT-3</Numero>") {
		t.Errorf("%v", err)
	}
	index = 3
	if _, err := s.Convert(t.Context(), into); err == nil || !strings.Contains(err.Error(), "index is 3") {
		t.Errorf("beyond: %v", err)
	}
}

// lineOf is the number of the line in which a text begins, as messages have it.
func lineOf(file, text string) string {
	before, _, _ := strings.Cut(file, text)
	return "(line " + strconv.Itoa(1+strings.Count(before, "\n")) + ")"
}

// TestFatturaPA_Signed ensures that a signature inside the document is left out of what is read, and told.
func TestFatturaPA_Signed(t *testing.T) {
	s := fullService(t)
	one, err := os.ReadFile(filepath.Join(fatturapaFolder, "goods.xml"))
	if err != nil {
		t.Fatal(err)
	}
	signed := strings.Replace(string(one), "</p:FatturaElettronica>", `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignatureValue>AA==</ds:SignatureValue></ds:Signature></p:FatturaElettronica>`, 1)
	answer, err := s.Parse(t.Context(), ParseRequest{Document: []byte(signed)})
	if err != nil || len(answer.Warnings) > 0 || len(answer.Infos) != 1 || answer.Infos[0].Code != finding.Unwrapped || answer.Invoice.InvoiceNumber != "FT-1" {
		t.Errorf("%v %+v", err, answer)
	}
}

// TestFatturaPA_TooLarge ensures that a document which the Sistema di Interscambio takes no more for its size is written and told.
func TestFatturaPA_TooLarge(t *testing.T) {
	s := fullService(t)
	file := strings.Repeat("AAAA", 1_300_000)
	body, err := testdata.Patched(withOptions(t, fatturapaFolder, "goods", `{}`),
		[]byte(`{"invoice":{"attachments":[{"filename":"a.pdf","mimeType":"application/pdf","content":"`+file+`"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := s.Generate(t.Context(), GenerateRequest{Country: "IT", Format: "fatturapa", Body: body})
	if err != nil || warnedWith(answer.Warnings) != "00003" {
		t.Fatalf("%v", err)
	}
	verdict, err := s.Validate(t.Context(), ValidateRequest{Country: "IT", Format: "fatturapa", Document: answer.Data})
	if err != nil || !verdict.Valid || warnedWith(verdict.Warnings) != "00003" {
		t.Errorf("%v", err)
	}
}

// FuzzParse_FatturaPA ensures that no document crashes the way to an invoice and back.
func FuzzParse_FatturaPA(f *testing.F) {
	s := newService(f)
	for _, name := range fatturapaFormat.names(f) {
		document, err := os.ReadFile(filepath.Join(fatturapaFolder, name+".xml"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(document)
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		answer, err := s.Parse(t.Context(), ParseRequest{Country: "IT", Format: "fatturapa", Document: document})
		if err != nil {
			return
		}
		body, err := json.Marshal(map[string]any{"invoice": answer.Invoice})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Generate(t.Context(), GenerateRequest{Country: "IT", Format: "fatturapa", Body: body}); err != nil {
			var refusal *finding.Refusal
			if !errors.As(err, &refusal) {
				t.Fatal(err)
			}
		}
	})
}

// BenchmarkGenerate_FatturaPA measures invoices with their self-check.
func BenchmarkGenerate_FatturaPA(b *testing.B) {
	s := fullService(b)
	for _, lines := range []int{20, 2_000, 9_000} {
		body := fatturaRequest(b, lines)
		b.Run(fmt.Sprintf("lines=%d", lines), func(b *testing.B) {
			steady(b, func() {
				if _, err := s.Generate(b.Context(), GenerateRequest{Country: "IT", Format: "fatturapa", Body: body}); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// fatturaRequest is a request with so many lines.
func fatturaRequest(t testing.TB, lines int) []byte {
	t.Helper()
	var request map[string]map[string]any
	if err := json.Unmarshal(withOptions(t, fatturapaFolder, "consumer", `{}`), &request); err != nil {
		t.Fatal(err)
	}
	var items []any
	for i := range lines {
		items = append(items, map[string]any{"description": fmt.Sprintf("Vite M%d", i), "quantity": 4, "unit": "C62", "unitPrice": 2.5, "taxRate": 10, "taxCategoryCode": "S",
			"netAmount": 10, "taxAmount": 1, "articleNumber": fmt.Sprint("A-", i)})
	}
	inv := request["invoice"]
	inv["items"], inv["subtotal"], inv["total"] = items, lines*10, lines*11
	inv["taxSummary"] = []any{map[string]any{"taxRate": 10, "taxCategoryCode": "S", "netAmount": lines * 10, "taxAmount": lines}}
	delete(request, "formatOptions")
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestParse_FatturaPAIsWrittenAsItWas has parts of documents that are written as they were read, though the invoice has members for a part of them only.
func TestParse_FatturaPAIsWrittenAsItWas(t *testing.T) {
	s := shippedService(t, today)
	const line = "<PrezzoTotale>1000.00</PrezzoTotale><AliquotaIVA>22.00</AliquotaIVA>"
	const group = "<EsigibilitaIVA>I</EsigibilitaIVA></DatiRiepilogo>"
	for name, edit := range map[string][]string{
		"a note with a number": {line, line + "<AltriDatiGestionali><TipoDato>NOTA</TipoDato><RiferimentoTesto>Lotto</RiferimentoTesto><RiferimentoNumero>7.00</RiferimentoNumero></AltriDatiGestionali>"},
		"a note with a date, and more": {line, line + "<AltriDatiGestionali><TipoDato>NOTA</TipoDato><RiferimentoTesto>Lotto</RiferimentoTesto><RiferimentoData>2026-01-01</RiferimentoData></AltriDatiGestionali>" +
			"<AltriDatiGestionali><TipoDato>A</TipoDato><RiferimentoNumero>1.00</RiferimentoNumero></AltriDatiGestionali><AltriDatiGestionali><TipoDato>B</TipoDato></AltriDatiGestionali>"},
		"a charge that VAT does not concern": {"<DatiRiepilogo>", "<DettaglioLinee><NumeroLinea>3</NumeroLinea><TipoCessionePrestazione>AC</TipoCessionePrestazione><Descrizione>Bolli</Descrizione><PrezzoUnitario>5.00</PrezzoUnitario>" +
			"<PrezzoTotale>5.00</PrezzoTotale><AliquotaIVA>0.00</AliquotaIVA><Natura>N1</Natura></DettaglioLinee><DatiRiepilogo>",
			group, group + "<DatiRiepilogo><AliquotaIVA>0.00</AliquotaIVA><Natura>N1</Natura><ImponibileImporto>5.00</ImponibileImporto><Imposta>0.00</Imposta>" +
				"<RiferimentoNormativo>Escluso ex art. 15 D.P.R. 633/72</RiferimentoNormativo></DatiRiepilogo>",
			"1293.20", "1298.20"},
		"a discount of parts of a cent for each unit":              {"<PrezzoTotale>1000.00<", "<ScontoMaggiorazione><Tipo>SC</Tipo><Importo>0.0006</Importo></ScontoMaggiorazione><PrezzoTotale>1000.00<"},
		"payments that are due and paid to a bank each in its way": {paymentsOf(t), "<DatiPagamento><CondizioniPagamento>TP03</CondizioniPagamento>" + advance + atBank + atBank + "</DatiPagamento>"},
	} {
		document := fatturapaFormat.golden(t, "goods", edit...)
		parsed := parsedAs(t, s, document)
		if written := squeezedXML(fatturapaFormat.generate(t, s, requestOf(t, parsed.Invoice)).Data); len(parsed.Warnings) > 0 || written != string(document) {
			t.Errorf("%s: %+v\n%s\n%s", name, parsed.Warnings, document, written)
		}
	}
}

// Two payments: one that is made already, and one whose day and bank are its own.
const (
	advance = "<DettaglioPagamento><ModalitaPagamento>MP08</ModalitaPagamento><ImportoPagamento>93.20</ImportoPagamento></DettaglioPagamento>"
	atBank  = "<DettaglioPagamento><ModalitaPagamento>MP05</ModalitaPagamento><DataScadenzaPagamento>2026-05-31</DataScadenzaPagamento><ImportoPagamento>600.00</ImportoPagamento>" +
		"<IstitutoFinanziario>Banca A</IstitutoFinanziario><IBAN>IT60X0542811101000000123456</IBAN><CodicePagamento>R1</CodicePagamento></DettaglioPagamento>"
)

// paymentsOf is the group of payments of the golden document of goods.
func paymentsOf(t *testing.T) string {
	t.Helper()
	document := string(fatturapaFormat.golden(t, "goods"))
	from, to := strings.Index(document, "<DatiPagamento>"), strings.Index(document, "</DatiPagamento>")
	if from < 0 || to < from {
		t.Fatal("the document of goods has no payments")
	}
	return document[from : to+len("</DatiPagamento>")]
}

// TestParse_FatturaPAGroupsOfPayments ensures that payments of several groups are written in one, and that terms which differ are told.
func TestParse_FatturaPAGroupsOfPayments(t *testing.T) {
	s := shippedService(t, today)
	first := "<DatiPagamento><CondizioniPagamento>TP01</CondizioniPagamento>" + advance + "</DatiPagamento>"
	for terms, told := range map[string]int{"TP01": 0, "TP03": 1} {
		second := "<DatiPagamento><CondizioniPagamento>" + terms + "</CondizioniPagamento>" + atBank + atBank + "</DatiPagamento>"
		document := fatturapaFormat.golden(t, "goods", paymentsOf(t), first+second)
		parsed := parsedAs(t, s, document)
		if len(parsed.Warnings) != told || told > 0 && !strings.Contains(parsed.Warnings[0].Message, "DatiPagamento[2]/CondizioniPagamento") {
			t.Errorf("%s: %+v", terms, parsed.Warnings)
		}
		want := strings.Replace(string(document), first+second, "<DatiPagamento><CondizioniPagamento>TP01</CondizioniPagamento>"+advance+atBank+atBank+"</DatiPagamento>", 1)
		if written := squeezedXML(fatturapaFormat.generate(t, s, requestOf(t, parsed.Invoice)).Data); written != want {
			t.Errorf("%s: %s\n%s", terms, written, want)
		}
	}
}
