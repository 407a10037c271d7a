package fr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/rulebooks/sch"
	"github.com/einvoiced/einvoiced/rulebooks/write/en16931"
	"github.com/einvoiced/einvoiced/rulebooks/write/model"
)

// left are the rules of EN 16931 1.3.16 that EXTENDED-CTC-FR is without, by syntax and pattern: others stand in their place, or it
// allows what they forbid.
var left = map[string]map[string]string{
	"ubl": {
		"model": `BR-22 BR-23 BR-24 BR-26 BR-27 BR-28 BR-54 BR-CO-04 BR-CO-10 BR-CO-11 BR-CO-12 BR-CO-13 BR-CO-15 BR-CO-17
			BR-S-01 BR-Z-01 BR-E-01 BR-IC-01 BR-G-01 BR-AF-01 BR-O-01 BR-O-02 BR-O-03 BR-O-04 BR-O-11 BR-O-12 BR-O-13 BR-O-14
			BR-AE-08 BR-E-08 BR-G-08 BR-IC-08 BR-AF-08 BR-AG-08 BR-O-08 BR-S-08 BR-S-09 BR-S-10 BR-Z-08 BR-Z-10`,
		"syntax": `UBL-CR-018 UBL-CR-026 UBL-CR-047 UBL-CR-096 UBL-CR-099 UBL-CR-194 UBL-CR-195 UBL-CR-258 UBL-CR-259 UBL-CR-269
			UBL-CR-270 UBL-CR-271 UBL-CR-272 UBL-CR-273 UBL-CR-274 UBL-CR-288 UBL-CR-410 UBL-CR-439 UBL-CR-480 UBL-CR-481 UBL-CR-490
			UBL-CR-523 UBL-CR-524 UBL-CR-525 UBL-CR-528 UBL-CR-529 UBL-CR-530 UBL-CR-531 UBL-CR-550 UBL-CR-561 UBL-CR-563 UBL-CR-600
			UBL-CR-601 UBL-CR-609 UBL-CR-611 UBL-CR-619 UBL-CR-633 UBL-CR-634 UBL-CR-645 UBL-CR-662 UBL-CR-669 UBL-CR-670
			UBL-SR-04 UBL-SR-16 UBL-SR-20 UBL-SR-34 UBL-SR-37 UBL-SR-48 UBL-SR-52`,
		"codes": "BR-CL-10 BR-CL-20 BR-CL-24",
	},
	"cii": {
		"model": `BR-22 BR-23 BR-24 BR-26 BR-27 BR-28 BR-38 BR-44 BR-54 BR-CO-04 BR-CO-10 BR-CO-11 BR-CO-12 BR-CO-13 BR-CO-15 BR-CO-17
			BR-CO-22 BR-CO-24 BR-S-01 BR-Z-01 BR-E-01 BR-AE-01 BR-IC-01 BR-G-01 BR-AF-01 BR-AG-01 BR-O-01 BR-O-02 BR-O-03 BR-O-04
			BR-AE-08 BR-E-08 BR-G-08 BR-IC-08 BR-AF-08 BR-AF-10 BR-AG-08 BR-AG-10 BR-O-08 BR-O-09 BR-O-10 BR-O-11 BR-O-12 BR-O-13
			BR-O-14 BR-S-08 BR-S-09 BR-S-10 BR-Z-08 BR-Z-10`,
		"syntax": `CII-DT-018 CII-DT-024 CII-DT-027 CII-DT-052 CII-DT-058 CII-DT-098 CII-SR-039 CII-SR-040 CII-SR-041 CII-SR-068
			CII-SR-070 CII-SR-106 CII-SR-107 CII-SR-108 CII-SR-127 CII-SR-128 CII-SR-148 CII-SR-156 CII-SR-164 CII-SR-170 CII-SR-173
			CII-SR-174 CII-SR-175 CII-SR-200 CII-SR-201 CII-SR-210 CII-SR-278 CII-SR-293 CII-SR-305 CII-SR-333 CII-SR-334 CII-SR-350
			CII-SR-351 CII-SR-352 CII-SR-353 CII-SR-354 CII-SR-355 CII-SR-356 CII-SR-357 CII-SR-358 CII-SR-359 CII-SR-360 CII-SR-361
			CII-SR-362 CII-SR-363 CII-SR-365 CII-SR-366 CII-SR-422 CII-SR-439 CII-SR-454 CII-SR-458 CII-SR-464 CII-SR-467 CII-SR-468
			CII-SR-469 CII-SR-470 CII-SR-471 CII-SR-472 CII-SR-473 CII-SR-474 CII-SR-475 CII-SR-476 CII-SR-477 CII-SR-478 CII-SR-479
			CII-SR-480 CII-SR-481 CII-SR-482 CII-SR-483 CII-SR-484 CII-SR-485 CII-SR-486 CII-SR-487 CII-SR-488 CII-SR-489 CII-SR-490
			CII-SR-491 CII-SR-492 CII-SR-493 CII-SR-494`,
		"codes": "BR-CL-07 BR-CL-10 BR-CL-20 BR-CL-24",
	},
}

