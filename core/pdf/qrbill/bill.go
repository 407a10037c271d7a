// Package qrbill draws the payment part with receipt of the Swiss QR-bill (SIX, Swiss Implementation Guidelines QR-bill, version 2.3, and its
// style guide) from the payload of its code.
package qrbill

import (
	"errors"
	"strings"

	"github.com/einvoiced/einvoiced/core/qrcode"
)

// Bill is what a payment part shows.
type Bill struct {
	code        *qrcode.Code
	words       words
	account     string
	creditor    []string
	debtor      []string // empty for one that people fill in
	currency    string
	amount      string // empty for one that people fill in
	reference   string
	information []string
	schemes     []string
}

// mostModules is how many modules the code may have along a side: those of version 25 (guidelines §5.2).
const mostModules = 117

// ErrLines says that a text is no payload.
var ErrLines = errors.New("a payload of a QR-bill has 31 to 34 lines")

// New reads a payload, whose lines end in LF, for a payment part in a language (ISO 639-1): de, fr, it or en, which all others read. Errors are
// ErrLines and qrcode.ErrTooLong.
func New(payload []byte, language string) (*Bill, error) {
	lines := strings.Split(string(payload), "\n")
	if len(lines) < 31 || len(lines) > 34 {
		return nil, ErrLines
	}
	code, err := qrcode.Encode(string(payload), "M")
	if err == nil && code.Size() > mostModules {
		err = qrcode.ErrTooLong
	}
	if err != nil {
		return nil, err
	}
	lines = append(lines, make([]string, 34-len(lines))...)
	return &Bill{code: code, words: wordsOf(language), account: grouped(lines[3]), creditor: addressed(lines[4:11]), debtor: addressed(lines[20:27]),
		currency: lines[19], amount: spaced(lines[18]), reference: referenceOf(lines[27], lines[28]), information: some(lines[29], lines[31]),
		schemes: some(lines[32], lines[33])}, nil
}

// some leaves out what is empty.
func some(texts ...string) (list []string) {
	for _, text := range texts {
		if text != "" {
			list = append(list, text)
		}
	}
	return list
}

// addressed is an address as people write it: of one abroad, the country stands before the postal code.
func addressed(lines []string) []string {
	name, street, number, postalCode, town, country := lines[1], lines[2], lines[3], lines[4], lines[5], lines[6]
	if country != "" && country != "CH" && country != "LI" {
		postalCode = country + "-" + postalCode
	}
	return some(name, strings.TrimSpace(street+" "+number), strings.TrimSpace(postalCode+" "+town))
}

// referenceOf is a reference as people read it.
func referenceOf(kind, reference string) string {
	if kind == "QRR" && len(reference) == 27 {
		return reference[:2] + " " + blocks(reference[2:], 5)
	}
	return grouped(reference)
}

// grouped puts a blank after each four characters.
func grouped(text string) string { return blocks(text, 4) }

func blocks(text string, size int) string {
	var parts []string
	for len(text) > size {
		parts, text = append(parts, text[:size]), text[size:]
	}
	return strings.Join(append(parts, text), " ")
}

// spaced is an amount with a blank before each three digits of francs.
func spaced(amount string) string {
	whole, cents, found := strings.Cut(amount, ".")
	if !found {
		return amount
	}
	first := len(whole) % 3
	groups := some(whole[:first])
	for rest := whole[first:]; rest != ""; rest = rest[3:] {
		groups = append(groups, rest[:3])
	}
	return strings.Join(groups, " ") + "." + cents
}
