//go:build oracles

package operation

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/test/oracles"
)

// asked gives what python-stdnum and ksef-client answer to questions, in the form of test/oracles/numbers/check.py.
func asked[T any](t *testing.T, questions []string) []T {
	t.Helper()
	return must(oracles.AskPython[T](t.Context(), "../../test/oracles/numbers/check.py", questions))(t)
}

const (
	decimals  = "0123456789"
	nonZero   = "123456789"
	letters   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	hexDigits = "0123456789ABCDEF"
)

// taxNumbers are the kinds of national numbers whose check digits our rules look at: in which document a number stands, the rule that tells a wrong
// one, the module of python-stdnum that knows the kind, and the form of the numbers: characters for each place but the last, and those of the last.
var taxNumbers = []struct {
	country, format, golden, before, rule, module, prefix string
	places                                                []string
	last                                                  string
}{
	{"PL", "ksef", "ksef/01-invoice", "<NIP>1234563218", "NIP_CHECK_DIGIT", "pl.nip", "<NIP>", slices.Concat(repeated(nonZero, 3), digitPlaces(6)), decimals},
	{"IT", "fatturapa", "fatturapa/goods", "<IdCodice>09876543217", "00305", "it.iva", "<IdCodice>", italianPlaces, decimals},
	{"IT", "fatturapa", "fatturapa/full", "<CodiceFiscale>09876543217", "00306", "it.codicefiscale", "<CodiceFiscale>",
		slices.Concat(repeated(letters, 6), digitPlaces(2), []string{"ABCDEHLMPRST", "15", nonZero, letters}, digitPlaces(3)), letters},
	{"IT", "fatturapa", "fatturapa/full", "<CodiceFiscale>09876543217", "00306", "it.codicefiscale", "<CodiceFiscale>", italianPlaces, decimals},
	{"GR", "mydata", "mydata/01-goods", "<vatNumber>987654324", "202", "gr.vat", "<vatNumber>", digitPlaces(8), decimals},
	{"HU", "nav", "nav/invoice", "<base:taxpayerId>76543212", "TAXPAYER_ID_CHECK_DIGIT", "hu.anum", "<base:taxpayerId>", digitPlaces(7), decimals},
	{"CZ", "isdoc", "isdoc/01-invoice", "<CompanyID>CZ12345679", "DIC_CHECK_DIGIT", "cz.dic", "<CompanyID>CZ", slices.Concat([]string{"012345678"}, digitPlaces(6)), decimals},
	{"CZ", "isdoc", "isdoc/01-invoice", "<ID>12345679", "ICO_CHECK_DIGIT", "cz.dic", "<ID>", slices.Concat([]string{"012345678"}, digitPlaces(6)), decimals},
	{"AT", "ebinterface", "ebinterface/invoice", "<VATIdentificationNumber>ATU13585627", "AT-EBI61-014", "at.uid", "<VATIdentificationNumber>AT", slices.Concat([]string{"U"}, digitPlaces(7)), decimals},
	// python-stdnum takes digits and letters of all entities; those that have the one or the other only are asked for by themselves
	{"ES", "facturae", "facturae/goods", "<TaxIdentificationNumber>A58818501", "FACTURAE_NIF", "es.nif", "<TaxIdentificationNumber>", slices.Concat([]string{"ABEH"}, digitPlaces(7)), decimals},
	{"ES", "facturae", "facturae/goods", "<TaxIdentificationNumber>A58818501", "FACTURAE_NIF", "es.nif", "<TaxIdentificationNumber>", slices.Concat([]string{"NPQSW"}, digitPlaces(7)), "ABCDEFGHIJ"},
	{"ES", "facturae", "facturae/goods", "<TaxIdentificationNumber>A58818501", "FACTURAE_NIF", "es.nif", "<TaxIdentificationNumber>", slices.Concat([]string{"CDFGJRUV"}, digitPlaces(7)), decimals + "ABCDEFGHIJ"},
	{"ES", "facturae", "facturae/goods", "<TaxIdentificationNumber>A58818501", "FACTURAE_NIF", "es.nif", "<TaxIdentificationNumber>", digitPlaces(8), letters},
	{"ES", "facturae", "facturae/goods", "<TaxIdentificationNumber>A58818501", "FACTURAE_NIF", "es.nif", "<TaxIdentificationNumber>",
		slices.Concat([]string{"XYZ"}, digitPlaces(7)), letters},
}

// italianPlaces are those of a partita IVA: the last three before the check digit are an office, which our rule leaves to the registers.
var italianPlaces = slices.Concat(digitPlaces(7), []string{"0", "0", nonZero})

func digitPlaces(n int) []string { return repeated(decimals, n) }

func repeated(characters string, n int) []string { return slices.Repeat([]string{characters}, n) }

// TestOfficial_TaxNumbers ensures that our rules find a wrong check digit where python-stdnum does, over random numbers with each of the characters that the
// last one can be.
func TestOfficial_TaxNumbers(t *testing.T) {
	s := fullService(t)
	random := rand.New(rand.NewPCG(21, 8))
	for _, kind := range taxNumbers {
		t.Run(kind.rule+" "+kind.module, func(t *testing.T) {
			var numbers, questions []string
			for range 40 {
				body := randomNumber(random, kind.places)
				for _, last := range kind.last {
					numbers = append(numbers, body+string(last))
					questions = append(questions, kind.module+" "+body+string(last))
				}
			}
			accepted := 0
			for i, right := range asked[bool](t, questions) {
				if right {
					accepted++
				}
				if !right == wrongNumber(t, s, kind.country, kind.format, kind.rule, goldenWith(t, kind.golden, kind.before, kind.prefix+numbers[i])) {
					continue
				}
				t.Errorf("%s: python-stdnum takes it: %t", numbers[i], right)
			}
			t.Logf("%d numbers, %d of them right", len(numbers), accepted)
			if accepted < 30 {
				t.Error("too few are right")
			}
		})
	}
}

