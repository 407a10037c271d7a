package mapping

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/mapping/mappingtest"
)

// fattura is what a national format may derive from an invoice: a struct of its own that its table maps.
type fattura struct {
	Format   string            `json:"format"`
	Progress string            `json:"progress"`
	Type     string            `json:"type"`
	Currency string            `json:"currency"`
	Date     invoice.Date      `json:"date"`
	Number   string            `json:"number"`
	Total    decimal.Decimal   `json:"total"`
	Reasons  []reason          `json:"reasons"`
	Seller   *fatturaParty     `json:"seller"`
	Buyer    *fatturaParty     `json:"buyer"`
	Lines    []fatturaLine     `json:"lines"`
	Summary  []fatturaSummary  `json:"summary"`
	Links    *struct{ ID int } `json:"links"` // that no row has
}

type reason struct {
	Text string `json:"text"`
}

type fatturaParty struct {
	VATID   string `json:"vatId"`
	TaxID   string `json:"taxId"`
	Name    string `json:"name"`
	Regime  string `json:"regime"`
	Street  string `json:"street"`
	Code    string `json:"code"`
	City    string `json:"city"`
	Country string `json:"country"`
}

type fatturaLine struct {
	Number   *int            `json:"number"`
	Text     string          `json:"text"`
	Quantity decimal.Decimal `json:"quantity"`
	Unit     string          `json:"unit"`
	Price    decimal.Decimal `json:"price"`
	Sum      decimal.Decimal `json:"sum"`
	Rate     decimal.Decimal `json:"rate"`
}

type fatturaSummary struct {
	Rate decimal.Decimal `json:"rate"`
	Base decimal.Decimal `json:"base"`
	Tax  decimal.Decimal `json:"tax"`
}

type fatturaRow = Row[fattura]

