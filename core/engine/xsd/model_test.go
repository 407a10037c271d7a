package xsd

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// modelText draws a content model over the elements a, b, c, and what it means: the words it matches, by a matcher that
// tries everything.
type modelText struct {
	xml   string
	match func(word string) []int // how much of the start of the word can be matched
}

// repeats gives how much of a word min to max times m can match.
func (m modelText) repeats(min, max int, word string) []int {
	reached := []int{0}
	var all []int
	for n := 0; n <= max; n++ {
		if n >= min {
			all = append(all, reached...)
		}
		var next []int
		for _, at := range reached {
			for _, more := range m.match(word[at:]) {
				next = append(next, at+more)
			}
		}
		if next = sortedSet(next); len(next) == 0 || slices.Equal(next, reached) && n >= min {
			break
		}
		reached = next
	}
	return sortedSet(all)
}

func sortedSet(all []int) []int {
	slices.Sort(all)
	return slices.Compact(all)
}

func drawModel(t *rapid.T, depth int) modelText {
	min := rapid.IntRange(0, 2).Draw(t, "min")
	max := min + rapid.IntRange(0, 2).Draw(t, "more")
	if max == 0 {
		max = 1 // a particle that may not occur is no part of a choice
	}
	occurs := fmt.Sprintf(` minOccurs="%d" maxOccurs="%d"`, min, max)
	if rapid.IntRange(0, 4).Draw(t, "unbounded") == 0 {
		max = 1 << 20
		occurs = fmt.Sprintf(` minOccurs="%d" maxOccurs="unbounded"`, min)
	}
	var once modelText
	if kind := rapid.IntRange(0, 3).Draw(t, "kind"); kind < 2 || depth == 0 {
		name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "name")
		once.xml = `<xs:element name="` + name + `"` + occurs + `/>`
		once.match = func(word string) []int {
			if strings.HasPrefix(word, name) {
				return []int{1}
			}
			return nil
		}
	} else {
		once = drawGroup(t, depth, kind == 2, occurs)
	}
	return modelText{once.xml, func(word string) []int { return once.repeats(min, max, word) }}
}

func drawGroup(t *rapid.T, depth int, choice bool, occurs string) modelText {
	parts := make([]modelText, rapid.IntRange(1, 3).Draw(t, "parts"))
	tag := "xs:sequence"
	if choice {
		tag = "xs:choice"
	}
	g := modelText{xml: "<" + tag + occurs + ">"}
	for i := range parts {
		parts[i] = drawModel(t, depth-1)
		g.xml += parts[i].xml
	}
	g.xml += "</" + tag + ">"
	g.match = func(word string) []int {
		if choice {
			var all []int
			for _, p := range parts {
				all = append(all, p.match(word)...)
			}
			return sortedSet(all)
		}
		reached := []int{0}
		for _, p := range parts {
			var next []int
			for _, at := range reached {
				for _, more := range p.match(word[at:]) {
					next = append(next, at+more)
				}
			}
			reached = sortedSet(next)
		}
		return reached
	}
	return g
}

func TestAutomataMatchWhatContentModelsMean(t *testing.T) {
	words := []string{""}
	for i := 0; len(words[i]) < 4; i++ {
		words = append(words, words[i]+"a", words[i]+"b", words[i]+"c")
	}
	words = append(words, "aaaaaa", "aaaaaaaaa", "ababababab", "aabaabaab", "abcabcabc")
	compiled := 0
	rapid.Check(t, func(draw *rapid.T) {
		m := drawModel(draw, 3)
		s, err := Compile(folder(map[string]string{"s.xsd": schemaText(rootOf(seq(m.xml)))}), Options{}, "s.xsd")
		switch {
		case err == nil:
			compiled++
		case strings.Contains(err.Error(), errModelSize.Error()):
			draw.Skip("the engine refuses models that only thousands of states could tell apart, whatever they mean")
		case strings.Contains(err.Error(), "may match two parts"):
			return
		default:
			draw.Fatalf("%s: %v", m.xml, err)
		}
		for _, word := range words {
			doc := "<root>"
			for _, c := range word {
				doc += "<" + string(c) + "/>"
			}
			d, err := xmltree.Parse([]byte(doc+"</root>"), xmltree.Options{})
			if err != nil {
				draw.Fatal(err)
			}
			found, err := s.Validate(t.Context(), d)
			if err != nil {
				draw.Fatal(err)
			}
			if got, want := len(found) == 0, slices.Contains(m.match(word), len(word)); got != want {
				draw.Fatalf("%s\n %q is valid: %v, want %v: %s", m.xml, word, got, want, outline(found))
			}
		}
	})
	if compiled == 0 {
		t.Error("no content model was deterministic")
	}
}

func TestLargeCountsCostNoStates(t *testing.T) {
	s := compileBody(t, rootOf(`<xs:sequence maxOccurs="50000"><xs:element name="a" maxOccurs="10000"/>`+elemB+`</xs:sequence>`))
	model := s.entries[0].typ.complex.model
	if len(model.states) != 3 || model.counters != 2 {
		t.Errorf("%d states and %d counters, want 3 and 2", len(model.states), model.counters)
	}
	doc := "<root>" + strings.Repeat("<a/>", 10000) + "<b/><a/><b/></root>"
	if found := violations(t, s, doc); len(found) != 0 {
		t.Errorf("10,000 times a: %s", outline(found))
	}
	doc = "<root>" + strings.Repeat("<a/>", 10001) + "<b/></root>"
	if got := outline(violations(t, s, doc)); got != "element-not-expected /root/a[10001]" {
		t.Errorf("10,001 times a: %q", got)
	}
}
