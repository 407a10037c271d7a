package xmltree

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTreeIsTheXPathDataModelInDocumentOrder(t *testing.T) {
	src := "<?xml version='1.0'?><!-- c --><a xmlns='u' xmlns:p='v' p:x='1' y='&lt;2\n'>t<![CDATA[<x>]]>&amp;<p:b/><p:b>x</p:b><?pi  data?></a>"
	d, err := Parse([]byte(src), Options{})
	if err != nil {
		t.Fatal(err)
	}
	type row struct{ Path, Space, Value string }
	var got []row
	l := NewLocator(d)
	for n := Node(0); int(n) < d.Len(); n++ {
		got = append(got, row{l.Path(n), d.Namespace(n), d.String(n)})
	}
	want := []row{
		{"/", "", "t<x>&x"},
		{"/comment()", "", " c "},
		{"/a", "u", "t<x>&x"},
		{"/a/@p:x", "v", "1"},
		{"/a/@y", "", "<2 "},
		{"/a/text()", "", "t<x>&"},
		{"/a/p:b[1]", "v", ""},
		{"/a/p:b[2]", "v", "x"},
		{"/a/p:b[2]/text()", "", "x"},
		{"/a/processing-instruction(pi)", "", "data"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTreeIsWrittenAsItWasRead(t *testing.T) {
	src := `<!-- c --><a xmlns="u" xmlns:p="v" p:x="1" y="&lt;2 ">t&lt;x&gt;&amp;<p:b/><p:b>x</p:b><?pi data?></a>`
	d, err := Parse([]byte(src), Options{})
	if err != nil {
		t.Fatal(err)
	}
	w := NewWriter(WriterOptions{Compact: true, NoDecl: true})
	w.Tree(d, 0)
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(src, string(w.Bytes())); diff != "" {
		t.Error(diff)
	}
}

// TestSiblingIsTheNextElementOfThatName compares it with a walk over the children, from each of them on, for all names of a document.
func TestSiblingIsTheNextElementOfThatName(t *testing.T) {
	d, err := Parse([]byte(`<a b="1"><b/>x<c b="2"><b/></c><!--b--><?b b?><b>y</b><c/></a>`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range Node(d.Len()) {
		first, end := d.Children(n)
		for from := first; from <= end; from++ {
			if from < end && d.Parent(from) != n {
				continue
			}
			for name := range d.NameLimit() {
				want, steps := from, 0
				for ; want < end; want = d.End(want) {
					if steps++; d.Kind(want) == KindElement && d.Name(want) == name {
						break
					}
				}
				if at, looked := d.Sibling(from, end, name); at != want || looked != steps {
					t.Errorf("from %d on, name %d: %d after %d, want %d after %d", from, name, at, looked, want, steps)
				}
			}
		}
	}
}
