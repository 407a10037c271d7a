package api

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/job"
)

// Entitlements lists every entitlement that a route can ask for, without wildcards and sorted: generation and parsing of each format of
// the countries, and administration.
func Entitlements(countries []format.Country) []string {
	var all []string
	for _, country := range countries {
		code := strings.ToLower(country.Code)
		for _, token := range country.All() {
			all = append(all, job.CreateEntitlement(code, token), job.ParseEntitlement(code, token))
		}
	}
	for _, r := range routes {
		if r.policy.alone {
			all = append(all, r.policy.name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
