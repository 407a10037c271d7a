package markup

import "testing"

// TestWriter ensures the form of a file: declaration, comment, an element a line, attributes without those that are empty.
func TestWriter(t *testing.T) {
	w := NewWriter("for people")
	w.Open("a", "xmlns", "urn:x", "none", "")
	w.Comment("")
	w.Empty("b", "test", "x < 'y' & z > \"w\"\n")
	w.Around("text"+Element("v", "select", "."), "c", "id", "1")
	w.Line(Text(`<it's "so">`))
	w.Close("a")
	const want = `<?xml version="1.0" encoding="UTF-8"?>
<!-- for people -->
<a xmlns="urn:x">
  <b test="x &lt; 'y' &amp; z > &quot;w&quot;&#10;"/>
  <c id="1">text<v select="."/></c>
  &lt;it's "so"&gt;
</a>
`
	if got := string(w.Bytes()); got != want {
		t.Errorf("got\n%s", got)
	}
}
