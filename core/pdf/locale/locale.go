// Package locale writes numbers, amounts, percentages and dates as people of a place are used to. The conventions are those of the
// Unicode CLDR for the locales of the countries that the service knows; spaces are those that do not break.
package locale

import (
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/decimal"
)

// Locale is how numbers and dates are written in a place.
type Locale struct {
	Tag     string // RFC 5646
	decimal string // between units and decimals
	group   string // between thousands
	least   int    // digits before the first group that grouping needs: Spanish writes 1234 and 12.345
	money   string // where the symbol (¤) stands beside the number (#)
	percent string // where the number stands beside the sign
	date    string // of yyyy, MM and dd, or d and M without zeros
}

const nbsp = "\u00a0"

// after and before are the two places of symbols of currencies.
const (
	after       = "#" + nbsp + "¤"
	before      = "¤#"
	beforeSpace = "¤" + nbsp + "#"
	spaced      = "#" + nbsp + "%"
	tight       = "#%"
)

// locales by tag in small letters; a language alone stands for those of its places that are not listed.
var locales = map[string]Locale{
	"en":    {"en", ".", ",", 1, before, tight, "d/M/yyyy"},
	"en-us": {"en-US", ".", ",", 1, before, tight, "M/d/yyyy"},
	"en-gb": {"en-GB", ".", ",", 1, before, tight, "dd/MM/yyyy"},
	"en-ie": {"en-IE", ".", ",", 1, before, tight, "d/M/yyyy"},
	"en-au": {"en-AU", ".", ",", 1, before, tight, "d/M/yyyy"},
	"en-nz": {"en-NZ", ".", ",", 1, before, tight, "d/MM/yyyy"},
	"en-mt": {"en-MT", ".", ",", 1, before, tight, "dd/MM/yyyy"},
	"en-ae": {"en-AE", ".", ",", 1, beforeSpace, tight, "dd/MM/yyyy"},
	"en-om": {"en-OM", ".", ",", 1, beforeSpace, tight, "dd/MM/yyyy"},
	"de":    {"de", ",", ".", 1, after, spaced, "dd.MM.yyyy"},
	"de-at": {"de-AT", ",", nbsp, 1, beforeSpace, spaced, "dd.MM.yyyy"},
	"de-ch": {"de-CH", ".", "’", 1, beforeSpace, tight, "dd.MM.yyyy"},
	"de-li": {"de-LI", ".", "’", 1, beforeSpace, tight, "dd.MM.yyyy"},
	"de-lu": {"de-LU", ",", ".", 1, after, spaced, "dd.MM.yyyy"},
	"fr":    {"fr", ",", nbsp, 1, after, spaced, "dd/MM/yyyy"},
	"fr-ch": {"fr-CH", ".", nbsp, 1, after, tight, "dd.MM.yyyy"},
	"fr-lu": {"fr-LU", ",", ".", 1, after, spaced, "dd/MM/yyyy"},
	"fr-be": {"fr-BE", ",", nbsp, 1, after, spaced, "d/MM/yyyy"},
	"it":    {"it", ",", ".", 1, after, tight, "dd/MM/yyyy"},
	"it-ch": {"it-CH", ".", "’", 1, beforeSpace, tight, "dd.MM.yyyy"},
	"es":    {"es", ",", ".", 2, after, spaced, "d/M/yyyy"},
	"pt":    {"pt-PT", ",", nbsp, 2, after, tight, "dd/MM/yyyy"},
	"nl":    {"nl", ",", ".", 1, beforeSpace, tight, "dd-MM-yyyy"},
	"nl-be": {"nl-BE", ",", ".", 1, beforeSpace, tight, "d/MM/yyyy"},
	"da":    {"da", ",", ".", 1, after, spaced, "dd.MM.yyyy"},
	"sv":    {"sv", ",", nbsp, 1, after, spaced, "yyyy-MM-dd"},
	"sv-fi": {"sv-FI", ",", nbsp, 1, after, spaced, "dd-MM-yyyy"},
	"nb":    {"nb", ",", nbsp, 1, after, spaced, "dd.MM.yyyy"},
	"no":    {"no", ",", nbsp, 1, after, spaced, "dd.MM.yyyy"},
	"fi":    {"fi", ",", nbsp, 1, after, spaced, "d.M.yyyy"},
	"is":    {"is", ",", ".", 1, after, tight, "d.M.yyyy"},
	"ga":    {"ga", ".", ",", 1, before, tight, "dd/MM/yyyy"},
	"mt":    {"mt", ".", ",", 1, before, tight, "dd/MM/yyyy"},
	"pl":    {"pl", ",", nbsp, 2, after, tight, "dd.MM.yyyy"},
	"cs":    {"cs", ",", nbsp, 1, after, spaced, "dd.MM.yyyy"},
	"sk":    {"sk", ",", nbsp, 1, after, spaced, "d. M. yyyy"},
	"hu":    {"hu", ",", nbsp, 1, after, tight, "yyyy. MM. dd."},
	"ro":    {"ro", ",", ".", 1, after, spaced, "dd.MM.yyyy"},
	"bg":    {"bg", ",", nbsp, 2, after, tight, "d.MM.yyyy г."},
	"hr":    {"hr", ",", ".", 1, after, spaced, "dd. MM. yyyy."},
	"sl":    {"sl", ",", ".", 1, after, spaced, "d. M. yyyy"},
	"et":    {"et", ",", nbsp, 2, after, tight, "dd.MM.yyyy"},
	"lv":    {"lv", ",", nbsp, 2, after, tight, "dd.MM.yyyy"},
	"lt":    {"lt", ",", nbsp, 1, after, spaced, "yyyy-MM-dd"},
	"el":    {"el", ",", ".", 1, after, tight, "d/M/yyyy"},
	"ja":    {"ja", ".", ",", 1, before, tight, "yyyy/MM/dd"},
	"ar":    {"ar", ".", ",", 1, after, tight, "d/M/yyyy"},
}

