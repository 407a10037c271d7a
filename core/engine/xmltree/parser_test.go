package xmltree

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAParserGivesTheSameTreesAsANewOne(t *testing.T) {
	p, err := NewParser(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var kept []*Document
	for round := range 3 {
		for i, c := range wellFormed {
			d, err := p.Parse([]byte(c.src))
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			fresh, err := Parse([]byte(c.src), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(eventsOf(fresh), eventsOf(d)); diff != "" {
				t.Errorf("%s in round %d: %s", c.name, round, diff)
			}
			if i%3 == round {
				kept = append(kept, d)
				continue
			}
			d.Release()
		}
		for _, c := range illFormed {
			if _, err := p.Parse([]byte(c.src)); codeOf(err) != c.code {
				t.Errorf("%s in round %d: got %v, want %s", c.name, round, err, c.code)
			}
		}
	}
	for i, d := range kept {
		if fresh, _ := Parse(d.Source(), Options{}); !cmp.Equal(eventsOf(fresh), eventsOf(d)) {
			t.Errorf("document %d, never released, has changed", i)
		}
	}
}

func TestAReleasedDocumentCannotBeUsed(t *testing.T) {
	d, err := Parse([]byte("<a/>"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.Release()
	d.Release()
	defer func() {
		if recover() == nil {
			t.Error("a released document answers")
		}
	}()
	d.Root()
}

func TestMemoryOfHugeDocumentsIsNotKept(t *testing.T) {
	p, err := NewParser(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range []string{"<a>" + strings.Repeat("<b/>", keepNodes+1) + "</a>", "<a>&lt;" + strings.Repeat("x", keepDecoded) + "</a>"} {
		d, err := p.Parse([]byte(src))
		if err != nil {
			t.Fatal(err)
		}
		d.Release()
		if a := p.arena(); cap(a.nodes) > keepNodes || cap(a.decoded) > keepDecoded {
			t.Errorf("kept %d nodes and %d bytes", cap(a.nodes), cap(a.decoded))
		}
	}
}

func TestAParserServesManyAtOnce(t *testing.T) {
	p, err := NewParser(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 40 {
				src := fmt.Sprintf(`<a xmlns="u%d"><b%d>%d</b%d><c k="&lt;"/></a>`, i%3, i, g, i)
				d, err := p.Parse([]byte(src))
				if err != nil {
					t.Error(err)
					return
				}
				if got := compact(t, d); got != src {
					t.Errorf("got %s, want %s", got, src)
				}
				if id := d.Names().Lookup(fmt.Sprintf("u%d", i%3), "c"); len(d.Elements(id)) != 1 {
					t.Errorf("%d elements c", len(d.Elements(id)))
				}
				if i%2 == 0 {
					d.Release()
				}
			}
		}()
	}
	wg.Wait()
}

func TestADocumentServesManyReadersAtOnce(t *testing.T) {
	d, err := Parse(sampleInvoice(30), Options{})
	if err != nil {
		t.Fatal(err)
	}
	read := func() string {
		var b strings.Builder
		l := NewLocator(d)
		for n := Node(0); int(n) < d.Len(); n++ {
			line, column := d.Position(n)
			uri, _ := d.LookupPrefix(n, "cbc")
			fmt.Fprint(&b, l.Path(n), line, column, d.String(n), len(d.Elements(d.Name(n))), len(d.AttributesNamed(d.Name(n))), uri)
		}
		return b.String()
	}
	answers := make([]string, 4)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Add(1)
		go func() { defer wg.Done(); answers[i] = read() }()
	}
	wg.Wait()
	for _, a := range answers {
		if a != answers[0] || a == "" {
			t.Error("two readers see different documents")
		}
	}
}
