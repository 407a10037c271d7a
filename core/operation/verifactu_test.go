package operation

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/core/verifactu"
)

// judgeRecords judges a document by the rulebook of VeriFactu.
// What is of another namespace is judged by nothing, which is no verdict.
func judgeRecords(t *testing.T, s *Service, document []byte) (errors, warnings []finding.Finding, judged bool) {
	t.Helper()
	doc, err := s.parser.Parse(document)
	if err != nil {
		t.Fatal(err)
	}
	root := doc.Root()
	kind := rulebook.Kind{Root: xmltree.Name{Space: doc.Namespace(root), Local: doc.Local(root)}}
	report, c, err := s.session(t.Context(), "", false).judge(t.Context(), doc, kind, true)
	if err != nil {
		t.Fatal(err)
	}
	entries := report.Entries(recordPlacer{doc}, false)
	return entries.Errors, entries.Warnings, len(c.gaps) == 0
}

// soundRecord is a registration that no check finds fault with.
func soundRecord() *verifactu.Record {
	return &verifactu.Record{
		Version: "1.0", Invoice: verifactu.InvoiceID{Issuer: "B12345674", Number: "A-1", Date: "30-06-2025"}, IssuerName: "Alfa", Type: "F1", Description: "Servicios",
		Recipients: []verifactu.Party{{Name: "Beta", NIF: "A28015865"}},
		Details:    []verifactu.Detail{{Tax: "01", Regime: "01", Qualifier: "S1", Rate: "21.00", Base: "1000.00", Amount: "210.00"}},
		Tax:        "210.00", Total: "1210.00", HashType: "01",
	}
}

