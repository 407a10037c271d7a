package xmltree

import (
	"errors"
	"strings"
	"testing"
)

func parseWithSubset(text string) (*Document, error) {
	return Parse([]byte(text), Options{InternalSubset: true, Limits: Limits{Size: 1 << 20}})
}

func TestInternalSubsetsAreReadOnlyOnRequest(t *testing.T) {
	const text = `<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>`
	var refused *Error
	if _, err := Parse([]byte(text), Options{}); !errors.As(err, &refused) || refused.Code != DoctypeRefused {
		t.Errorf("without the option: %v, want %s", err, DoctypeRefused)
	}
	d, err := parseWithSubset(text)
	if err != nil || d.String(d.Root()) != "x" {
		t.Errorf("with the option: %v", err)
	}
}

func TestEntitiesOfAnInternalSubset(t *testing.T) {
	for name, c := range map[string]struct{ subset, content, want string }{
		"text":                     {`<!ENTITY e "x">`, `a&e;b`, `axb`},
		"entities in entities":     {`<!ENTITY e "1&f;2"><!ENTITY f 'x'>`, `&e;&f;`, `1x2x`},
		"the first one counts":     {`<!ENTITY e "1"><!ENTITY e "2">`, `&e;`, `1`},
		"character references":     {`<!ENTITY e "&#60;&#x26;">`, `<b c="x">&amp;&#65;</b>`, `&A`},
		"escaped twice":            {`<!ENTITY e "&#38;lt;&#38;#38;">`, `&e;`, `<&`},
		"predefined ones stay":     {`<!ENTITY e "&lt;&amp;"><!ENTITY amp "x">`, `&e;&amp;`, `<&&`},
		"quotes in text":           {`<!ENTITY e '"'>`, `&e;`, `"`},
		"not in comments or CDATA": {`<!ENTITY e "x">`, `<!-- &e; --><![CDATA[&e;]]><?p &e;?>`, `&e;`},
		"other declarations":       {"<!-- c --><?p?><!ELEMENT a (#PCDATA)><!ATTLIST a b CDATA '>'><!NOTATION n SYSTEM 'n'>\n<!ENTITY % p ''><!ENTITY e 'x'>", `&e;`, `x`},
		"external, but not used":   {`<!ENTITY o SYSTEM "file:///etc/passwd"><!ENTITY n PUBLIC "p" "s" NDATA x>`, `y`, `y`},
		"white space":              {"<!ENTITY\n e\t'x' >", `&e;`, `x`},
		"more than ASCII":          {`<!ENTITY ä "ö">`, `&ä;`, `ö`},
	} {
		d, err := parseWithSubset("<?xml version='1.0'?><!-- c --><!DOCTYPE a PUBLIC \"-//X//DTD\" 'http://example.org/a.dtd' [" + c.subset + "] ><a>" + c.content + "</a>")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := d.String(d.Root()); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestEntitiesInAttributeValuesKeepTheirQuotes(t *testing.T) {
	d, err := parseWithSubset(`<!DOCTYPE a [<!ENTITY e 'x"y'><!ENTITY f "it's"><!ENTITY w "p q"><!ENTITY g "'&e;'">]><a b="&e;" c='&f;' d='&w;' e="&g;"/>`)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"b": `x"y`, "c": "it's", "d": "p q", "e": `'x"y'`} {
		if got, _ := d.AttrValue(d.Root(), name); string(got) != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestLinesAreCountedThroughTheSubset(t *testing.T) {
	d, err := parseWithSubset("<!DOCTYPE a [\n<!ENTITY e \"x\">\n]>\n<a>\n<b/></a>")
	if err != nil {
		t.Fatal(err)
	}
	if line, column := d.Position(d.LastChild(d.Root())); line != 5 || column != 1 {
		t.Errorf("the element is at line %d, column %d, want 5, 1", line, column)
	}
}

func TestSubsetsThatAreRefused(t *testing.T) {
	laughs := "<!ENTITY e0 \"ha\">"
	chain := "<!ENTITY e0 \"ha\">"
	for n := 1; n < 100; n++ {
		entity := "<!ENTITY e" + string(rune('0'+n/10)) + string(rune('0'+n%10)) + " \""
		previous := "&e" + string(rune('0'+(n-1)/10)) + string(rune('0'+(n-1)%10)) + ";"
		if n == 1 {
			previous = "&e0;"
		}
		laughs += entity + strings.Repeat(previous, 10) + "\">"
		chain += entity + previous + "\">"
	}
	for name, c := range map[string]struct {
		text string
		code Code
	}{
		"unknown entity":            {`<!DOCTYPE a><a>&e;</a>`, UnknownEntity},
		"external entity":           {`<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>`, UnknownEntity},
		"unparsed entity":           {`<!DOCTYPE a [<!ENTITY e SYSTEM "x" NDATA n>]><a b="&e;"/>`, UnknownEntity},
		"entity with markup":        {`<!DOCTYPE a [<!ENTITY e "<b/>">]><a>&e;</a>`, UnknownEntity},
		"entity in itself":          {`<!DOCTYPE a [<!ENTITY e "&e;">]><a>&e;</a>`, UnknownEntity},
		"entities in each other":    {`<!DOCTYPE a [<!ENTITY e "&f;"><!ENTITY f "&e;">]><a>&e;</a>`, UnknownEntity},
		"a billion laughs":          {`<!DOCTYPE a [` + laughs + `]><a>&e60;</a>`, LimitSize},
		"quadratic growth":          {`<!DOCTYPE a [<!ENTITY e "` + strings.Repeat("x", 10_000) + `">]><a>` + strings.Repeat("&e;", 1000) + `</a>`, LimitSize},
		"deep entities":             {`<!DOCTYPE a [` + chain + `]><a>&e99;</a>`, LimitSize},
		"parameter entity":          {`<!DOCTYPE a [<!ENTITY % p "x">%p;]><a/>`, NotWellFormed},
		"parameter entity in value": {`<!DOCTYPE a [<!ENTITY e "%p;">]><a/>`, NotWellFormed},
		"no end":                    {`<!DOCTYPE a [<!ENTITY e "x">`, NotWellFormed},
		"no end of a value":         {`<!DOCTYPE a [<!ENTITY e "x>]><a/>`, NotWellFormed},
		"no end after the subset":   {`<!DOCTYPE a [] b><a/>`, NotWellFormed},
		"no end of a comment":       {`<!DOCTYPE a [<!-- ]><a/>`, NotWellFormed},
		"no declaration":            {`<!DOCTYPE a [x]><a/>`, NotWellFormed},
		"conditional section":       {`<!DOCTYPE a [<![INCLUDE[]]>]><a/>`, NotWellFormed},
		"not a name":                {`<!DOCTYPE a [<!ENTITY 1 "x">]><a/>`, NotWellFormed},
		"not a character":           {`<!DOCTYPE a [<!ENTITY e "&#0;">]><a/>`, NotWellFormed},
		"a second DOCTYPE":          {`<!DOCTYPE a><!DOCTYPE a><a/>`, DoctypeRefused},
		"a DOCTYPE inside":          {`<a><!DOCTYPE a></a>`, DoctypeRefused},
		"text of a tag":             {`<!DOCTYPE a [<!ENTITY e "b='1'">]><a &e;/>`, NotWellFormed},
	} {
		_, err := parseWithSubset(c.text)
		var refused *Error
		if !errors.As(err, &refused) || refused.Code != c.code {
			t.Errorf("%s: %v, want %s", name, err, c.code)
		}
	}
}

func FuzzInternalSubset(f *testing.F) {
	f.Add(`<!ENTITY e "x&f;"><!ENTITY f 'y'>`, `&e;<b c="&f;"/>`)
	f.Add(`<!-- c --><!ELEMENT a ANY><?p?>`, `&amp;&#60;`)
	f.Add(`<!ENTITY e "&e;">`, `&e;`)
	f.Fuzz(func(t *testing.T, subset, content string) {
		d, err := parseWithSubset("<!DOCTYPE a [" + subset + "]><a>" + content + "</a>")
		if err != nil {
			return
		}
		again, err := Parse(d.Source(), Options{})
		if err != nil {
			t.Fatalf("the expanded document is refused: %v", err)
		}
		if got, want := again.String(0), d.String(0); got != want {
			t.Errorf("the expanded document says %q, want %q", got, want)
		}
	})
}
