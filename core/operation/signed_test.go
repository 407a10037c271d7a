package operation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
)

// TestNationals_Signed ensures that a signature inside a document of each national format that has a place for one is left out of what is read, and told: the invoice is
// that of the document without it.
func TestNationals_Signed(t *testing.T) {
	s := fullService(t)
	const signature = `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:Reference URI=""/></ds:SignedInfo><ds:SignatureValue>AA==</ds:SignatureValue></ds:Signature>`
	for _, folder := range strings.Fields("ebinterface ebinterface-4.3 facturae fatturapa isdoc") {
		names, err := filepath.Glob("../../testdata/" + folder + "/*.xml")
		if err != nil || len(names) == 0 {
			t.Fatal(folder, err)
		}
		document, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		plain, err := s.Parse(t.Context(), ParseRequest{Document: document})
		if err != nil {
			t.Fatal(err)
		}
		end := strings.LastIndex(string(document), "</")
		first := end
		if strings.HasPrefix(folder, "ebinterface") { // up to 4.3 it is the first element
			first = strings.IndexByte(string(document[len("<?xml ?>"):]), '>')
			first += len("<?xml ?>") + strings.IndexByte(string(document[len("<?xml ?>")+first+1:]), '>') + 2
		}
		for _, at := range []int{first, end} {
			answer, err := s.Parse(t.Context(), ParseRequest{Document: []byte(string(document[:at]) + signature + string(document[at:]))})
			if err != nil {
				t.Errorf("%s: %v", names[0], refusalOf(err))
				continue
			}
			if len(answer.Infos) != 1 || answer.Infos[0].Code != finding.Unwrapped || len(answer.Warnings) != len(plain.Warnings) {
				t.Errorf("%s: %+v %+v", names[0], answer.Infos, answer.Warnings)
			}
			if diff := cmp.Diff(plain.Invoice, answer.Invoice); diff != "" {
				t.Errorf("%s: %s", names[0], diff)
			}
		}
	}
}