// moved are the contexts that EXTENDED-CTC-FR has of its own: a preceding invoice of a line is not that of the document.
var moved = map[string]map[string]string{
	"ubl": {"cac:BillingReference": "/ubl:Invoice/cac:BillingReference | /cn:CreditNote/cac:BillingReference"},
}

// base gives the rules of EN 16931 1.3.16 on a syntax, ubl or cii, as EXTENDED-CTC-FR has them.
func base(syntax string) ([]sch.Pattern, error) {
	var all []sch.Pattern
	for _, read := range []func(string) (*sch.Pattern, error){model.Pattern, en16931.Use, en16931.Codes} {
		p, err := read(syntax)
		if err != nil {
			return nil, err
		}
		edit := sch.Edit{Without: strings.Fields(left[syntax][p.ID]), Contexts: contextsOf(p, moved[syntax])}
		edited, err := edit.Apply(p)
		if err != nil {
			return nil, fmt.Errorf("EXTENDED-CTC-FR on %s: %w", syntax, err)
		}
		all = append(all, edited)
	}
	return all, nil
}

// contextsOf gives the contexts of a pattern that are moved.
func contextsOf(p *sch.Pattern, moved map[string]string) map[string]string {
	own := map[string]string{}
	for _, r := range p.Rules {
		if to, ok := moved[r.Context]; ok {
			own[r.Context] = to
		}
	}
	return own
}

// finish makes the rules of a pattern that has the name of one of EN 16931 part of that one. It takes the level from the rule that
// has none in the publisher's rules.
func finish(s *sch.Schema) {
	var patterns []sch.Pattern
	known := map[string]int{}
	for _, p := range s.Patterns {
		at, twice := known[p.ID]
		if !twice {
			known[p.ID] = len(patterns)
			patterns = append(patterns, p)
			continue
		}
		join(&patterns[at], p.Rules)
	}
	s.Patterns = patterns
	for _, p := range s.Patterns {
		for _, r := range p.Rules {
			for i := range r.Assertions {
				if r.Assertions[i].ID == "FREXT-ACCOUNT" {
					r.Assertions[i].Flag = ""
				}
			}
		}
	}
}

// join adds rules to a pattern: what they judge to the rules that have their contexts, and the others at its end. Those of the business
// rules come before all instead, because they take nodes away from contexts that are more general.
func join(p *sch.Pattern, rules []sch.Rule) {
	var others []sch.Rule
	for _, r := range rules {
		same := slices.IndexFunc(p.Rules, func(other sch.Rule) bool { return other.Context == r.Context })
		if same < 0 {
			others = append(others, r)
			continue
		}
		p.Rules[same].Lets = slices.Concat(p.Rules[same].Lets, r.Lets)
		p.Rules[same].Assertions = slices.Concat(p.Rules[same].Assertions, r.Assertions)
	}
	if p.ID == "model" {
		p.Rules = slices.Concat(others, p.Rules)
	} else {
		p.Rules = slices.Concat(p.Rules, others)
	}
}
