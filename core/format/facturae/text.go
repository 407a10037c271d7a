package facturae

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"

	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
	"github.com/einvoiced/einvoiced/core/profile"
)

func asItIs(text string) (string, bool) { return text, true }

// upTo is for texts with so many characters at most: longer ones have no place.
func upTo(most int) *m.Converter { return length(1, most) }

// length is for texts with so many characters.
func length(least, most int) *m.Converter {
	return &m.Converter{
		Write: func(text string) (string, bool) {
			n := utf8.RuneCountInString(text)
			return text, n >= least && n <= most
		},
		Read: asItIs,
	}
}

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

// telephone is a number of at most 15 characters, without blanks.
var telephone = formed(`^.{1,15}$`, func(text string) string { return strings.ReplaceAll(text, " ", "") })

// partyNumber is an identifier that the parties gave each other: up to ten digits.
var partyNumber = formed(`^[0-9]{1,10}$`, strings.TrimSpace)

// bic has eleven characters: XXX stands for the head office, which one of eight leaves out (ISO 9362).
var bic = &m.Converter{
	Write: func(text string) (string, bool) {
		text = profile.FacturaeBIC(text)
		return text, len(text) == 11
	},
	Read: func(text string) (string, bool) { return strings.TrimSuffix(text, "XXX"), true },
}

// taxNumber is written without the prefix of Spain: a NIF has none.
var taxNumber = &m.Converter{
	Write: func(text string) (string, bool) {
		text = profile.PlainNIF(text)
		n := utf8.RuneCountInString(text)
		return text, n >= 3 && n <= 30
	},
	Read: asItIs,
}

// countries have three letters (ISO 3166-1 alpha-3).
var countries = &m.Converter{
	Write: func(code string) (string, bool) {
		three := profile.CountryOfFacturae(code)
		return three, three != ""
	},
	Read: func(text string) (string, bool) {
		region, err := language.ParseRegion(text)
		if err != nil || len(text) != 3 {
			return "", false
		}
		two := region.String()
		return two, len(two) == 2
	},
}

// taxTypes are the categories as taxes: IVA (01), IPSI of Ceuta and Melilla (02), IGIC of the Canary Islands (03).
var taxTypes = m.Codes([2]string{"S", "01"}, [2]string{"Z", "01"}, [2]string{"E", "01"}, [2]string{"AE", "01"}, [2]string{"K", "01"}, [2]string{"G", "01"}, [2]string{"O", "01"},
	[2]string{"B", "01"}, [2]string{"M", "02"}, [2]string{"L", "03"})

// units are the codes of Rec 20 as Facturae has them; what it has none for is 05, other units.
func units(v version) *m.Converter {
	return &m.Converter{
		Write: func(unit string) (string, bool) {
			code := profile.UnitOfFacturae(unit)
			if code == "36" && !v.kilowattHours {
				code = "05"
			}
			return code, true
		},
		Read: func(text string) (string, bool) {
			unit := profile.UnitRead(text)
			return unit, unit != ""
		},
	}
}

// attachmentFormat is the extension of a file.
var attachmentFormat = m.Codes([2]string{"application/pdf", "pdf"}, [2]string{"application/xml", "xml"}, [2]string{"text/xml", "xml"}, [2]string{"image/jpeg", "jpg"},
	[2]string{"image/gif", "gif"}, [2]string{"image/bmp", "bmp"}, [2]string{"image/tiff", "tiff"}, [2]string{"application/rtf", "rtf"}, [2]string{"text/rtf", "rtf"},
	[2]string{"application/msword", "doc"}, [2]string{"application/vnd.ms-excel", "xls"}, [2]string{"text/html", "html"})

// named is a description that begins with the name of a file.
var named = regexp.MustCompile(`^([^:\n]+\.[A-Za-z]{2,5})(?:: ((?s:.*)))?$`)

// attachmentName is the name of a file, and what it is.
var attachmentName = &m.Codec{
	Fields: []string{"filename", "description"},
	Format: func(group any) string {
		a := group.(*invoice.Attachment)
		if a.Description == "" {
			return a.Filename
		}
		return a.Filename + ": " + a.Description
	},
	Parse: func(text string, group any) {
		a := group.(*invoice.Attachment)
		text = strings.TrimSpace(text)
		if found := named.FindStringSubmatch(text); found != nil {
			a.Filename, a.Description = found[1], found[2]
			return
		}
		a.Description = text
	},
}
