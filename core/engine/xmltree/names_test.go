package xmltree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamesAreExpandedAndAsWritten(t *testing.T) {
	d, err := Parse([]byte(`<a xmlns="u" xmlns:p="v" k="" p:k=""><p:b/><?t?>x</a>`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	type row struct{ Written, Prefix, Space, Local string }
	var got []row
	for n := Node(0); int(n) < d.Len(); n++ {
		if name := d.Names().Name(d.Name(n)); name.Space != d.Namespace(n) || name.Local != d.Local(n) {
			t.Errorf("the table says %v of node %d", name, n)
		}
		got = append(got, row{string(d.QName(n)), string(d.Prefix(n)), d.Namespace(n), d.Local(n)})
	}
	want := []row{{}, {"a", "", "u", "a"}, {"k", "", "", "k"}, {"p:k", "p", "v", "k"}, {"p:b", "p", "v", "b"}, {"t", "", "", "t"}, {}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNameIDsStayTheSameFromDocumentToDocument(t *testing.T) {
	p, err := NewParser(Options{})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[Name]NameID{}
	for _, src := range []string{`<a xmlns="u"><b/></a>`, `<x:b xmlns:x="u"><c/></x:b>`, `<b xmlns="u"/>`} {
		d, err := p.Parse([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		for n := d.Root(); int(n) < d.Len(); n++ {
			name := Name{d.Namespace(n), d.Local(n)}
			if ids[name] == 0 {
				ids[name] = d.Name(n)
			}
			if ids[name] != d.Name(n) || d.Names().Lookup(name.Space, name.Local) != d.Name(n) || d.Name(n) >= d.NameLimit() {
				t.Errorf("%v has the number %d, before %d", name, d.Name(n), ids[name])
			}
		}
		d.Release()
	}
	if d, _ := p.Parse([]byte("<a/>")); d.Names().Lookup("u", "unknown") != 0 || d.Names().Len() != len(ids)+2 {
		t.Errorf("the table holds %d names", d.Names().Len())
	}
}

func TestATableThatHasGrownLargeIsReplaced(t *testing.T) {
	p, err := NewParser(Options{})
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.Parse([]byte("<a><b/></a>"))
	if err != nil {
		t.Fatal(err)
	}
	table := first.Names()
	for i := range 2 {
		var b strings.Builder
		for k := range 9_000 {
			fmt.Fprintf(&b, "<n%d-%d/>", i, k)
		}
		if _, err := p.Parse([]byte("<a>" + b.String() + "</a>")); err != nil {
			t.Fatal(err)
		}
	}
	last, err := p.Parse([]byte("<b><a/></b>"))
	if err != nil {
		t.Fatal(err)
	}
	if last.Names() == table || last.Names().Len() > 10 {
		t.Errorf("the table still holds %d names", last.Names().Len())
	}
	for _, d := range []*Document{first, last} {
		if got := compact(t, d); got != "<a><b/></a>" && got != "<b><a/></b>" {
			t.Errorf("got %s", got)
		}
		if root := d.Root(); len(d.Elements(d.Name(root))) != 1 || d.Elements(d.Name(root))[0] != root {
			t.Errorf("the root of %s is not listed", compact(t, d))
		}
	}
}

func TestPrefixesAreLookedUpInScope(t *testing.T) {
	d, err := Parse([]byte(`<a xmlns="u" xmlns:p="v"><b xmlns="" xmlns:q="w" k=""><c xmlns:p="z"/></b>x</a>`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for n := Node(0); int(n) < d.Len(); n++ {
		line := d.Path(n)
		for _, p := range []string{"", "p", "q", "xml", "none"} {
			uri, ok := d.LookupPrefix(n, p)
			line += fmt.Sprintf(" %s=%s/%v", p, uri, ok)
		}
		got = append(got, line)
	}
	const end = " xml=http://www.w3.org/XML/1998/namespace/true none=/false"
	want := []string{
		"/ =/true p=/false q=/false" + end,
		"/a =u/true p=v/true q=/false" + end,
		"/a/b =/true p=v/true q=w/true" + end,
		"/a/b/@k =/true p=v/true q=w/true" + end,
		"/a/b/c =/true p=z/true q=w/true" + end,
		"/a/text() =u/true p=v/true q=/false" + end,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var declared []string
	for prefix, uri := range d.Declarations(d.Root()) {
		declared = append(declared, prefix+"="+uri)
	}
	if diff := cmp.Diff([]string{"=u", "p=v"}, declared); diff != "" {
		t.Error(diff)
	}
}
