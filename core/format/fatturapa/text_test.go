package fatturapa

import (
	"testing"

	m "github.com/einvoiced/einvoiced/core/mapping"
)

// TestConverters ensures what texts become in the document, - for what has no place, and what they are read as.
func TestConverters(t *testing.T) {
	for _, c := range []struct {
		name      string
		convert   *m.Converter
		in, write string
	}{
		{"a short text", ascii(5), "AB-1", "AB-1"}, {"a long text", ascii(5), "AB-123", "-"}, {"a letter with a mark", ascii(5), "é", "-"},
		{"a partita IVA with prefix", fiscalCode, "IT12345678903", "12345678903"}, {"a codice fiscale in small letters", fiscalCode, "rssmra80a01h501u", "RSSMRA80A01H501U"},
		{"no codice fiscale", fiscalCode, "HRB 1", "-"},
		{"a CAP", postcode, "20121", "20121"}, {"a CAP with the country", postcode, "IT-20121", "20121"}, {"a postcode of abroad", postcode, "SW1A 1AA", "-"},
		{"a province", province, "IT-MI", "MI"}, {"a name of a province", province, "Milano", "-"},
		{"a telephone", telephone, "+39 02 1234567", "39021234567"}, {"a telephone with an extension", telephone, "06 12345 int7", "0612345int7"}, {"too long a telephone", telephone, "+39 02 1234567890123", "-"},
		{"a day", midnight, "2026-03-01", "2026-03-01T00:00:00"}, {"a flag", yes, "true", "SI"}, {"a flag that is not set", yes, "false", "-"},
		{"an IBAN", iban, "IT60X0542811101000000123456", "IT60X0542811101000000123456"}, {"another account", iban, "123", "-"}, {"no BIC", bic, "TESTTESTTT", "-"},
	} {
		got, ok := c.convert.Write(c.in)
		if !ok {
			got = "-"
		}
		if got != c.write {
			t.Errorf("%s: %q, want %q", c.name, got, c.write)
		}
	}
	for text, want := range map[string]string{"2026-03-01T00:00:00": "2026-03-01", "2026-03-01T10:00:00": ""} {
		if got, ok := midnight.Read(text); ok != (want != "") || ok && got != want {
			t.Errorf("%s is read as %q", text, got)
		}
	}
}

// TestSplits ensures how names and addresses are put together of their pieces.
func TestSplits(t *testing.T) {
	for _, c := range []struct {
		split *m.Split
		parts []string
		want  string
	}{
		{fullName, []string{"Vele Srl", "", ""}, "Vele Srl"}, {fullName, []string{"", "Mario", "Rossi"}, "Mario Rossi"}, {fullName, []string{"Vele Srl", "Mario", "Rossi"}, "-"},
		{houseNumber, []string{"Via Roma", "1/b"}, "Via Roma 1/b"}, {houseNumber, []string{"", "1"}, "-"},
		{vatNumber, []string{"IT", "12345678903"}, "IT12345678903"}, {vatNumber, []string{"", "1"}, "-"},
	} {
		got, ok := c.split.Join(c.parts)
		if !ok {
			got = "-"
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.parts, got, c.want)
		}
	}
}
