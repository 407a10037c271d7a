package job

import (
	"bytes"
	"slices"
)

// Clean tells of the answer to an operation that has made a document whether that is all there is to tell: its lists of errors, of
// warnings and of what a conversion lost are empty. Answers hold their documents, so that texts are passed over in place of being decoded.
func Clean(answer []byte) bool {
	told := false
	for rest := bytes.TrimPrefix(answer, []byte("{")); len(rest) < len(answer); {
		name := valueEnd(rest)
		if name < 2 || name >= len(rest) || rest[name] != ':' {
			return false
		}
		value := rest[name+1:]
		end := valueEnd(value)
		if slices.Contains(lists, string(rest[1:name-1])) {
			if told = true; string(value[:end]) != "[]" {
				return false
			}
		}
		switch {
		case end == len(value):
			return false // it is cut off
		case value[end] == '}':
			return told
		}
		rest = value[end+1:]
	}
	return false
}

// lists are the members of an answer that say something beside its document.
var lists = []string{"errors", "warnings", "conversionWarnings"}

// valueEnd is the length of the JSON value that a text begins with, up to the comma, colon or bracket behind it.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += stringEnd(text[i+1:])
		case '{', '[':
			depth++
		case '}', ']', ',', ':':
			if depth == 0 {
				return i
			}
			if text[i] == '}' || text[i] == ']' {
				depth--
			}
		}
	}
	return len(text)
}

// stringEnd is the length of what stands up to the quote that ends a JSON string, that quote included.
func stringEnd(text []byte) int {
	for i := 0; i < len(text); {
		at := bytes.IndexByte(text[i:], '"')
		if at < 0 {
			break
		}
		i += at + 1
		before := bytes.TrimRight(text[:i-1], `\`)
		if (i-1-len(before))%2 == 0 {
			return i
		}
	}
	return len(text)
}
