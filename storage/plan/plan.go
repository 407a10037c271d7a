// Package plan knows the plans that accounts can have: line limits, quotas and rates, read from a YAML file.
package plan

import "github.com/einvoiced/einvoiced/storage/account"

// Plan is what an account may use. The zero Plan limits nothing.
type Plan struct {
	Lines  int     // line items per invoice; 0: no limit of the plan
	Quotas []Quota // the first whose pattern covers an entitlement decides
	Rate   Rate    // requests per key; zero: the operator's default
}

// Quota is how many units of the entitlements that a pattern covers may be used in a calendar month, each counted for itself.
type Quota struct {
	Entitlement string // a pattern, see account.Entitled
	Limit       int64  // units a month; Unlimited for an exception from a later quota
}

// Limit gives how many units of the entitlement the plan allows in a month, and whether it limits them at all.
func (p Plan) Limit(entitlement string) (units int64, limited bool) {
	for _, q := range p.Quotas {
		if account.Entitled([]string{q.Entitlement}, entitlement) {
			return q.Limit, q.Limit != Unlimited
		}
	}
	return 0, false
}

// Unlimited is the limit of a quota that does not limit; in the file the word unlimited.
const Unlimited = -1

// Rate is how fast requests may come: a bucket of Burst that is filled with PerSecond.
type Rate struct {
	PerSecond int
	Burst     int
}

// Set is the configured plans. It is immutable; the zero Set has none.
type Set struct{ plans map[string]Plan }

// Plan gives a plan by its name; the empty name is the plan that limits nothing.
func (s Set) Plan(name string) (Plan, bool) {
	p, ok := s.plans[name]
	return p, ok || name == ""
}

// Has tells whether accounts can have the plan.
func (s Set) Has(name string) bool {
	_, ok := s.Plan(name)
	return ok
}
