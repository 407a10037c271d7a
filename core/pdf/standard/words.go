package standard

import (
	_ "embed"
	"strings"
)

// words.txt is what invoices say beside their data: a line of names, and a line for each language with the words for them.
//
//go:embed words.txt
var wordList string

// words are those of each language (ISO 639-1), by their names.
type words map[string]map[string]string

func readWords(list string) words {
	all := words{}
	var names []string
	for line := range strings.Lines(list) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "|")
		if names == nil {
			names = fields
			continue
		}
		of := map[string]string{}
		for i, word := range fields[1:] {
			if i+1 < len(names) {
				of[names[i+1]] = word
			}
		}
		all[fields[0]] = of
	}
	return all
}

// languages that others write as: Norwegian without a form, Bokmål.
var alike = map[string]string{"no": "nb"}

// between stands between a word in two languages.
const between = " / "

// of gives the words of languages, several beside each other where there are several. English stands for those that are not listed.
func (w words) of(languages []string) map[string]string {
	joined := map[string]string{}
	for _, language := range languages {
		if other := alike[language]; other != "" {
			language = other
		}
		list := w[language]
		if list == nil {
			list = w["en"]
		}
		for name, word := range list {
			if joined[name] == "" {
				joined[name] = word
			} else if joined[name] != word {
				joined[name] += between + word
			}
		}
	}
	return joined
}
