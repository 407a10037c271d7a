package xmltree

import (
	"fmt"
	"sync"
	"testing"
)

func TestVocabulariesTranslateBothWays(t *testing.T) {
	names := []Name{{"u", "a"}, {"", "b"}, {"u", "c"}, {"u", "a"}}
	v := NewVocabulary(names)
	parsers := make([]*Parser, 2)
	for i := range parsers {
		var err error
		if parsers[i], err = NewParser(Options{}); err != nil {
			t.Fatal(err)
		}
	}
	for i, src := range []string{`<x/>`, `<a xmlns="u"/>`, `<a xmlns="u" b=""><b xmlns=""/><c/></a>`, `<b/>`, `<y xmlns="u"><c/></y>`} {
		for _, p := range parsers {
			d, err := p.Parse([]byte(src))
			if err != nil {
				t.Fatal(err)
			}
			tr := v.For(d)
			for n := Node(0); int(n) < d.Len(); n++ {
				want := uint32(0)
				for k := 2; k >= 0; k-- {
					if d.Name(n) != 0 && names[k] == (Name{d.Namespace(n), d.Local(n)}) {
						want = uint32(k + 1)
					}
				}
				if got := tr.Number(d.Name(n)); got != want || want != 0 && tr.ID(want) != d.Name(n) {
					t.Errorf("document %d, %s: number %d, want %d", i, d.Path(n), got, want)
				}
			}
		}
	}
}

func TestAVocabularyIsMadeOnceForAllDocumentsOfAParser(t *testing.T) {
	p, err := NewParser(Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Parse(sampleInvoice(2))
	if err != nil {
		t.Fatal(err)
	}
	v := NewVocabulary([]Name{{ublBasic, "ID"}})
	first := v.For(d)
	d.Release()
	if d, err = p.Parse(sampleInvoice(3)); err != nil {
		t.Fatal(err)
	}
	if v.For(d) != first || first.ID(1) == 0 || len(d.Elements(first.ID(1))) == 0 {
		t.Error("the second document costs a new translation")
	}
}

func TestAVocabularyServesManyAtOnce(t *testing.T) {
	p, err := NewParser(Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := NewVocabulary([]Name{{"", "a"}, {"", "b"}})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 50 {
				d, err := p.Parse([]byte(fmt.Sprintf("<b><x%d-%d/><a/></b>", g, i)))
				if err != nil {
					t.Error(err)
					return
				}
				if tr := v.For(d); tr.Number(d.Name(d.Root())) != 2 || len(d.Elements(tr.ID(1))) != 1 {
					t.Error("a name is translated wrongly")
				}
				d.Release()
			}
		}()
	}
	wg.Wait()
}
