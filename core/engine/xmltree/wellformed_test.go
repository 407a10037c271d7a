package xmltree

import (
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// wellFormed are documents with the form that a compact Writer gives their tree, which shows all values decoded. An empty form
// means the source itself.
var wellFormed = []struct{ name, src, form string }{
	{"an empty element", `<a/>`, ``},
	{"an element without content", `<a></a>`, `<a/>`},
	{"white space in tags", "<a \n></a\t>", `<a/>`},
	{"white space around the equals sign", "<a b = '1'\tc\n=\r\n\"2\"/>", `<a b="1" c="2"/>`},
	{"quotes inside the other quotes", `<a b='"' c="'"/>`, `<a b="&quot;" c="'"/>`},
	{"a byte order mark", "\uFEFF<a/>", `<a/>`},
	{"an XML declaration", `<?xml version="1.0"?><a/>`, `<a/>`},
	{"a full XML declaration", "\uFEFF<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<a/>\n", `<a/>`},
	{"white space after the XML declaration's parts", "<?xml\tversion = \"1.0\"\nencoding\r=\r'UTF-8'?><a/>", `<a/>`},
	{"the predefined entities", `<a b="&lt;&gt;&amp;&apos;&quot;">&lt;&gt;&amp;&apos;&quot;</a>`, `<a b="&lt;&gt;&amp;'&quot;">&lt;&gt;&amp;'"</a>`},
	{"character references", `<a>&#65;&#x42;&#x1F600;&#x000000000000000043;</a>`, `<a>AB😀C</a>`},
	{"references to characters that text cannot show", `<a b="&#9;&#10;&#13;">&#13;&#10;&#9;</a>`, "<a b=\"&#9;&#10;&#13;\">&#13;\n\t</a>"},
	{"line ends in text", "<a>1\r\n2\r3\n\r4\r</a>", "<a>1\n2\n3\n\n4\n</a>"},
	{"CR LF before and after text", "<a>\r\n <b>\r\nx\r\n</b>\r\n<![CDATA[\r\n]]>\r\n\r\n&#13;\r\n\r</a>", "<a>\n <b>\nx\n</b>\n\n\n\n&#13;\n\n</a>"},
	{"line ends and tabs in attribute values", "<a b='1\r\n2\r3\n4\t5  6'/>", `<a b="1 2 3 4 5  6"/>`},
	{"line ends in CDATA, comments and instructions", "<a><![CDATA[1\r\n2\r]]><!--3\r\n4\r--><?p 5\r\n6\r?></a>", "<a>1\n2\n<!--3\n4\n--><?p 5\n6\n?></a>"},
	{"a CDATA section", `<a><![CDATA[<b>&amp;]]]]></a>`, `<a>&lt;b&gt;&amp;amp;]]</a>`},
	{"text, CDATA and references as one text", `<a>1<![CDATA[2]]>3<![CDATA[]]>&#52;<![CDATA[5]]></a>`, `<a>12345</a>`},
	{"an empty CDATA section", `<a><![CDATA[]]></a>`, `<a/>`},
	{"an empty CDATA section before text", `<a><![CDATA[]]>x</a>`, `<a>x</a>`},
	{"square brackets in text", `<a>]] ] > ]>]</a>`, `<a>]] ] &gt; ]&gt;]</a>`},
	{"a greater-than sign in values and text", `<a b=">">></a>`, `<a b="&gt;">&gt;</a>`},
	{"comments everywhere", `<!--1--><a><!----><!-- - --></a><!--2-->`, ``},
	{"markup inside comments and instructions", `<a><!--<b>&x;--><?p <b>&x;?></a>`, ``},
	{"instructions everywhere", `<?p?><a><?q r ?></a><?xml-stylesheet href="x"?>`, ``},
	{"an instruction with question marks", `<?p ??><a/>`, ``},
	{"white space before an instruction's data", "<a><?p \n  x?></a>", `<a><?p x?></a>`},
	{"white space text", "<a> \n\t</a>", ``},
	{"mixed content", `<a>1<b>2</b>3<b/>4</a>`, ``},
	{"names beyond ASCII", `<Straße größe="1"><日本語/><_-.·0/></Straße>`, ``},
	{"a default namespace and its end", `<a xmlns="u"><b xmlns=""><c/></b></a>`, ``},
	{"a prefix bound anew", `<p:a xmlns:p="u"><p:b xmlns:p="v"/><p:c/></p:a>`, ``},
	{"a declaration after its use in the tag", `<p:a p:b="1" xmlns:p="u"/>`, `<p:a xmlns:p="u" p:b="1"/>`},
	{"the prefix xml without declaration", `<a xml:lang="de"/>`, ``},
	{"the prefix xml declared", `<a xmlns:xml="http://www.w3.org/XML/1998/namespace" xml:lang="de"/>`, `<a xml:lang="de"/>`},
	{"the same local name in different namespaces", `<a xmlns:p="u" xmlns:q="v" b="1" p:b="2" q:b="3"/>`, ``},
	{"an attribute in no namespace beside a default namespace", `<a xmlns="u" xmlns:p="u" b="1" p:b="2"/>`, ``},
	{"an element called xmlns", `<a xmlns="u"><xmlns/></a>`, ``},
	{"references in a namespace name", `<a xmlns="&#117;"/>`, `<a xmlns="u"/>`},
	{"noncharacters beyond the basic plane", "<a>\U0001FFFE\U0010FFFF\uFFFD\uD7FF\uE000</a>", ``},
	{"control characters that XML 1.0 allows", "<a>\x7F\u0080\u0085\u2028</a>", ``},
	{"two-, three- and four-byte characters side by side", "<a>äß€語😀é</a>", ``},
	{"white space after the document", "<a/>\n\n", `<a/>`},
}

func TestWellFormedDocumentsAreRead(t *testing.T) {
	for _, c := range wellFormed {
		t.Run(c.name, func(t *testing.T) {
			if c.form == "" {
				c.form = c.src
			}
			checkForm(t, []byte(c.src), c.form)
		})
	}
}

func checkForm(t *testing.T, src []byte, form string) *Document {
	t.Helper()
	d, err := Parse(src, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(form, compact(t, d)); diff != "" {
		t.Error(diff)
	}
	return d
}

func compact(t testing.TB, d *Document) string {
	t.Helper()
	w := NewWriter(WriterOptions{Compact: true, NoDecl: true})
	w.Tree(d, 0)
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return string(w.Bytes())
}

func inUTF16(s string, big bool) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			out = append(out, byte(u>>8), byte(u))
		} else {
			out = append(out, byte(u), byte(u>>8))
		}
	}
	return out
}