// sealedXML is a record in a chain, as XML.
func sealedXML(t testing.TB, r *verifactu.Record, change ...func(*verifactu.Record)) []byte {
	t.Helper()
	system := verifactu.System{Producer: verifactu.Party{Name: "Alfa", NIF: "B12345674"}, Name: "s", ID: "EI", Version: "1", Installation: "I", OnlyVerifactu: "S", SeveralUsers: "N", ServesSeveral: "N"}
	r.Seal(system, nil, "2025-06-30T10:00:00+02:00")
	for _, c := range change {
		c(r)
	}
	text, err := r.XML()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// detailed is a record of one detail, whose sums fit.
func detailed(kind string, d verifactu.Detail, total, tax string) func(*verifactu.Record) {
	return func(r *verifactu.Record) {
		r.Type, r.Details, r.Total, r.Tax = kind, []verifactu.Detail{d}, total, tax
		if kind == "F2" || kind == "R5" {
			r.Recipients = nil
		}
		if kind[0] == 'R' {
			r.Kind = "I"
		}
	}
}

// TestVeriFactu_RulesFire breaks each check in a record that is right otherwise.
func TestVeriFactu_RulesFire(t *testing.T) {
	s := shippedService(t, today)
	detail := func(change func(*verifactu.Detail)) func(*verifactu.Record) {
		return func(r *verifactu.Record) { change(&r.Details[0]) }
	}
	surcharged := func(regime, rate, amount, surcharge string) func(*verifactu.Record) {
		return detailed("F1", verifactu.Detail{Tax: "01", Regime: regime, Qualifier: "S1", Rate: rate, Base: "100.00", Amount: amount, SurchargeRate: surcharge, Surcharge: "0.00"}, "100.00", amount)
	}
	exempt := func(regime, exemption string) verifactu.Detail {
		return verifactu.Detail{Tax: "01", Regime: regime, Exemption: exemption, Base: "100.00"}
	}
	qualified := func(regime, qualifier string) verifactu.Detail {
		return verifactu.Detail{Tax: "01", Regime: regime, Qualifier: qualifier, Base: "100.00"}
	}
	id := verifactu.InvoiceID{Issuer: "B12345674", Number: "A-0", Date: "29-06-2025"}
	fired := map[string]bool{}
	for _, c := range []struct {
		rule   string
		change func(*verifactu.Record)
	}{
		{"1104", func(r *verifactu.Record) { r.Invoice.Number = "Nº1" }},
		{"1105", func(r *verifactu.Record) { r.Invoice.Date = "30-02-2025" }},
		{"1112", func(r *verifactu.Record) { r.Invoice.Date = "01-07-2025" }},
		{"1114", func(r *verifactu.Record) { r.Type = "R1" }},
		{"1115", func(r *verifactu.Record) { r.Kind = "I" }},
		{"1116", func(r *verifactu.Record) { r.Replaced = []verifactu.InvoiceID{id} }},
		{"1117", func(r *verifactu.Record) { r.Rectified = []verifactu.InvoiceID{id} }},
		{"1118", func(r *verifactu.Record) { r.Type, r.Kind = "R1", "S" }},
		{"1119", func(r *verifactu.Record) {
			r.Type, r.Kind, r.Amended = "R1", "I", &verifactu.Amended{Base: "1.00", Tax: "0.21"}
		}},
		{"1124", detail(func(d *verifactu.Detail) { d.Rate = "20.50" })},
		{"1138", detailed("F1", verifactu.Detail{Tax: "01", Regime: "01", Exemption: "E1", Base: "100000000.00"}, "100000000.00", "0.00")},
		{"1139", func(r *verifactu.Record) { r.Large = "S" }},
		{"1142", detail(func(d *verifactu.Detail) { d.Amount = "199.90" })},
		{"1143", detail(func(d *verifactu.Detail) { d.Amount = "-210.00" })},
		{"1144", detail(func(d *verifactu.Detail) { d.Regime, d.BaseAtCost = "06", "900.00" })},
		{"1146", func(r *verifactu.Record) { r.Operation = "01-07-2025" }},
		{"1148", detailed("F2", verifactu.Detail{Tax: "01", Regime: "14", Qualifier: "S1", Rate: "21", Base: "100", Amount: "21"}, "121.00", "21.00")},
		{"1150", detailed("F2", verifactu.Detail{Tax: "01", Regime: "01", Qualifier: "S1", Rate: "21", Base: "2500", Amount: "525"}, "3025.00", "525.00")},
		{"1152", func(r *verifactu.Record) { r.Invoice.Date = "27-10-2024" }},
		{"1153", func(r *verifactu.Record) { r.Rejected = "X" }},
		{"1157", func(r *verifactu.Record) { r.Coupon = "S" }},
		{"1160", surcharged("18", "5.00", "5.00", "1.40")},
		{"1161", func(r *verifactu.Record) { r.Rejected = "S" }},
		{"1162", surcharged("18", "21.00", "21.00", "1.40")},
		{"1163", surcharged("18", "10.00", "10.00", "5.20")},
		{"1164", surcharged("18", "4.00", "4.00", "1.40")},
		{"1165", func(r *verifactu.Record) { surcharged("18", "0.00", "0.00", "0.26")(r); r.Operation = "30-09-2024" }},
		{"1166", surcharged("18", "2.00", "2.00", "1.00")},
		{"1169", surcharged("18", "7.50", "7.50", "0.26")},
		{"1170", surcharged("18", "0.00", "0.00", "0.00")},
		{"1183", func(r *verifactu.Record) { r.Type, r.Recipients, r.Simplified = "F2", nil, "S" }},
		{"1185", func(r *verifactu.Record) { r.Unnamed = "S" }},
		{"1186", func(r *verifactu.Record) { r.IssuedBy = "T" }},
		{"1187", func(r *verifactu.Record) { r.ThirdParty = &verifactu.Party{Name: "x", NIF: "A28015865"} }},
		{"1188", func(r *verifactu.Record) {
			r.IssuedBy, r.ThirdParty = "T", &verifactu.Party{Name: "x", NIF: "B12345674"}
		}},
		{"1189", func(r *verifactu.Record) { r.Recipients = nil }},
		{"1190", func(r *verifactu.Record) { r.Type = "F2" }},
		{"1191", func(r *verifactu.Record) {
			r.Type, r.Kind, r.Recipients = "R3", "I", []verifactu.Party{{Name: "x", Other: &verifactu.OtherID{Type: "02", ID: "DE1"}}}
		}},
		{"1192", func(r *verifactu.Record) {
			r.Type, r.Kind, r.Recipients = "R2", "I", []verifactu.Party{{Name: "x", Other: &verifactu.OtherID{Country: "US", Type: "04", ID: "1"}}}
		}},
		{"1194", detail(func(d *verifactu.Detail) { d.Rate, d.Amount = "5.00", "50.00" })},
		{"1197", detailed("F2", verifactu.Detail{Tax: "01", Regime: "01", Qualifier: "S2", Rate: "0", Base: "100", Amount: "0"}, "100.00", "0.00")},
		{"1198", detailed("F1", verifactu.Detail{Tax: "01", Regime: "01", Qualifier: "S2", Rate: "21", Base: "100", Amount: "0"}, "100.00", "0.00")},
		{"1199", detailed("F1", exempt("01", "E2"), "100.00", "0.00")},
		{"1200", detailed("F1", qualified("03", "N1"), "100.00", "0.00")},
		{"1201", detailed("F1", qualified("04", "N1"), "100.00", "0.00")},
		{"1202", detail(func(d *verifactu.Detail) { d.Regime = "06" })},
		{"1203", detailed("F1", exempt("07", "E2"), "100.00", "0.00")},
		{"1205", detail(func(d *verifactu.Detail) { d.Regime = "10" })},
		{"1206", detail(func(d *verifactu.Detail) { d.Regime, d.Rate, d.Amount = "11", "10.00", "100.00" })},
		{"1207", detailed("F1", verifactu.Detail{Tax: "03", Regime: "01", Qualifier: "N1", Base: "100", Amount: "1.00"}, "101.00", "1.00")},
		{"1208", detail(func(d *verifactu.Detail) { d.Amount = "" })},
		{"1209", detail(func(d *verifactu.Detail) { d.Regime, d.BaseAtCost, d.Amount = "06", "1000.00", "" })},
		{"1235", detail(func(d *verifactu.Detail) { d.Rate, d.Amount = "2.00", "20.00" })},
		{"1236", detail(func(d *verifactu.Detail) { d.Rate, d.Amount = "7.50", "75.00" })},
		{"1237", detailed("F1", verifactu.Detail{Tax: "01", Regime: "01", Qualifier: "N2", Rate: "21", Base: "100"}, "100.00", "0.00")},
		{"1238", detailed("F1", verifactu.Detail{Tax: "01", Regime: "01", Exemption: "E1", Rate: "21", Base: "100"}, "100.00", "0.00")},
		{"1245", detail(func(d *verifactu.Detail) { d.Regime = "" })},
		{"1252", detail(func(d *verifactu.Detail) { d.Regime = "08" })},
		{"1257", detail(func(d *verifactu.Detail) { d.BaseAtCost = "1000.00" })},
		{"1260", detail(func(d *verifactu.Detail) { d.Tax = "02" })},
		{"1279", surcharged("01", "21.00", "21.00", "5.20")},
		{"1281", detailed("F1", verifactu.Detail{Tax: "03", Regime: "18", Qualifier: "N1", Base: "100", SurchargeRate: "5.20", Surcharge: "0.00"}, "100.00", "0.00")},
		{"1284", detailed("F1", verifactu.Detail{Tax: "01", Regime: "18", Qualifier: "S1", Rate: "21", Base: "100", Amount: "21", SurchargeRate: "5.2"}, "121.00", "21.00")},
		{"1287", func(r *verifactu.Record) { r.Invoice.Number = "A=1" }},
		{"1289", detailed("F1", exempt("01", "E5"), "100.00", "0.00")},
		{"2005", func(r *verifactu.Record) { r.Total = "1220.01" }},
		{"2006", func(r *verifactu.Record) { r.Tax = "199.99" }},
	} {
		fired[c.rule] = true
		r := soundRecord()
		c.change(r)
		errs, warnings, judged := judgeRecords(t, s, sealedXML(t, r))
		list := errs
		if c.rule >= "2000" {
			list = warnings
		}
		if !judged || !slices.ContainsFunc(list, func(f finding.Finding) bool { return f.Code == c.rule || f.Rule == c.rule }) {
			t.Errorf("%s does not fire: %+v %+v", c.rule, errs, warnings)
		}
	}
	for rule, change := range map[string]func(*verifactu.Record){
		"1262": func(r *verifactu.Record) { r.Hash = strings.ToLower(r.Hash) },
		"1278": func(r *verifactu.Record) { r.First, r.Previous = "", &verifactu.Previous{InvoiceID: id, Hash: r.Hash} },
	} {
		fired[rule] = true
		if errs, _, _ := judgeRecords(t, s, sealedXML(t, soundRecord(), change)); len(errs) != 1 || errs[0].Code != rule {
			t.Errorf("%s: %+v", rule, errs)
		}
	}
	cancellation := verifactu.Cancellation(id)
	cancellation.CanceledBy = "E"
	if errs, _, _ := judgeRecords(t, s, sealedXML(t, cancellation)); len(errs) != 1 || errs[0].Code != "1224" {
		t.Errorf("1224: %+v", errs)
	}
	batch := verifactu.Batch{Issuer: verifactu.Party{Name: "x", NIF: "A28015865"}, Records: []*verifactu.Record{soundRecord()}}
	sealedXML(t, batch.Records[0])
	text, err := batch.XML()
	if err != nil {
		t.Fatal(err)
	}
	if errs, _, _ := judgeRecords(t, s, text); len(errs) != 1 || errs[0].Code != "1108" {
		t.Errorf("1108: %+v", errs)
	}
	fired["1224"], fired["1108"] = true, true
	messages, err := os.ReadFile("../../rulebooks/write/verifactu/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(messages), "\n") {
		if rule, _, named := strings.Cut(line, " fatal:"); named && !fired[rule] {
			t.Errorf("nothing breaks %s", rule)
		}
	}
	if errs, warnings, judged := judgeRecords(t, s, sealedXML(t, soundRecord())); !judged || len(errs)+len(warnings) > 0 {
		t.Errorf("%+v %+v", errs, warnings)
	}
}

// registering is the service with the rulebooks that ship, and an installation.
func registering(t testing.TB, day string) *Service {
	t.Helper()
	text, err := os.ReadFile("../../testdata/verifactu/installation.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s := shippedService(t, day)
	if s.cfg.VeriFactu, err = verifactu.Load(text); err != nil {
		t.Fatal(err)
	}
	return s
}

// spanishBody is the sample of Spain that asks for a record, changed.
func spanishBody(t testing.TB, change ...func(inv map[string]any)) []byte {
	t.Helper()
	text, err := os.ReadFile("../../testdata/countries/es.json")
	if err != nil {
		t.Fatal(err)
	}
	var body map[string]map[string]any
	if err := json.Unmarshal(text, &body); err != nil {
		t.Fatal(err)
	}
	body["invoice"]["countrySpecific"] = map[string]any{"countryCode": "ES", "verifactu": true}
	for _, c := range change {
		c(body["invoice"])
	}
	if text, err = json.Marshal(body); err != nil {
		t.Fatal(err)
	}
	return text
}

// TestVeriFactu_GenerateMakesARecord ensures that the record comes with the answer, is the same in every format, and is warned of for business alone.
func TestVeriFactu_GenerateMakesARecord(t *testing.T) {
	s := registering(t, today)
	var contents []string
	for _, format := range []string{"ubl", "pdf"} {
		for _, live := range []bool{false, true} {
			a, err := s.Generate(t.Context(), GenerateRequest{Country: "ES", Format: format, Live: live, Body: spanishBody(t)})
			if err != nil {
				t.Fatal(refusalOf(err))
			}
			content, err := a.Record.Content()
			if err != nil {
				t.Fatal(err)
			}
			contents = append(contents, content)
			if warned := slices.ContainsFunc(a.Warnings, func(f finding.Finding) bool { return f.Code == finding.VeriFactuNotSent }); warned != live {
				t.Errorf("%s, live %v: %+v", format, live, a.Warnings)
			}
		}
	}
	if len(slices.Compact(contents)) != 1 {
		t.Errorf("%v", contents)
	}
	without := spanishBody(t, func(inv map[string]any) { delete(inv, "countrySpecific") })
	if a, err := s.Generate(t.Context(), GenerateRequest{Country: "ES", Format: "ubl", Body: without}); err != nil || a.Record != nil {
		t.Errorf("%v", err)
	}
}

// TestVeriFactu_RecordsAreJudged ensures that what the tax office would refuse is 422, with the member of the invoice.
func TestVeriFactu_RecordsAreJudged(t *testing.T) {
	s := registering(t, today)
	keys := func(more map[string]any) func(map[string]any) {
		return func(inv map[string]any) {
			for name, value := range more {
				inv["countrySpecific"].(map[string]any)[name] = value
			}
		}
	}
	for _, c := range []struct {
		code, field string
		change      func(map[string]any)
	}{
		{"1190", "buyer.vatId", keys(map[string]any{"invoiceType": "F2"})},
		{"1252", "taxSummary[0]", keys(map[string]any{"regimeKey": "08"})},
		{"1118", "countrySpecific.national", func(inv map[string]any) {
			inv["type"] = "correction"
			keys(map[string]any{"correctionMethod": "01"})(inv)
		}},
		{"1152", "issueDate", func(inv map[string]any) { inv["issueDate"], inv["deliveryDate"] = "2024-01-31", "2024-01-31" }},
		{"MISSING_FIELD", "seller.vatId", func(inv map[string]any) { inv["seller"].(map[string]any)["vatId"] = "DE123456789" }},
		{"INVALID_VALUE", "currency", func(inv map[string]any) { inv["currency"] = "USD" }},
		{"INVALID_VALUE", "type", func(inv map[string]any) { inv["type"] = "proforma" }},
	} {
		_, err := s.Generate(t.Context(), GenerateRequest{Country: "ES", Format: "pdf", Body: spanishBody(t, c.change)})
		refusal, ok := errors.AsType[*finding.Refusal](err)
		if !ok || refusal.Kind != finding.Unprocessable || !slices.ContainsFunc(refusal.Errors, func(f finding.Finding) bool { return f.Code == c.code && f.Field == c.field }) {
			t.Errorf("%s: %+v", c.code, refusalOf(err))
		}
	}
}

// TestVeriFactu_OthersMakeNoRecord ensures that a service without an installation refuses invoices that ask for a record, and takes others.
func TestVeriFactu_OthersMakeNoRecord(t *testing.T) {
	s := shippedService(t, today)
	for _, format := range []string{"ubl", "pdf"} {
		_, err := s.Generate(t.Context(), GenerateRequest{Country: "ES", Format: format, Body: spanishBody(t)})
		refusal, ok := errors.AsType[*finding.Refusal](err)
		if !ok || refusal.Kind != finding.Conflict || refusal.Field != registerField {
			t.Errorf("%s: %v", format, err)
		}
	}
	if _, err := s.PrintDeclaration(context.Background()); !errors.Is(err, NoVeriFactu) {
		t.Errorf("%v", err)
	}
	if answer, err := s.Validate(t.Context(), ValidateRequest{Country: "ES", Format: "ubl", Body: spanishBody(t)}); err != nil || !answer.Valid {
		t.Errorf("%v %+v", err, answer)
	}
}

// TestVeriFactu_DeclarationIsPrinted ensures that the PDF is the same each time, and says what is declared.
func TestVeriFactu_DeclarationIsPrinted(t *testing.T) {
	s := registering(t, today)
	first, err := s.PrintDeclaration(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := s.PrintDeclaration(t.Context())
	if err != nil || first.Hash != again.Hash || len(first.Warnings) > 0 {
		t.Errorf("%v %+v", err, first.Warnings)
	}
}
