package api

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/storage/db"
)

// pageOf reads limit, starting_after and ending_before.
func pageOf(q url.Values) (db.Page, error) {
	p := db.Page{Limit: 20, StartingAfter: q.Get("starting_after"), EndingBefore: q.Get("ending_before")}
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > db.MaxLimit {
			return p, badField("limit", finding.InvalidValue, "limit: must be a whole number from 1 to 100")
		}
		p.Limit = n
	}
	for field, cursor := range map[string]string{"starting_after": p.StartingAfter, "ending_before": p.EndingBefore} {
		if cursor != "" && !safeID(cursor) {
			return p, badField(field, finding.InvalidValue, field+": must be an id from the list")
		}
	}
	if p.StartingAfter != "" && p.EndingBefore != "" {
		return p, badField("ending_before", finding.InvalidValue, "ending_before: cannot be combined with starting_after")
	}
	return p, nil
}

// listing is how things of a kind are listed, newest first.
type listing[T, V any] struct {
	path string
	list func(db.Page) (things []T, more bool, err error)
	id   func(T) string
	show func(T) (view V, visible bool) // the key may see it
}

// answer reads on until the page of the query is full of things that the key may see: by large pages, since a key may see few of very many.
func (l listing[T, V]) answer(query url.Values) (*answer, error) {
	page, err := pageOf(query)
	if err != nil {
		return nil, err
	}
	views, more, limit := []V{}, true, page.Limit
	for more && len(views) < limit {
		var things []T
		if things, more, err = l.list(page); err != nil {
			return nil, err
		}
		found, rest := l.visible(things), limit-len(views)
		more = more || len(found) > rest
		if page.EndingBefore != "" {
			views = append(found[max(0, len(found)-rest):], views...)
		} else {
			views = append(views, found[:min(rest, len(found))]...)
		}
		page = l.beyond(page, things)
		page.Limit = db.MaxLimit
	}
	return jsonAnswer(http.StatusOK, struct {
		Object  string `json:"object"`
		Data    []V    `json:"data"`
		HasMore bool   `json:"has_more"`
		URL     string `json:"url"`
	}{"list", views, more, l.path}), nil
}

func (l listing[T, V]) visible(things []T) []V {
	views := []V{}
	for _, thing := range things {
		if v, ok := l.show(thing); ok {
			views = append(views, v)
		}
	}
	return views
}

// beyond moves the cursor of a page behind the things that it gave.
func (l listing[T, V]) beyond(page db.Page, things []T) db.Page {
	switch {
	case len(things) == 0:
	case page.EndingBefore != "":
		page.EndingBefore = l.id(things[0])
	default:
		page.StartingAfter = l.id(things[len(things)-1])
	}
	return page
}
