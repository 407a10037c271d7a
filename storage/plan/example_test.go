package plan_test

import (
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/storage/plan"
)

// A plan of an operator: XRechnungen as many as one likes, a hundred invoices of other kinds a month. The first line that covers what is done
// decides.
func ExampleLoad() {
	plans, err := plan.Load([]byte(`
plans:
  free:
    lines: 25
    quotas:
      - {entitlement: "e-invoice:de:xrechnung:create", limit: unlimited}
      - {entitlement: "e-invoice:*:*:create", limit: 100}
    rate: {perSecond: 5, burst: 10}
`))
	if err != nil {
		log.Fatal(err)
	}
	free, known := plans.Plan("free")
	fmt.Println(known, free.Lines, free.Rate.Burst)
	for _, entitlement := range []string{"e-invoice:de:xrechnung:create", "e-invoice:ch:qr-bill:create", "e-invoice:ch:qr-bill:parse"} {
		limit, limited := free.Limit(entitlement)
		fmt.Println(entitlement, limit, limited)
	}
	_, err = plan.Load([]byte("plans: {free: {quota: 100}}"))
	fmt.Println("a misspelt member is refused:", err != nil)
	// Output:
	// true 25 10
	// e-invoice:de:xrechnung:create -1 false
	// e-invoice:ch:qr-bill:create 100 true
	// e-invoice:ch:qr-bill:parse 0 false
	// a misspelt member is refused: true
}
