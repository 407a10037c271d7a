package api

import (
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/operation"
)

// Entitlements lists every entitlement that a route can ask for, without wildcards and sorted: generation and parsing of each format of
// the countries, and administration.
func Entitlements(countries []operation.Country) []string {
	var all []string
	for _, country := range countries {
		code := strings.ToLower(country.Code)
		for _, f := range country.Formats {
			all = append(all, createEntitlement(code, f.ID), parseEntitlement(code, f.ID))
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
