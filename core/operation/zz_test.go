//go:build corpus

package operation

import (
	"fmt"
	"os"
	"testing"
)

func TestZZ(t *testing.T) {
	s := shippedService(t, today)
	for _, n := range []string{"off-doklad.xml", "xseman-test001.xml", "made-foreign-currency-eur.xml", "made-order-delivery-contract-refs.xml"} {
		p, err := s.Parse(t.Context(), ParseRequest{Document: isdocDocument(t, n)})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println("==", n, p.Detection.FormatVersion)
		for _, w := range p.Warnings {
			fmt.Println(w.Code, w.Message)
		}
		if os.Getenv("FULL") != "" {
			fmt.Println(string(generateBody(t, p.Invoice)))
		}
		for k, v := range p.Invoice.CountrySpecific.National.Sorted() {
			fmt.Println("  ", k, v)
		}
	}
}