// randomNumber is a random number of a form.
func randomNumber(random *rand.Rand, places []string) string {
	var b strings.Builder
	for _, characters := range places {
		b.WriteByte(characters[random.IntN(len(characters))])
	}
	return b.String()
}

// goldenWith is a golden without blanks between its elements, with another text in it.
func goldenWith(t *testing.T, name, before, after string) []byte {
	t.Helper()
	text := squeezedXML(must(os.ReadFile("../../testdata/" + name + ".xml"))(t))
	if !strings.Contains(text, before) {
		t.Fatalf("%s has no %s", name, before)
	}
	return []byte(strings.ReplaceAll(text, before, after))
}

// wrongNumber tells whether a rule fires on a document.
func wrongNumber(t *testing.T, s *Service, country, token, rule string, document []byte) bool {
	t.Helper()
	answer := must(s.Validate(t.Context(), ValidateRequest{Country: country, Format: token, Document: document}))(t)
	return slices.ContainsFunc(slices.Concat(answer.Errors, answer.Warnings), func(f finding.Finding) bool { return f.Code == rule || f.Rule == rule })
}

// TestOfficial_KSeFNumbers ensures that our rule takes the numbers of invoices that ksef-client takes, over random numbers with each of the first digits of the
// checksum that they can have.
func TestOfficial_KSeFNumbers(t *testing.T) {
	s := fullService(t)
	random := rand.New(rand.NewPCG(21, 35))
	var numbers, questions []string
	for range 40 {
		body := randomNumber(random, slices.Concat(repeated(nonZero, 3), digitPlaces(7))) + fmt.Sprintf("-20260%d1%d-", 1+random.IntN(9), random.IntN(10)) +
			randomNumber(random, repeated(hexDigits, 12))
		sum := crc8(body) // a right one, and fifteen that are wrong
		for i := range 16 {
			numbers = append(numbers, fmt.Sprintf("%s-%02X", body, sum^i*17))
			questions = append(questions, "ksef "+numbers[len(numbers)-1])
		}
	}
	accepted := 0
	for i, right := range asked[bool](t, questions) {
		if right {
			accepted++
		}
		document := goldenWith(t, "ksef/03-correction", "<NrKSeFN>1</NrKSeFN>", "<NrKSeF>1</NrKSeF><NrKSeFFaKorygowanej>"+numbers[i]+"</NrKSeFFaKorygowanej>")
		if right == wrongNumber(t, s, "PL", "ksef", "KSEF_NUMBER_CHECK_DIGIT", document) {
			t.Errorf("%s: ksef-client takes it: %t", numbers[i], right)
		}
	}
	if accepted != 40 {
		t.Errorf("%d of %d numbers are right", accepted, len(numbers))
	}
}

// crc8 is the checksum with the polynomial 07, from 0.
func crc8(text string) int {
	sum := 0
	for _, b := range []byte(text) {
		sum ^= int(b)
		for range 8 {
			if sum <<= 1; sum > 255 {
				sum = sum&255 ^ 7
			}
		}
	}
	return sum
}

// TestOfficial_KSeFClient ensures that ksef-client takes every FA(3) golden by the official schema, refuses what is wrong, and makes the address of code I
// that stands on our pages.
func TestOfficial_KSeFClient(t *testing.T) {
	goldens := must(filepath.Glob("../../testdata/ksef/*.xml"))(t)
	wrong := filepath.Join(t.TempDir(), "wrong.xml")
	if err := os.WriteFile(wrong, goldenWith(t, "ksef/01-invoice", "<P_1>2026-03-05", "<P_1>5.3.2026"), 0o600); err != nil {
		t.Fatal(err)
	}
	var questions []string
	for _, name := range append(goldens, wrong) {
		questions = append(questions, "schema "+must(filepath.Abs(name))(t))
	}
	said := asked[string](t, questions)
	for i, fault := range said[:len(goldens)] {
		if fault != "" {
			t.Errorf("%s: %s", goldens[i], fault)
		}
	}
	if len(goldens) < 12 || said[len(goldens)] == "" {
		t.Errorf("%d goldens; of a wrong one it says %q", len(goldens), said[len(goldens)])
	}
	s := newService(t)
	body := must(os.ReadFile("../../testdata/countries/pl.json"))(t)
	file := must(s.Generate(t.Context(), GenerateRequest{Country: "pl", Format: "ksef", Body: body}))(t)
	country, _ := s.formats.Country("PL")
	decoded := must(s.decode(t.Context(), GenerateRequest{Body: body}, country))(t)
	code := must(s.ksefCode(t.Context(), country, decoded))(t)
	hash := sha256.Sum256(file.Data)
	if link := asked[string](t, []string{"link 1234563218 " + string(decoded.Invoice.IssueDate) + " " + base64.StdEncoding.EncodeToString(hash[:])}); link[0] != code.Content {
		t.Errorf("%s, ksef-client makes %s", code.Content, link[0])
	}
}
