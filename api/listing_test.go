package api

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"github.com/einvoiced/einvoiced/storage/db"
)

// TestListing_OfAKeyThatMaySeeFew ensures that whatever part of the things a key may see, pages have them all in their order, both ways, and that looking
// for them takes a question for each hundred.
func TestListing_OfAKeyThatMaySeeFew(t *testing.T) {
	const all = 1_000
	for _, every := range []int{1, 3, 400, 2 * all} {
		asked := 0
		l := listing[int, int]{
			id:   func(n int) string { return fmt.Sprintf("%04d", n) },
			show: func(n int) (int, bool) { return n, n%every == every-1 },
			list: func(p db.Page) (things []int, more bool, err error) { // newest first: from all-1 down to 0
				asked++
				from, to := all-1, 0
				if p.StartingAfter != "" {
					from, err = strconv.Atoi(p.StartingAfter)
					from--
				}
				if p.EndingBefore != "" {
					to, err = strconv.Atoi(p.EndingBefore)
					to++
				}
				for n := from; n >= to; n-- {
					things = append(things, n)
				}
				if more = len(things) > p.Limit; more && p.EndingBefore != "" {
					things = things[len(things)-p.Limit:]
				} else if more {
					things = things[:p.Limit]
				}
				return things, more, err
			},
		}
		for _, way := range []string{"starting_after", "ending_before"} {
			for _, limit := range []int{1, 7, 100} {
				var got []int
				for cursor, more := "", true; more; {
					query := url.Values{"limit": {fmt.Sprint(limit)}}
					if way == "ending_before" && cursor == "" {
						cursor = "-001"
					}
					if cursor != "" {
						query.Set(way, cursor)
					}
					before := asked
					page := onePage(t, l, query)
					if len(page.Data) > limit || asked-before > 2+all/db.MaxLimit {
						t.Fatalf("every %d, limit %d: %d things of %d questions", every, limit, len(page.Data), asked-before)
					}
					if more = page.HasMore && len(page.Data) > 0; way == "ending_before" {
						got = append(slices.Clone(page.Data), got...)
					} else {
						got = append(got, page.Data...)
					}
					if len(page.Data) > 0 && way == "ending_before" {
						cursor = l.id(page.Data[0])
					} else if len(page.Data) > 0 {
						cursor = l.id(page.Data[len(page.Data)-1])
					}
				}
				if len(got) != all/every || !slices.IsSortedFunc(got, func(a, b int) int { return b - a }) {
					t.Errorf("every %d, %s, limit %d: %d things, want %d", every, way, limit, len(got), all/every)
				}
			}
		}
	}
}

type pageOfNumbers struct {
	Data    []int `json:"data"`
	HasMore bool  `json:"has_more"`
}

func onePage(t *testing.T, l listing[int, int], query url.Values) (p pageOfNumbers) {
	t.Helper()
	a, err := l.answer(query)
	if err != nil {
		t.Fatal(query, err)
	}
	if err := json.Unmarshal(a.body, &p); err != nil {
		t.Fatal(err)
	}
	return p
}