// fatturaTable is a part of FatturaPA 1.2.3: its document element has a prefix, the elements in it none.
var fatturaTable = Table[fattura]{
	Namespaces: map[string]string{"p": "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"},
	Elements:   []Element{{Name: "p:FatturaElettronica"}},
	Lines:      "lines[]",
	Order: map[string]string{
		"FatturaElettronica":       "FatturaElettronicaHeader FatturaElettronicaBody",
		"FatturaElettronicaHeader": "DatiTrasmissione CedentePrestatore CessionarioCommittente",
		"DatiTrasmissione":         "ProgressivoInvio FormatoTrasmissione",
		"CedentePrestatore":        "DatiAnagrafici Sede",
		"CessionarioCommittente":   "DatiAnagrafici Sede",
		"DatiAnagrafici":           "IdFiscaleIVA CodiceFiscale Anagrafica RegimeFiscale",
		"IdFiscaleIVA":             "IdPaese IdCodice",
		"Sede":                     "Indirizzo CAP Comune Nazione",
		"FatturaElettronicaBody":   "DatiGenerali DatiBeniServizi",
		"DatiGeneraliDocumento":    "TipoDocumento Divisa Data Numero ImportoTotaleDocumento Causale",
		"DatiBeniServizi":          "DettaglioLinee DatiRiepilogo",
		"DettaglioLinee":           "NumeroLinea Descrizione Quantita UnitaMisura PrezzoUnitario PrezzoTotale AliquotaIVA",
		"DatiRiepilogo":            "AliquotaIVA ImponibileImporto Imposta",
	},
	Rows: []fatturaRow{
		{Path: ".", Attrs: []Attr{{Name: "versione", Field: "format"}}},
		{Path: "FatturaElettronicaHeader", Rows: []fatturaRow{
			{Path: "DatiTrasmissione", Rows: []fatturaRow{
				{Field: "progress", Path: "ProgressivoInvio"},
				{Field: "format", Path: "FormatoTrasmissione", Type: Code},
			}},
			{Term: "BG-4", Field: "seller", Path: "CedentePrestatore", Rows: fatturaPartyRows},
			{Term: "BG-7", Field: "buyer", Path: "CessionarioCommittente", Rows: fatturaPartyRows},
		}},
		{Path: "FatturaElettronicaBody/DatiGenerali/DatiGeneraliDocumento", Rows: []fatturaRow{
			{Term: "BT-3", Card: One, Field: "type", Path: "TipoDocumento", Type: Code, Convert: Codes([2]string{"380", "TD01"}, [2]string{"381", "TD04"}, [2]string{"384", "TD01"})},
			{Term: "BT-5", Card: One, Field: "currency", Path: "Divisa", Type: Code},
			{Term: "BT-2", Card: One, Field: "date", Path: "Data", Type: Day},
			{Term: "BT-1", Card: One, Field: "number", Path: "Numero"},
			{Term: "BT-112", Field: "total", Path: "ImportoTotaleDocumento", Type: Amount, Convert: Decimals(2, 2)},
			{Term: "BT-22", Card: Many, Field: "reasons[]", Path: "Causale", Rows: []fatturaRow{{Path: ".", Field: "text"}}},
		}},
		{Path: "FatturaElettronicaBody/DatiBeniServizi", Rows: []fatturaRow{
			{Term: "BG-25", Card: OneOrMore, Field: "lines[]", Path: "DettaglioLinee", Rows: []fatturaRow{
				{Term: "BT-126", Field: "number", Path: "NumeroLinea"},
				{Term: "BT-153", Field: "text", Path: "Descrizione"},
				{Term: "BT-129", Field: "quantity", Path: "Quantita", Type: Quantity, Convert: Decimals(2, 8)},
				{Term: "BT-130", Field: "unit", Path: "UnitaMisura"},
				{Term: "BT-146", Field: "price", Path: "PrezzoUnitario", Type: UnitPrice, Convert: Decimals(2, 8)},
				{Term: "BT-131", Field: "sum", Path: "PrezzoTotale", Type: Amount, Convert: Decimals(2, 8)},
				{Term: "BT-152", Field: "rate", Path: "AliquotaIVA", Type: Percentage, Convert: Decimals(2, 2)},
			}},
			{Term: "BG-23", Card: OneOrMore, Field: "summary[]", Path: "DatiRiepilogo", Rows: []fatturaRow{
				{Term: "BT-119", Field: "rate", Path: "AliquotaIVA", Type: Percentage, Convert: Decimals(2, 2)},
				{Term: "BT-116", Field: "base", Path: "ImponibileImporto", Type: Amount, Convert: Decimals(2, 2)},
				{Term: "BT-117", Field: "tax", Path: "Imposta", Type: Amount, Convert: Decimals(2, 2)},
			}},
		}},
	},
}

// The VAT identifier stands in two elements. An Italian company's tax number is that of the same, without the country; only another
// one is a tax number of its own (BT-32).
var fatturaPartyRows = []fatturaRow{
	{Path: "DatiAnagrafici", Rows: []fatturaRow{
		{Term: "BT-31 BT-48", Field: "vatId", Path: "IdFiscaleIVA", Split: vatNumber, Rows: []fatturaRow{{Path: "IdPaese"}, {Path: "IdCodice"}}},
		{Term: "BT-32", Path: "CodiceFiscale", Codec: fiscalCode},
		{Term: "BT-27 BT-44", Field: "name", Path: "Anagrafica/Denominazione"},
		{Field: "regime", Path: "RegimeFiscale", Type: Code},
	}},
	{Term: "BG-5 BG-8", Path: "Sede", Rows: []fatturaRow{
		{Term: "BT-35 BT-50", Field: "street", Path: "Indirizzo"},
		{Term: "BT-38 BT-53", Field: "code", Path: "CAP", Fill: "00000"},
		{Term: "BT-37 BT-52", Field: "city", Path: "Comune"},
		{Term: "BT-40 BT-55", Field: "country", Path: "Nazione", Type: Code},
	}},
}

// vatNumber takes the country off a VAT identifier.
var vatNumber = &Split{
	Parts: func(text string) []string {
		if len(text) < 3 || strings.Trim(text[:2], "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
			return nil
		}
		return []string{text[:2], text[2:]}
	},
	Join: func(parts []string) (string, bool) {
		return parts[0] + parts[1], len(parts[0]) == 2 && parts[1] != ""
	},
}

