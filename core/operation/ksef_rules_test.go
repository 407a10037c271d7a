package operation

import (
	"testing"
)

// TestKSeF_RulesFire breaks each rule in a document that is right otherwise.
func TestKSeF_RulesFire(t *testing.T) {
	const first, exempt, abroad = "01-invoice", "08-exempt", "05-reverse-charge-eu"
	ksefFormat.rulesFire(t, []brokenRule{
		{"KSEF-430", first, []string{"<Naglowek>", "<?app x?><Naglowek>"}, false},
		{"JST_REQUIRES_PODMIOT3", first, []string{"<JST>2", "<JST>1"}, false},
		{"GV_REQUIRES_PODMIOT3", first, []string{"<GV>2", "<GV>1"}, false},
		{"NIP_CHECK_DIGIT", first, []string{"<NIP>1234563218", "<NIP>1234563219"}, true},
		{"KSEF_NUMBER_CHECK_DIGIT", "03-correction", []string{"<NrKSeFN>1</NrKSeFN>", "<NrKSeF>1</NrKSeF><NrKSeFFaKorygowanej>1234563218-20260205-8BEF280C8D35-4D</NrKSeFFaKorygowanej>"}, true},
		{"NIP_IN_WRONG_FIELD", abroad, []string{"<KodUE>DE</KodUE><NrVatUE>123456789", "<KodUE>PL</KodUE><NrVatUE>1234563218"}, false},
		{"NIP_IN_WRONG_FIELD", "07-export", []string{"<KodKraju>US</KodKraju><NrID>98-7654321", "<KodKraju>PL</KodKraju><NrID>1234563218"}, false},
		{"P_6_EXCLUSIVE", first, []string{"<P_7>Montaż", "<P_6A>2026-03-01</P_6A><P_7>Montaż"}, false},
		{"P_19_CONSISTENCY", exempt, []string{"<P_19>1</P_19><P_19A>art. 43 ust. 1 pkt 29 ustawy o VAT</P_19A>", "<P_19N>1</P_19N>"}, false},
		{"P_19_UNUSED", first, []string{"<P_19N>1</P_19N>", "<P_19>1</P_19><P_19A>art. 43</P_19A>"}, true},
		{"P_18_CONSISTENCY", "04-reverse-charge-domestic", []string{"<P_18>1", "<P_18>2"}, false},
		{"P_18_UNUSED", first, []string{"<P_18>2", "<P_18>1"}, true},
		{"PMARZY_CONSISTENCY", "15-margin-scheme", []string{"<P_PMarzy>1</P_PMarzy><P_PMarzy_3_1>1</P_PMarzy_3_1>", "<P_PMarzyN>1</P_PMarzyN>"}, false},
		{"OO_RATE_FOREIGN_BUYER", abroad, []string{"<P_12>np II", "<P_12>oo"}, false},
		{"FOREIGN_CURRENCY_TAX_PLN", first, []string{"<KodWaluty>PLN", "<KodWaluty>EUR"}, false},
		{"KOR_NRKSEF_CONSISTENCY", "03-correction", []string{"<RodzajFaktury>KOR", "<RodzajFaktury>VAT"}, false},
		{"ROZ_REQUIRES_ZAL", first, []string{"<RodzajFaktury>VAT", "<RodzajFaktury>ROZ"}, false},
		{"DUPLICATE_LINE_NUMBERS", first, []string{"<NrWierszaFa>2", "<NrWierszaFa>1"}, false},
		{"P_15_MISMATCH", exempt, []string{"<P_15>1500.00", "<P_15>1500.02"}, false},
		{"TAX_CALCULATION_MISMATCH", exempt, []string{"<P_13_7>1500.00</P_13_7>", "<P_13_1>1200.00</P_13_1><P_14_1>300.00</P_14_1>", "<P_12>zw", "<P_12>23"}, true},
	})
}

// TestKSeF_CheckDigitsOfNIP has numbers with the right check digit and with another one.
func TestKSeF_CheckDigitsOfNIP(t *testing.T) {
	ksefFormat.checkDigits(t, "01-invoice", "<NIP>", "9876543210", 1, map[string]bool{"1234563218": true, "5260250274": true, "5260250995": true, "9999999999": true, "1111111111": true, "8567346215": true,
		"1234563217": false, "5260250275": false, "8567346216": false, "5265877635": true})
}