func inLatin1(s string) []byte {
	var out []byte
	for _, r := range s {
		out = append(out, byte(r))
	}
	return out
}

func TestEncodingsAreRead(t *testing.T) {
	const body = `<a b="ä">é¥</a>`
	const beyond = `<a b="ä">é¥😀</a>`
	cases := []struct {
		name string
		src  []byte
		form string
	}{
		{"UTF-16, big end first, with byte order mark", inUTF16("\uFEFF"+beyond, true), beyond},
		{"UTF-16, little end first, with byte order mark", inUTF16("\uFEFF"+beyond, false), beyond},
		{"UTF-16 declared", inUTF16("\uFEFF<?xml version='1.0' encoding='UTF-16'?>"+beyond, false), beyond},
		{"UTF-16LE declared, no byte order mark", inUTF16("<?xml version='1.0' encoding='utf-16le'?>"+beyond, false), beyond},
		{"UTF-16BE declared, no byte order mark", inUTF16("<?xml version='1.0' encoding='UTF-16BE'?>"+beyond, true), beyond},
		{"ISO-8859-1", inLatin1("<?xml version='1.0' encoding='ISO-8859-1'?>" + body), body},
		{"latin1 without letters beyond ASCII", []byte("<?xml version='1.0' encoding='latin1'?><a/>"), `<a/>`},
		{"US-ASCII", []byte("<?xml version='1.0' encoding='us-ascii'?><a>&#228;</a>"), `<a>ä</a>`},
		{"UTF-8 by another name", []byte("<?xml version='1.0' encoding='utf8'?>" + beyond), beyond},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { checkForm(t, c.src, c.form) })
	}
}

func TestSourceIsTheUTF8Form(t *testing.T) {
	src := []byte("<a>longer than what lies in a node</a>")
	d := checkForm(t, src, string(src))
	if &d.Source()[0] != &src[0] || &d.Value(d.Root())[0] != &src[3] {
		t.Error("UTF-8 input is copied")
	}
	d = checkForm(t, inUTF16("\uFEFF<a>ä</a>", true), "<a>ä</a>")
	if got := string(d.Source()); got != "<a>ä</a>" {
		t.Errorf("got %q", got)
	}
}

func TestBlankTextBesideElementsIsStrippedOnRequest(t *testing.T) {
	src := "<a>\n  <b> </b>\n  <b>x</b> y <!-- c --> <c>\n</c> <d> <![CDATA[z]]> </d> <e> <!----> </e> &#32;<f/> <![CDATA[]]>\r\n <g k=''> <![CDATA[ ]]></g></a>"
	want := "<a><b> </b><b>x</b> y <!-- c --><c>\n</c><d> z </d><e><!----></e><f/><g k=\"\">  </g></a>"
	d, err := Parse([]byte(src), Options{StripBlank: true})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, compact(t, d)); diff != "" {
		t.Error(diff)
	}
}