// fiscalCode is the tax number, for which that of the VAT identifier stands.
var fiscalCode = &Codec{
	Fields: []string{"taxId"},
	Format: func(group any) string {
		party := group.(*fatturaParty)
		if code, italian := strings.CutPrefix(party.VATID, "IT"); italian && party.TaxID == "" {
			return code
		}
		return party.TaxID
	},
	Parse: func(text string, group any) {
		if party := group.(*fatturaParty); party.VATID != "IT"+text {
			party.TaxID = text
		}
	},
}

func fatturaMapping(t testing.TB) *Mapping[fattura] {
	t.Helper()
	m, err := Compile(&fatturaTable)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// writeFattura writes a document of the table of these tests.
func writeFattura(t rapid.TB, m *Mapping[fattura], f *fattura) (string, []Unwritten) {
	t.Helper()
	w := xmltree.NewWriter(xmltree.WriterOptions{NoDecl: true})
	unwritten, err := m.Write(context.Background(), w, f, Env{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return string(w.Bytes()), unwritten
}

func readFattura(t rapid.TB, m *Mapping[fattura], text string) *Reading[fattura] {
	t.Helper()
	reading, err := m.Read(context.Background(), parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return reading
}

func sampleFattura() *fattura {
	d, one, two := decimal.MustParse, 1, 2
	return &fattura{Format: "FPR12", Progress: "00001", Type: "381", Currency: "EUR", Date: "2026-02-01", Number: "7/A", Total: d("122"),
		Reasons: []reason{{"Primo testo"}, {"Secondo testo"}},
		Seller:  &fatturaParty{VATID: "IT01234567890", Name: "Vele Srl", Regime: "RF01", Street: "Via Mare 1", Code: "16121", City: "Genova", Country: "IT"},
		Buyer:   &fatturaParty{VATID: "IT09876543210", TaxID: "RSSMRA80A01H501U", Name: "Rossi", Street: "Via Po 2", Code: "10121", City: "Torino", Country: "IT"},
		Lines: []fatturaLine{{Number: &one, Text: "Vela", Quantity: d("1"), Unit: "NR", Price: d("90.125"), Sum: d("90.13"), Rate: d("22")},
			{Number: &two, Text: "Cima", Price: d("9.87"), Sum: d("9.87"), Rate: d("22.0")}},
		Summary: []fatturaSummary{{Rate: d("22"), Base: d("100.00"), Tax: d("22")}},
	}
}

const fatturaDocument = `<p:FatturaElettronica xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2" versione="FPR12">
<FatturaElettronicaHeader>
<DatiTrasmissione>
<ProgressivoInvio>00001</ProgressivoInvio><FormatoTrasmissione>FPR12</FormatoTrasmissione>
</DatiTrasmissione>
<CedentePrestatore>
<DatiAnagrafici>
<IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>01234567890</IdCodice></IdFiscaleIVA>
<CodiceFiscale>01234567890</CodiceFiscale>
<Anagrafica><Denominazione>Vele Srl</Denominazione></Anagrafica><RegimeFiscale>RF01</RegimeFiscale>
</DatiAnagrafici>
<Sede><Indirizzo>Via Mare 1</Indirizzo><CAP>16121</CAP><Comune>Genova</Comune><Nazione>IT</Nazione></Sede>
</CedentePrestatore>
<CessionarioCommittente>
<DatiAnagrafici>
<IdFiscaleIVA><IdPaese>IT</IdPaese><IdCodice>09876543210</IdCodice></IdFiscaleIVA>
<CodiceFiscale>RSSMRA80A01H501U</CodiceFiscale>
<Anagrafica><Denominazione>Rossi</Denominazione></Anagrafica>
</DatiAnagrafici>
<Sede><Indirizzo>Via Po 2</Indirizzo><CAP>10121</CAP><Comune>Torino</Comune><Nazione>IT</Nazione></Sede>
</CessionarioCommittente>
</FatturaElettronicaHeader>
<FatturaElettronicaBody>
<DatiGenerali>
<DatiGeneraliDocumento>
<TipoDocumento>TD04</TipoDocumento><Divisa>EUR</Divisa><Data>2026-02-01</Data><Numero>7/A</Numero><ImportoTotaleDocumento>122.00</ImportoTotaleDocumento>
<Causale>Primo testo</Causale><Causale>Secondo testo</Causale>
</DatiGeneraliDocumento>
</DatiGenerali>
<DatiBeniServizi>
<DettaglioLinee>
<NumeroLinea>1</NumeroLinea><Descrizione>Vela</Descrizione><Quantita>1.00</Quantita><UnitaMisura>NR</UnitaMisura>
<PrezzoUnitario>90.125</PrezzoUnitario><PrezzoTotale>90.13</PrezzoTotale><AliquotaIVA>22.00</AliquotaIVA>
</DettaglioLinee>
<DettaglioLinee>
<NumeroLinea>2</NumeroLinea><Descrizione>Cima</Descrizione><PrezzoUnitario>9.87</PrezzoUnitario><PrezzoTotale>9.87</PrezzoTotale><AliquotaIVA>22.00</AliquotaIVA>
</DettaglioLinee>
<DatiRiepilogo><AliquotaIVA>22.00</AliquotaIVA><ImponibileImporto>100.00</ImponibileImporto><Imposta>22.00</Imposta></DatiRiepilogo>
</DatiBeniServizi>
</FatturaElettronicaBody>
</p:FatturaElettronica>`

// TestFatturaPAIsWrittenAndReadFromAStructOfItsOwn ensures the document and the way back, every leaf of it.
func TestFatturaPAIsWrittenAndReadFromAStructOfItsOwn(t *testing.T) {
	m := fatturaMapping(t)
	text, unwritten := writeFattura(t, m, sampleFattura())
	if diff := cmp.Diff(strings.ReplaceAll(fatturaDocument, "\n", ""), flat(text)); diff != "" || len(unwritten) > 0 {
		t.Errorf("%+v\n%s", unwritten, diff)
	}
	got := readFattura(t, m, fatturaDocument)
	if diff := cmp.Diff(sampleFattura(), got.Invoice, cmp.Comparer(decimal.Decimal.Equal)); diff != "" || got.Element != "p:FatturaElettronica" {
		t.Errorf("%s\n%s", got.Element, diff)
	}
	if a := got.Account; a.Reported > 0 || a.Mapped+a.Derived != mappingtest.Leaves(parse(t, fatturaDocument)) {
		t.Errorf("%+v", a)
	}
}

// TestIdentifiersOfFatturaPAComeFromOneMember has what stands in a party's identification, in any order, and what it says.
func TestIdentifiersOfFatturaPAComeFromOneMember(t *testing.T) {
	const country, code = "<IdPaese>IT</IdPaese>", "<IdCodice>01234567890</IdCodice>"
	cases := []struct {
		name, content string
		want          fatturaParty
		back          string // how it is written again, where that differs
		reported      []string
	}{
		{name: "both alike", content: "<IdFiscaleIVA>" + country + code + "</IdFiscaleIVA><CodiceFiscale>01234567890</CodiceFiscale>", want: fatturaParty{VATID: "IT01234567890"}},
		{name: "the tax number first", content: "<CodiceFiscale>01234567890</CodiceFiscale><IdFiscaleIVA>" + code + country + "</IdFiscaleIVA>", want: fatturaParty{VATID: "IT01234567890"},
			back: "<IdFiscaleIVA>" + country + code + "</IdFiscaleIVA><CodiceFiscale>01234567890</CodiceFiscale>"},
		{name: "two numbers", content: "<IdFiscaleIVA>" + country + code + "</IdFiscaleIVA><CodiceFiscale>X1</CodiceFiscale>", want: fatturaParty{VATID: "IT01234567890", TaxID: "X1"}},
		{name: "from abroad", content: "<IdFiscaleIVA><IdPaese>DE</IdPaese><IdCodice>1</IdCodice></IdFiscaleIVA>", want: fatturaParty{VATID: "DE1"}},
		{name: "a consumer", content: "<CodiceFiscale>X1</CodiceFiscale>", want: fatturaParty{TaxID: "X1"}},
		{name: "in pieces", content: "<IdFiscaleIVA><IdPaese> D<!-- -->E\n</IdPaese><IdCodice>1</IdCodice></IdFiscaleIVA>", want: fatturaParty{VATID: "DE1"},
			back: "<IdFiscaleIVA><IdPaese>DE</IdPaese><IdCodice>1</IdCodice></IdFiscaleIVA>"},
		{name: "half of it", content: "<IdFiscaleIVA><IdCodice>1</IdCodice></IdFiscaleIVA>", reported: []string{"IdFiscaleIVA/IdCodice " + string(unjoined)}},
		{name: "another number as well", content: "<IdFiscaleIVA>" + country + "<IdCodice>1</IdCodice><IdCodice>2</IdCodice></IdFiscaleIVA>", want: fatturaParty{VATID: "IT1"},
			back:     "<IdFiscaleIVA>" + country + "<IdCodice>1</IdCodice></IdFiscaleIVA><CodiceFiscale>1</CodiceFiscale>",
			reported: []string{"IdFiscaleIVA/IdCodice[2] " + string(duplicate)}},
		{name: "another identifier as well", content: "<IdFiscaleIVA>" + country + "<IdCodice>1</IdCodice></IdFiscaleIVA><IdFiscaleIVA>" + country + "<IdCodice>2</IdCodice></IdFiscaleIVA>",
			want: fatturaParty{VATID: "IT1"}, back: "<IdFiscaleIVA>" + country + "<IdCodice>1</IdCodice></IdFiscaleIVA><CodiceFiscale>1</CodiceFiscale>",
			reported: []string{"IdFiscaleIVA[2]/IdPaese " + string(duplicate), "IdFiscaleIVA[2]/IdCodice " + string(duplicate)}},
		{name: "what is in neither piece", content: "<IdFiscaleIVA>loose" + country + code + "<Altro>1</Altro></IdFiscaleIVA>", want: fatturaParty{VATID: "IT01234567890"},
			back:     "<IdFiscaleIVA>" + country + code + "</IdFiscaleIVA><CodiceFiscale>01234567890</CodiceFiscale>",
			reported: []string{"IdFiscaleIVA " + notText, "IdFiscaleIVA/Altro " + unknownPlace}},
	}
	m := fatturaMapping(t)
	const before, after = `<p:FatturaElettronica xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"><FatturaElettronicaHeader><CessionarioCommittente><DatiAnagrafici>`,
		`</DatiAnagrafici></CessionarioCommittente></FatturaElettronicaHeader></p:FatturaElettronica>`
	for _, c := range cases {
		got := readFattura(t, m, before+c.content+after)
		buyer := got.Invoice.Buyer
		if buyer == nil {
			buyer = &fatturaParty{}
		}
		if *buyer != c.want {
			t.Errorf("%s: %+v", c.name, *buyer)
		}
		var reported []string
		for _, l := range got.Account.Leaves {
			reported = append(reported, strings.TrimPrefix(l.Path, "/p:FatturaElettronica/FatturaElettronicaHeader/CessionarioCommittente/DatiAnagrafici/")+" "+l.Reason)
		}
		if diff := cmp.Diff(c.reported, reported); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if a := got.Account; a.Mapped+a.Derived+a.Reported != mappingtest.Leaves(parse(t, before+c.content+after)) {
			t.Errorf("%s: %+v", c.name, a)
		}
		want := before + c.content + after
		if c.back != "" {
			want = before + c.back + after
		}
		text, _ := writeFattura(t, m, got.Invoice)
		if len(c.reported) == 0 && flat(text) != want || c.back != "" && flat(text) != want {
			t.Errorf("%s is written as\n%s", c.name, text)
		}
	}
}

// TestWhatFatturaPACannotSayIsListed has members that lose all or some digits.
func TestWhatFatturaPACannotSayIsListed(t *testing.T) {
	f := sampleFattura()
	d := decimal.MustParse
	f.Type, f.Total, f.Buyer.VATID = "326", d("122.005"), "9876"
	f.Lines[0].Price, f.Lines[1].Price, f.Lines[1].Quantity = d("1.123456785"), d("1.1234567849"), d("2.500000000")
	text, unwritten := writeFattura(t, fatturaMapping(t), f)
	want := []Unwritten{{Field: "type"}, {Field: "total", Rounded: true}, {Field: "buyer.vatId"}, {Field: "lines[0].price", More: 1, Rounded: true}}
	if diff := cmp.Diff(want, unwritten); diff != "" {
		t.Error(diff)
	}
	for _, part := range []string{"<ImportoTotaleDocumento>122.01<", "<PrezzoUnitario>1.12345679<", "<PrezzoUnitario>1.12345678<", "<Quantita>2.50000000<"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	if strings.Contains(text, "TipoDocumento") || strings.Count(text, "IdFiscaleIVA") != 2 {
		t.Error(text)
	}
}

// TestPartsOfFatturaPAAreLocated has paths and the members of the struct that is written.
func TestPartsOfFatturaPAAreLocated(t *testing.T) {
	m := fatturaMapping(t)
	doc := parse(t, fatturaDocument)
	l := m.NewLocator(doc)
	const header, body = "/p:FatturaElettronica/FatturaElettronicaHeader", "/p:FatturaElettronica/FatturaElettronicaBody"
	for _, c := range []struct{ path, field, term string }{
		{"/p:FatturaElettronica/@versione", "format", ""},
		{header + "/DatiTrasmissione/FormatoTrasmissione", "format", ""},
		{header + "/CedentePrestatore/DatiAnagrafici/IdFiscaleIVA", "seller.vatId", "BT-31 BT-48"},
		{header + "/CedentePrestatore/DatiAnagrafici/IdFiscaleIVA/IdPaese", "seller.vatId", "BT-31 BT-48"},
		{header + "/CedentePrestatore/DatiAnagrafici/CodiceFiscale", "seller.taxId", "BT-32"},
		{header + "/CedentePrestatore/DatiAnagrafici", "seller", "BG-4"},
		{body + "/DatiGenerali/DatiGeneraliDocumento/Causale[2]", "reasons[1].text", "BT-22"},
		{body + "/DatiBeniServizi/DettaglioLinee[2]/PrezzoTotale", "lines[1].sum", "BT-131"},
		{body + "/DatiBeniServizi/DatiRiepilogo/Imposta", "summary[0].tax", "BT-117"},
	} {
		if got := l.Locate(nodeAt(t, doc, c.path)); got != (Place{c.field, c.term}) {
			t.Errorf("%s: %+v, want %s %s", c.path, got, c.field, c.term)
		}
	}
	from := nodeAt(t, doc, header+"/CessionarioCommittente/Sede")
	if seen, ok := l.Nearest("BT-48", from); !ok || seen.Field != "buyer.vatId" || !seen.Present {
		t.Errorf("%+v", seen)
	}
	if !l.Member(nodeAt(t, doc, header+"/CedentePrestatore/DatiAnagrafici/IdFiscaleIVA")) || l.Member(nodeAt(t, doc, header+"/CedentePrestatore/DatiAnagrafici")) {
		t.Error("members are not told from groups")
	}
}

// TestAnyIdentifierOfFatturaPAComesBack draws VAT identifiers and tax numbers.
func TestAnyIdentifierOfFatturaPAComesBack(t *testing.T) {
	m := fatturaMapping(t)
	rapid.Check(t, func(t *rapid.T) {
		party := &fatturaParty{VATID: rapid.StringMatching(`([A-Z]{2}[0-9A-Z]{1,11})?`).Draw(t, "vat"), TaxID: rapid.StringMatching(`([0-9]{11})?`).Draw(t, "tax"), Name: "N"}
		if "IT"+party.TaxID == party.VATID {
			party.TaxID = ""
		}
		f := &fattura{Format: "FPA12", Buyer: party}
		text, unwritten := writeFattura(t, m, f)
		got := readFattura(t, m, text)
		if diff := cmp.Diff(f, got.Invoice, cmp.Comparer(decimal.Decimal.Equal)); diff != "" || len(unwritten) > 0 || got.Account.Reported > 0 {
			t.Fatalf("%+v %+v\n%s\n%s", unwritten, got.Account, diff, text)
		}
	})
}
