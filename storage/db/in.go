package db

import "strings"

// In gives the condition that a column is one of some ids, IN (?, ?, …), and its arguments. There must be one id at least, and no more than a statement takes
// arguments: some thousand.
func In(ids []string) (condition string, args []any) {
	args = make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return "IN (?" + strings.Repeat(", ?", len(ids)-1) + ")", args
}
