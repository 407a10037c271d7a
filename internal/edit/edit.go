// Package edit changes XML documents in tests by words, so that what breaks a rule can stand on a line. Edits have ; between them:
//
//	rm PATH            takes an element out
//	strip PATH         takes its attributes away
//	set PATH TEXT      gives it a text
//	long PATH N        gives it a text of N letters
//	attr PATH A TEXT   gives its attribute A a value
//	name PATH NAME     gives it another name
//	add PATH XML       puts something into it, at its end
//	before PATH XML    puts something before it
//	NAME               makes the edits of that name
//
// A path leads from element to element with slashes, each the next one of its name after the start of the one before.
package edit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Apply makes the edits in a document. Edits that name an element that is not there, or that change nothing, are errors.
func Apply(document, edits string, named map[string]string) (string, error) {
	for edit := range strings.SplitSeq(edits, ";") {
		if edit = strings.TrimSpace(edit); edit == "" {
			continue
		}
		changed, err := apply(document, edit, named)
		if err == nil && changed == document {
			err = fmt.Errorf("it changes nothing")
		}
		if err != nil {
			return "", fmt.Errorf("edit %q: %w", edit, err)
		}
		document = changed
	}
	return document, nil
}

func apply(document, edit string, named map[string]string) (string, error) {
	if further, ok := named[edit]; ok {
		return Apply(document, further, named)
	}
	words := append(strings.SplitN(edit, " ", 3), "", "")
	e, err := find(document, words[1])
	if err != nil {
		return "", err
	}
	before, start, content, end, after := document[:e.start], document[e.start:e.content], document[e.content:e.end], document[e.end:e.after], document[e.after:]
	switch text := words[2]; words[0] {
	case "rm":
		start, content, end = "", "", ""
	case "strip":
		start = "<" + e.name + start[strings.IndexAny(start, "/>"):]
	case "set":
		content = text
	case "long":
		letters, err := strconv.Atoi(text)
		if err != nil || letters < 1 {
			return "", fmt.Errorf("%q is no number of letters", text)
		}
		content = strings.Repeat("x", letters)
	case "attr":
		name, value, _ := strings.Cut(text, " ")
		start = withAttribute(start, e.name, name, value)
	case "name":
		start, end = "<"+text+start[1+len(e.name):], strings.Replace(end, e.name, text, 1)
	case "add":
		content += text
	case "before":
		before += text
	default:
		return "", fmt.Errorf("%q is no kind of edit", words[0])
	}
	return before + start + content + end + after, nil
}

// Bounds tells where an element begins in the text of a document, and what follows it.
func Bounds(document, path string) (start, after int, err error) {
	e, err := find(document, path)
	return e.start, e.after, err
}

// withAttribute sets an attribute in a start tag.
func withAttribute(tag, element, name, value string) string {
	tag = regexp.MustCompile(` `+name+`="[^"]*"`).ReplaceAllLiteralString(tag, "")
	at := 1 + len(element)
	return tag[:at] + ` ` + name + `="` + value + `"` + tag[at:]
}

// element is where an element stands in the text of a document.
type element struct {
	name                       string
	start, content, end, after int // of the start tag, of the content, of the end tag, of what follows
}

func find(document, path string) (element, error) {
	var e element
	for name := range strings.SplitSeq(path, "/") {
		tag := regexp.MustCompile(`<` + regexp.QuoteMeta(name) + `[\s>/]`).FindStringIndex(document[e.content:])
		if tag == nil {
			return e, fmt.Errorf("there is no %s", path)
		}
		e.name, e.start = name, e.content+tag[0]
		e.content = e.start + strings.IndexByte(document[e.start:], '>') + 1
		e.end, e.after = e.content, e.content
		if document[e.content-2] != '/' {
			e.end += strings.Index(document[e.content:], "</"+name+">")
			e.after = e.end + len("</"+name+">")
		}
	}
	return e, nil
}
