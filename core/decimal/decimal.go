// Package decimal is exact decimal numbers for money, quantities and percentages.
package decimal

// Decimal is an exact decimal number that keeps its scale. The zero value means "no number": it counts as 0 in arithmetic,
// IsSet tells it apart, and JSON leaves it out under omitzero.
type Decimal struct{ set bool }

// IsSet tells whether d holds a number.
func (d Decimal) IsSet() bool { return d.set }
