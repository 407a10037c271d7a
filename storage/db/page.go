package db

import (
	"context"
	"errors"
	"slices"
)

// ErrPage says that a Page is none.
var ErrPage = errors.New("limit must be 1 to 100 and only one of starting_after and ending_before be given")

// MaxLimit is the largest Page.Limit.
const MaxLimit = 100

// Page is a part of a list, newest first. At most one of the cursors may be set; a cursor need not be the id of something that
// exists.
type Page struct {
	Limit         int    // 1 to MaxLimit; 0 means 20
	StartingAfter string // only what comes after this id in the list
	EndingBefore  string // only the last that come before this id in the list
}

// List reads a page of the rows of a query that ends in a condition; column is that of their ids. It tells whether more follow in
// the direction of the page. The error is ErrPage for a page that is none.
func List[Row any](ctx context.Context, d *DB, p Page, column, query string, args ...any) (rows []Row, more bool, err error) {
	if p.Limit == 0 {
		p.Limit = 20
	}
	if p.Limit < 1 || p.Limit > MaxLimit || p.StartingAfter != "" && p.EndingBefore != "" {
		return nil, false, ErrPage
	}
	switch {
	case p.EndingBefore != "":
		query, args = query+" AND "+column+" > ? ORDER BY "+column, append(args, p.EndingBefore)
	case p.StartingAfter != "":
		query, args = query+" AND "+column+" < ? ORDER BY "+column+" DESC", append(args, p.StartingAfter)
	default:
		query += " ORDER BY " + column + " DESC"
	}
	if err := d.Select(ctx, &rows, query+" LIMIT ?", append(args, p.Limit+1)...); err != nil {
		return nil, false, err
	}
	more = len(rows) > p.Limit
	rows = rows[:min(len(rows), p.Limit)]
	if p.EndingBefore != "" {
		slices.Reverse(rows)
	}
	return rows, more, nil
}
