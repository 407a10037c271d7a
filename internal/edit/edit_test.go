package edit

import "testing"

const document = `<a><b k="1">x</b><c><b>y</b><d/></c></a>`

// TestApply ensures what each kind of edit does.
func TestApply(t *testing.T) {
	named := map[string]string{"both": "rm b; set c/b z"}
	for edits, want := range map[string]string{
		"rm b":                   `<a><c><b>y</b><d/></c></a>`,
		"rm c/d":                 `<a><b k="1">x</b><c><b>y</b></c></a>`,
		"strip b":                `<a><b>x</b><c><b>y</b><d/></c></a>`,
		"long b 3":               `<a><b k="1">xxx</b><c><b>y</b><d/></c></a>`,
		"set c/b two words":      `<a><b k="1">x</b><c><b>two words</b><d/></c></a>`,
		"set b":                  `<a><b k="1"></b><c><b>y</b><d/></c></a>`,
		"attr b k 2":             `<a><b k="2">x</b><c><b>y</b><d/></c></a>`,
		"attr c n a b":           `<a><b k="1">x</b><c n="a b"><b>y</b><d/></c></a>`,
		"name c e":               `<a><b k="1">x</b><e><b>y</b><d/></e></a>`,
		"add c <f/>":             `<a><b k="1">x</b><c><b>y</b><d/><f/></c></a>`,
		"before c/d <f/> ; rm b": `<a><c><b>y</b><f/><d/></c></a>`,
		"both; set b v":          `<a><c><b>v</b><d/></c></a>`,
		"":                       document,
	} {
		if got, err := Apply(document, edits, named); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", edits, got, err, want)
		}
	}
	for _, edits := range []string{"rm x", "set c/x y", "set b x", "turn b", "long b x", "rm b; rm b; rm b"} {
		if got, err := Apply(document, edits, named); err == nil {
			t.Errorf("%s: %s, want an error", edits, got)
		}
	}
}

// TestBounds ensures that an element is found with its tags.
func TestBounds(t *testing.T) {
	if start, after, err := Bounds(document, "c/b"); err != nil || document[start:after] != "<b>y</b>" {
		t.Errorf("%d to %d, %v", start, after, err)
	}
}
