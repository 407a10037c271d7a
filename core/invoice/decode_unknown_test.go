package invoice

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestDecode_TellsOfMembersThatResembleKnownOnes has names at each level, each of which is told of once, and names far from any.
func TestDecode_TellsOfMembersThatResembleKnownOnes(t *testing.T) {
	body := strings.Replace(string(with("")), `"total":1`, `"total":1,"totl":1,"duedate":"2026-01-01","nonsense":{"totals":1}`, 1)
	body = strings.Replace(body, `"items":[]`, `"items":[{"taxrate":1,"colour":"red"},{"taxrate":1,"unitprice":2}]`, 1)
	body = strings.Replace(body, `{"invoice"`, `{"formatOption":{},"invoice"`, 1)
	var got []string
	_, _, err := Decode([]byte(body), Options{Unknown: func(place, known string) { got = append(got, place+" "+known) }})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	want := []string{"duedate dueDate", "formatOption formatOptions", "items[0].taxrate taxRate", "items[1].unitprice unitPrice", "totl total"}
	if !slices.Equal(got, want) {
		t.Errorf("told of %v, want %v", got, want)
	}
}

// TestDecode_NamesTheUnknownMemberThatMayBeMeantForAMissingOne has a required member that is misspelt.
func TestDecode_NamesTheUnknownMemberThatMayBeMeantForAMissingOne(t *testing.T) {
	body := strings.Replace(string(with("")), `"total":1`, `"totl":1`, 1)
	_, errs, err := Decode([]byte(body), Options{})
	if err != nil || len(errs) != 1 || errs[0].Field != "total" || errs[0].Message != "total is required; totl, which is given, is not known" {
		t.Errorf("%v, %v", errs, err)
	}
}

// TestDecode_ComparesABoundedNumberOfNames has more unknown names than are compared.
func TestDecode_ComparesABoundedNumberOfNames(t *testing.T) {
	var items []string
	for i := range 300 {
		items = append(items, fmt.Sprintf(`{"unit%02x":1}`, i))
	}
	body := strings.Replace(string(with("")), `"items":[]`, `"items":[`+strings.Join(items, ",")+`]`, 1)
	told := 0
	if _, _, err := Decode([]byte(body), Options{Limits: Limits{MaxFindings: 10_000}, Unknown: func(string, string) { told++ }}); err != nil || told != resemblances {
		t.Errorf("told of %d names, %v", told, err)
	}
}