// Of gives the locale of a tag, or that of its language. known is false where neither is listed; then it is English.
func Of(tag string) (l Locale, known bool) {
	tag = strings.ToLower(strings.ReplaceAll(tag, "_", "-"))
	for tag != "" {
		if l, known = locales[tag]; known {
			return l, true
		}
		cut := strings.LastIndexByte(tag, '-')
		tag = tag[:max(cut, 0)]
	}
	return locales["en"], false
}

// Number writes a number with so many decimals, rounded half up; with fewer than zero places it keeps those it has.
func (l Locale) Number(d decimal.Decimal, places int) string {
	if places >= 0 {
		d = d.Round(places, decimal.HalfUp).WithMinScale(places)
	}
	digits, negative := strings.CutPrefix(d.String(), "-")
	whole, rest, fraction := strings.Cut(digits, ".")
	text := l.grouped(whole)
	if fraction {
		text += l.decimal + rest
	}
	if negative {
		return "-" + text
	}
	return text
}

func (l Locale) grouped(whole string) string {
	if len(whole) < 3+l.least {
		return whole
	}
	var out strings.Builder
	for i := range len(whole) {
		if i > 0 && (len(whole)-i)%3 == 0 {
			out.WriteString(l.group)
		}
		out.WriteByte(whole[i])
	}
	return out.String()
}

// Money writes an amount with a symbol or code of its currency. A code of letters is set apart by a space wherever it stands.
func (l Locale) Money(d decimal.Decimal, places int, symbol string) string {
	number := l.Number(d, places)
	if symbol == "" {
		return number
	}
	pattern := l.money
	if pattern == before && len(symbol) > 1 && symbol[0] >= 'A' && symbol[len(symbol)-1] >= 'A' && symbol[len(symbol)-1] <= 'z' {
		pattern = beforeSpace
	}
	minus, number, negative := "", strings.TrimPrefix(number, "-"), strings.HasPrefix(number, "-")
	if negative {
		minus = "-"
	}
	return minus + strings.NewReplacer("#", number, "¤", symbol).Replace(pattern)
}

// Percent writes a percentage that is given in hundredths: 19 as 19 %.
func (l Locale) Percent(d decimal.Decimal, places int) string {
	if places < 0 {
		d = d.Trim()
	}
	return strings.Replace(l.percent, "#", l.Number(d, places), 1)
}

// Date writes a date that is given as ISO 8601 (YYYY-MM-DD); any other text stays as it is.
func (l Locale) Date(iso string) string {
	if len(iso) < 10 || iso[4] != '-' || iso[7] != '-' {
		return iso
	}
	year, month, day := iso[:4], iso[5:7], iso[8:10]
	return strings.NewReplacer("yyyy", year, "MM", month, "dd", day, "M", strings.TrimPrefix(month, "0"), "d", strings.TrimPrefix(day, "0")).Replace(l.date)
}

// symbols of currencies that one knows without their code (ISO 4217).
var symbols = map[string]string{
	"EUR": "€", "GBP": "£", "USD": "$", "JPY": "¥", "PLN": "zł", "CZK": "Kč", "HUF": "Ft", "BGN": "лв.", "DKK": "kr.", "SEK": "kr", "NOK": "kr", "ISK": "kr.",
	"AUD": "$", "NZD": "$",
}

// Symbol gives the symbol of a currency, or its code.
func Symbol(code string) string {
	if s, ok := symbols[code]; ok {
		return s
	}
	return code
}

// Places is how many decimals amounts in a currency have (ISO 4217, minor unit).
func Places(code string) int {
	switch code {
	case "JPY", "ISK", "KRW", "VND", "CLP", "XAF", "XOF", "XPF", "PYG", "UGX", "VUV", "RWF", "KMF", "GNF", "DJF", "BIF":
		return 0
	case "OMR", "BHD", "KWD", "JOD", "TND", "IQD", "LYD":
		return 3
	}
	return 2
}

// Written gives the locale with other marks: that of decimals, that between thousands, and a pattern of dates (YYYY, MM, DD, M, D).
func (l Locale) Written(decimalMark, group, date string) Locale {
	l.decimal, l.group, l.date = decimalMark, strings.ReplaceAll(group, "\u202f", nbsp), strings.NewReplacer("Y", "y", "D", "d").Replace(date)
	return l
}
