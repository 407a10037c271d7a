package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/einvoiced/einvoiced/core/operation"
)

// mistyped is how many characters may be wrong in a word that is taken for another.
const mistyped = 2

// suggest refuses a country or format that there is not and that looks like one there is, in one sentence. What looks like nothing is
// for the operation to refuse.
func suggest(ctx context.Context, service *operation.Service, country, format string) error {
	c, err := service.Country(ctx, country)
	if err != nil || format == "" {
		return nil
	}
	var tokens []string
	for _, f := range c.Formats {
		if strings.EqualFold(f.ID, format) {
			return nil
		}
		tokens = append(tokens, f.ID)
	}
	if near := nearest(strings.ToLower(format), tokens); levenshtein.ComputeDistance(strings.ToLower(format), near) <= mistyped {
		return &failure{code: exitUsage, cause: fmt.Errorf("%s has no format %q: did you mean %s?", c.Name, format, near)}
	}
	return nil
}
