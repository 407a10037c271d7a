package facturx

import "strings"

// terms are the business terms of elements: the end of a path, with its attribute if it is one, to number and name.
type terms map[string]string

func readTerms() (terms, error) {
	t := terms{}
	return t, eachRow("terms.txt", func(columns []string) error {
		t[columns[0]] = columns[1]
		return nil
	})
}

// of gives the business term of an element or attribute, else that of what it stands in, with a blank; empty for none.
func (t terms) of(path string) string {
	for more := true; more; path, _, more = cutLast(path, "/") {
		for tail := path; tail != ""; _, tail, _ = strings.Cut(tail, "/") {
			if term, known := t[tail]; known {
				return term + ": "
			}
		}
	}
	return ""
}

// plain writes a path for people: without conditions, and with at most three steps.
func plain(path string) string {
	var steps []string
	for step := range strings.SplitSeq(path, "/") {
		step, _, _ = strings.Cut(step, "{")
		if _, local, found := strings.Cut(step, ":"); found {
			step = local
		}
		steps = append(steps, step)
	}
	return strings.Join(steps[max(0, len(steps)-3):], "/")
}

func (m *maker) unusedText(path string) string {
	return m.terms.of(path) + plain(path) + " is there: expected none in the profile " + m.set.profile.title + "."
}

func (m *maker) attributeText(path, attribute string, needed bool) string {
	text := m.terms.of(path+"/"+attribute) + plain(path)
	if needed {
		return text + " has no attribute " + attribute[1:] + ": expected one."
	}
	return text + " has the attribute " + attribute[1:] + " \"{" + attribute + "}\": expected none in the profile " + m.set.profile.title + "."
}

func (m *maker) countText(path, child, expression string, bounds occurrence) string {
	whole := strings.TrimPrefix(path+"/"+child, "./")
	return m.terms.of(whole) + plain(whole) + " is there {count(" + expression + ")} times: expected " + bounds.words + " in the profile " + m.set.profile.title + "."
}

// shown is what messages show of a value, which may be an attachment.
const shown = "substring(normalize-space(.), 1, 40)"

// codeText says what was found and which codes are expected.
func (m *maker) codeText(path, value, expected string) string {
	what, whole, found := plain(path), path, shown
	if value != "." {
		what, whole, found = what+"/"+value, path+"/"+value, value
	}
	return m.terms.of(whole) + what + " is \"{" + found + "}\": expected " + expected + "."
}
