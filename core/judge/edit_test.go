package judge

import (
	"regexp"
	"strings"
	"testing"
)

// edited makes the edits of testdata/fire/ubl.txt in a document.
func edited(t *testing.T, name, document, edits string) string {
	t.Helper()
	for edit := range strings.SplitSeq(edits, " ; ") {
		if edit = strings.TrimSpace(edit); edit == "" {
			continue
		}
		before := document
		document = editedOnce(document, edit)
		if document == before {
			t.Fatalf("%s: %q changes nothing", name, edit)
		}
	}
	return document
}

func editedOnce(document, edit string) string {
	if path, ok := strings.CutPrefix(edit, "- "); ok {
		e := find(document, path)
		return document[:e.start] + document[e.end:]
	}
	if path, name, ok := strings.Cut(edit, " >> "); ok {
		e := find(document, path)
		element := document[e.start:e.end]
		element = "<" + name + element[1+len(e.name):]
		return document[:e.start] + strings.TrimSuffix(element, e.name+">") + name + ">" + document[e.end:]
	}
	if path, xml, ok := strings.Cut(edit, " + "); ok {
		e := find(document, path)
		return document[:e.start] + xml + document[e.start:]
	}
	target, text, _ := strings.Cut(edit+" ", " = ")
	text = strings.TrimSpace(text)
	target = strings.TrimSuffix(strings.TrimSpace(target), " =")
	if path, attribute, ok := strings.Cut(target, " @"); ok {
		e := find(document, path)
		tag := regexp.MustCompile(` `+attribute+`="[^"]*"`).ReplaceAllLiteralString(document[e.start:e.content], "")
		at := 1 + len(e.name)
		return document[:e.start] + tag[:at] + ` ` + attribute + `="` + text + `"` + tag[at:] + document[e.content:]
	}
	e := find(document, target)
	return document[:e.content] + text + document[e.end-len("</>")-len(e.name):]
}

// element is where an element stands in the text of a document.
type element struct {
	name                string
	start, content, end int // of the start tag, after it, after the end tag
}

// find finds the element that a path leads to: each name is the first one that begins after the start of the one before.
func find(document, path string) element {
	var e element
	at := 0
	for name := range strings.FieldsSeq(path) {
		tag := regexp.MustCompile(`<` + name + `[\s>/]`).FindStringIndex(document[at:])
		if tag == nil {
			return element{} // the edit changes nothing, which is told
		}
		e = element{name: name, start: at + tag[0]}
		e.content = e.start + strings.IndexByte(document[e.start:], '>') + 1
		e.end = e.content
		if document[e.content-2] != '/' {
			e.end += strings.Index(document[e.content:], "</"+name+">") + len("</"+name+">")
		}
		at = e.content
	}
	return e
}
