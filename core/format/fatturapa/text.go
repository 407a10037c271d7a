package fatturapa

import (
	"regexp"
	"strconv"
	"strings"

	m "github.com/einvoiced/einvoiced/core/mapping"
)

func term(n int) string { return "BT-" + strconv.Itoa(n) }

// group is the address that a street begins: of the seller (BG-5) or the buyer (BG-8).
func group(street int) string {
	if street == 35 {
		return "BG-5"
	}
	return "BG-8"
}

// Accounts and banks are those of SEPA: others have no place.
var (
	ibanForm = regexp.MustCompile(`^[a-zA-Z]{2}[0-9]{2}[a-zA-Z0-9]{11,30}$`)
	iban     = formed(ibanForm.String(), strings.TrimSpace)
	bic      = formed(`^[A-Z]{6}[A-Z2-9][A-NP-Z0-9]([A-Z0-9]{3})?$`, strings.TrimSpace)
)

// cents writes amounts and rates, which have two decimals.
var cents = m.Decimals(2, 2)

// yes is a flag that is there or not.
var yes = &m.Converter{
	Write: func(text string) (string, bool) { return "SI", text == "true" },
	Read:  func(text string) (string, bool) { return "true", text == "SI" },
}

// ascii is for texts of basic Latin letters with so many characters at most: longer ones have no place.
func ascii(most int) *m.Converter {
	return &m.Converter{
		Write: func(text string) (string, bool) {
			if len(text) > most {
				return "", false
			}
			for i := range len(text) {
				if text[i] >= 0x80 {
					return "", false
				}
			}
			return text, true
		},
		Read: asItIs,
	}
}

func asItIs(text string) (string, bool) { return text, true }

// formed is for texts of a form, after what plain makes of them.
func formed(form string, plain func(string) string) *m.Converter {
	is := regexp.MustCompile(form)
	return &m.Converter{
		Write: func(text string) (string, bool) {
			text = plain(text)
			return text, is.MatchString(text)
		},
		Read: asItIs,
	}
}

// fiscalCode is a codice fiscale: of a company the number of its VAT identifier.
var fiscalCode = formed(`^[A-Z0-9]{11,16}$`, func(text string) string {
	return strings.TrimPrefix(strings.ToUpper(strings.ReplaceAll(text, " ", "")), "IT")
})

// postcode is a CAP, which only Italy has; 00000 stands for all others and says nothing.
var postcode = &m.Converter{
	Write: func(text string) (string, bool) {
		text = strings.TrimPrefix(text, "IT-")
		return text, cap5.MatchString(text)
	},
	Read: asItIs,
}

var cap5 = regexp.MustCompile(`^[0-9]{5}$`)

// province is that of ISO 3166-2:IT without the code of the country.
var province = &m.Converter{
	Write: func(text string) (string, bool) {
		text = strings.TrimPrefix(text, "IT-")
		return text, twoLetters.MatchString(text)
	},
	Read: func(text string) (string, bool) { return "IT-" + text, twoLetters.MatchString(text) },
}

var twoLetters = regexp.MustCompile(`^[A-Z]{2}$`)

// telephone is a number of 5 to 12 characters, without those that only make it easier to read.
var telephone = formed(`^[!-~]{5,12}$`, func(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \u00a0()+-./", r) {
			return -1
		}
		return r
	}, text)
})

var contactEmail = formed(`^.+@.+[.]+.+$`, strings.TrimSpace)

// midnight is a day as a point in time.
var midnight = &m.Converter{
	Write: func(day string) (string, bool) { return day + "T00:00:00", true },
	Read: func(text string) (string, bool) {
		day, found := strings.CutSuffix(text, "T00:00:00")
		return day, found
	},
}

// attachmentFormat is the extension of a file, in capitals.
var attachmentFormat = m.Codes([2]string{"application/pdf", "PDF"}, [2]string{"text/csv", "CSV"}, [2]string{"image/png", "PNG"},
	[2]string{"image/jpeg", "JPG"}, [2]string{"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "XLSX"},
	[2]string{"application/vnd.oasis.opendocument.spreadsheet", "ODS"}, [2]string{"application/xml", "XML"})

// vatNumber takes the country off a VAT identifier.
var vatNumber = &m.Split{
	Parts: func(text string) []string {
		if len(text) < 3 || !twoLetters.MatchString(text[:2]) {
			return nil
		}
		return []string{text[:2], text[2:]}
	},
	Join: func(parts []string) (string, bool) {
		return parts[0] + parts[1], len(parts[0]) == 2 && parts[1] != ""
	},
}

// fullName is a name in one: that of a person is read as given name and surname.
var fullName = &m.Split{
	Parts: func(text string) []string { return []string{text, "", ""} },
	Join: func(parts []string) (string, bool) {
		if parts[0] != "" {
			return parts[0], parts[1] == "" && parts[2] == ""
		}
		return strings.TrimSpace(parts[1] + " " + parts[2]), parts[1]+parts[2] != ""
	},
}

// houseNumber is a street, whose number may stand by itself.
var houseNumber = &m.Split{
	Parts: func(text string) []string { return []string{text, ""} },
	Join: func(parts []string) (string, bool) {
		return strings.TrimSpace(parts[0] + " " + parts[1]), parts[0] != ""
	},
}
