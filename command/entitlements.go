package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/api"
	"github.com/einvoiced/einvoiced/core/catalogue"
	"github.com/einvoiced/einvoiced/storage/account"
)

// everything is what a key may do unless something else is said: all that is not administration.
var everything = []string{"pdf:*:generate", "e-invoice:*:*:create", "e-invoice:*:*:parse", "peppol:send"}

// first is what the key of a first start may do: everything that a test key can.
var first = append(slices.Clone(everything), "admin:*", "verifactu:*")

// entitlements lists those that exist.
func entitlements() []string { return api.Entitlements(catalogue.Countries()) }

// checkEntitlements refuses patterns that cover nothing: a key that has a misspelt one would be refused where it is used, long after.
func checkEntitlements(patterns []string) error {
	known := entitlements()
	for _, p := range patterns {
		if err := account.CheckPattern(p); err != nil {
			return &failure{code: exitUsage, cause: err, hint: entitlementsHint()}
		}
		if !slices.ContainsFunc(known, func(e string) bool { return account.Entitled([]string{p}, e) }) {
			cause := fmt.Errorf("there is no entitlement %s; the nearest is %s", p, nearestEntitlement(p, known))
			return &failure{code: exitUsage, cause: cause, hint: entitlementsHint()}
		}
	}
	return nil
}

// nearestEntitlement gives what a pattern that covers nothing was probably meant to be: of as many segments, where there is such a one,
// and with its wildcards.
func nearestEntitlement(pattern string, known []string) string {
	segments := strings.Split(pattern, ":")
	var alike []string
	for _, e := range known {
		if other := strings.Split(e, ":"); len(other) == len(segments) {
			for i := range other {
				if segments[i] == "*" {
					other[i] = "*"
				}
			}
			alike = append(alike, strings.Join(other, ":"))
		}
	}
	if len(alike) == 0 {
		alike = append(slices.Clone(first), known...)
	}
	return nearest(pattern, alike)
}

// entitlementsHint tells what entitlements there are.
func entitlementsHint() string {
	var others []string // that are about no country
	for _, e := range entitlements() {
		if !strings.HasPrefix(e, "e-invoice:") && !strings.HasPrefix(e, "pdf:") {
			others = append(others, e)
		}
	}
	return "entitlements are e-invoice:{country}:{format}:create, e-invoice:{country}:{format}:parse, pdf:{country}:generate, " +
		strings.Join(others, ", ") + "; * stands for one segment"
}
