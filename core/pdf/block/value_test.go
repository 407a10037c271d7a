package block_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/einvoiced/einvoiced/core/pdf/block"
)

// manyMembers is an object with so many members, m0 to the last, whose values are their numbers.
func manyMembers(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"m%d":%d`, i, i)
	}
	return []byte("{" + b.String()[1:] + "}")
}

// TestGet_OfAnObjectWithManyMembersIsThatOfOneWithFew ensures that an index finds what a search finds, before and after members are set, and in
// copies from before that.
func TestGet_OfAnObjectWithManyMembersIsThatOfOneWithFew(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 63, 64, 65, 1000} {
		v, err := block.ParseValue(manyMembers(n))
		if err != nil {
			t.Fatal(err)
		}
		last := fmt.Sprintf("m%d", n-1)
		want := func(of block.Value, name, text string) {
			t.Helper()
			if got := of.Get(name); got.Text != text {
				t.Errorf("%d members: %s is %q, not %q", n, name, got.Text, text)
			}
		}
		want(v, "m0", "0")
		want(v, last, fmt.Sprint(n-1))
		want(v, "new", "")
		before := v
		v.Set("new", block.Value{Kind: block.Text, Text: "N"})
		want(v, "new", "N")
		want(before, "new", "")
		v.Set(last, block.Value{Kind: block.Text, Text: "L"})
		want(v, last, "L")
		want(v, "new", "N")
	}
}

func TestGet_MayBeAskedBySeveralAtOnce(t *testing.T) {
	t.Parallel()
	v, err := block.ParseValue(manyMembers(1000))
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if v.Get("m999").Text != "999" {
				t.Error("a member is not found")
			}
		})
	}
	all.Wait()
}

// TestRender_FillsManyPlaceholdersFromManyMembers has 100,000 of each in a text and in the row of a table, which take minutes
// where each placeholder looks through all members.
func TestRender_FillsManyPlaceholdersFromManyMembers(t *testing.T) {
	t.Parallel()
	const n = 100_000
	data := string(manyMembers(n))
	data = strings.TrimSuffix(data, "}") + `,"rows":[` + data + `]}`
	many := strings.Repeat("{{zz?}}", n)
	blocks := fmt.Sprintf(`{"type":"text","data":{"content":"%s{{m%d}}"}},
		{"type":"table","data":{"dataSource":"rows","columns":[{"field":"a","header":"h","width":"*","template":"%s{{position}}{{m%d}}"}]}}`, many, n-1, many, n-2)
	if got := inspected(t, with(blocks), []byte(data)).Text; got != fmt.Sprintf("%d\nh\n1%d", n-1, n-2) {
		t.Errorf("%q", got)
	}
}
