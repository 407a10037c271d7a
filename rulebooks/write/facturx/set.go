package facturx

import (
	"fmt"
	"strings"
)

// version is a generation of Factur-X, which is ZUGFeRD under another number.
type version struct {
	name    string // as in the tables
	zugferd string
	release string // the publisher's
	formats string // of the API that are this version
	from    string // day from which the publishers have it in force; empty where they name none
}

func versions() []version {
	return []version{
		{"1.07", "2.3.3", "1.07.3", "zugferd-2.3, facturx-1.0, facturx-1.07", ""},
		{"1.08", "2.4", "1.08", "zugferd-2.4, facturx-1.08", ""},
		{"1.09", "2.5.2", "1.09-2", "zugferd-2.5, facturx-1.09", "2026-09-01"},
	}
}

// profile is what may be in an invoice.
type profile struct {
	letter         byte // in the tables
	id, title      string
	specifications []string // BT-24
}

// coreSpecification is BT-24 of EN 16931 itself, which documents outside of Factur-X have as well.
const coreSpecification = "urn:cen.eu:en16931:2017"

func profiles() []profile {
	return []profile{
		{'b', "basic", "BASIC", []string{"urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic", "urn:cen.eu:en16931:2017#compliant#urn:zugferd.de:2p0:basic"}},
		{'e', "en16931", "EN 16931", []string{coreSpecification}},
		{'x', "extended", "EXTENDED", []string{"urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended", "urn:cen.eu:en16931:2017#conformant#urn:zugferd.de:2p0:extended"}},
	}
}

// set is a rule set: a profile in a version.
type set struct {
	version version
	profile profile
}

// sets lists all, version by version.
func sets() []set {
	var all []set
	for _, v := range versions() {
		for _, p := range profiles() {
			all = append(all, set{v, p})
		}
	}
	return all
}

// id names the rulebook.
func (s set) id() string { return "fx-" + s.version.zugferd + "-" + s.profile.id }

// schema is the folder of the XML Schema, which only differs between versions in EXTENDED.
func (s set) schema() string {
	folder := "shared/schema/factur-x/" + s.profile.id
	if s.profile.letter == 'x' {
		folder += "-" + s.version.zugferd
	}
	return folder
}

// key is how the tables name a set.
func (s set) key() string { return s.version.name + string(s.profile.letter) }

// limit says in which sets something is; nil is all.
type limit map[string]bool

func (l limit) has(s set) bool { return l == nil || l[s.key()] }

// readLimit reads [1.07 1.08x], in which a version without letters is all its profiles.
func readLimit(text string) (limit, error) {
	l := limit{}
	for _, word := range strings.Fields(text) {
		if len(word) < 4 {
			return nil, fmt.Errorf("%q is no version", word)
		}
		letters := word[4:]
		if letters == "" {
			letters = "bex"
		}
		for _, letter := range letters {
			l[word[:4]+string(letter)] = true
		}
	}
	return l, l.check()
}

// check refuses versions and profiles that there are not.
func (l limit) check() error {
	known := map[string]bool{}
	for _, s := range sets() {
		known[s.key()] = true
	}
	for key := range l {
		if !known[key] {
			return fmt.Errorf("there is no set %s", key)
		}
	}
	return nil
}

// readColumns reads "be- bex bex": for each version the letters of the profiles.
func readColumns(text string) (limit, error) {
	words := strings.Fields(text)
	if len(words) != len(versions()) {
		return nil, fmt.Errorf("%q: expected the letters of %d versions", text, len(versions()))
	}
	l := limit{}
	for i, v := range versions() {
		for _, letter := range strings.ReplaceAll(words[i], "-", "") {
			l[v.name+string(letter)] = true
		}
	}
	return l, l.check()
}
