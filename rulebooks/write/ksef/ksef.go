// Package ksef makes the rulebook of the Polish structured invoice FA(3): what the ministry's schema cannot say and KSeF or the law
// (ustawa o VAT, art. 106e) asks of a document.
package ksef

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/ruletext"
)

//go:embed *.txt
var texts embed.FS

// Files gives the Schematron of the rulebook.
func Files() (map[string][]byte, error) {
	return ruletext.Files("rulebooks/write/ksef", texts, []ruletext.Book{{
		Folder: "ksef-fa3-1-0E", Title: "KSeF FA(3) 1-0E", Namespaces: []sch.Namespace{{Prefix: "fa", URI: "http://crd.gov.pl/wzor/2025/06/25/13775/"}},
		Messages: []string{"messages.txt"}, Texts: []string{"rules.txt"}, Definitions: map[string]string{"checksum": checksum(), "halves": halves(), "sums": sums()},
	}})
}

// numberLength is that of a number in KSeF before its checksum: NIP, day and twelve hexadecimal digits with hyphens between them.
const numberLength = 32

// checksum is the CRC-8 of the codes $bytes of a number in KSeF, in hexadecimal. XPath has no bitwise operations: $halves and $sums are tables.
func checksum() string {
	var x strings.Builder
	x.WriteString("(for $c0 in 0")
	for i := 1; i <= numberLength; i++ {
		fmt.Fprintf(&x, ", $h%d in subsequence($halves, $c%d idiv 16 * 16 + $bytes[%d] idiv 16 + 1, 1), $l%d in subsequence($halves, $c%d mod 16 * 16 + $bytes[%d] mod 16 + 1, 1)"+
			", $c%d in subsequence($sums, 16 * $h%d + $l%d + 1, 1)", i, i-1, i, i, i-1, i, i, i, i)
	}
	fmt.Fprintf(&x, " return concat(substring('0123456789ABCDEF', $c%d idiv 16 + 1, 1), substring('0123456789ABCDEF', $c%d mod 16 + 1, 1)))", numberLength, numberLength)
	return x.String()
}

// halves is the exclusive or of two halves of bytes: that of a and b stands at 16a + b + 1.
func halves() string {
	return sequence(func(i int) int { return i>>4 ^ i&15 })
}

// sums is the CRC-8 of one byte (polynomial 07, from 0): that of b stands at b + 1.
func sums() string {
	return sequence(func(sum int) int {
		for range 8 {
			if sum <<= 1; sum > 255 {
				sum = sum&255 ^ 7
			}
		}
		return sum
	})
}

// sequence is an XPath sequence of 256 numbers.
func sequence(of func(int) int) string {
	var numbers []string
	for i := range 256 {
		numbers = append(numbers, strconv.Itoa(of(i)))
	}
	return "(" + strings.Join(numbers, ", ") + ")"
}
