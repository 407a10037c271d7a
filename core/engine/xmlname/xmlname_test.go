package xmlname

import (
	"testing"
	"unicode"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		s                     string
		ncName, name, nmtoken bool
	}{
		{"", false, false, false},
		{"a", true, true, true},
		{"_a-1.b", true, true, true},
		{"cbc:ID", false, true, true},
		{":a", false, true, true},
		{"1a", false, false, true},
		{"-a", false, false, true},
		{"a b", false, false, false},
		{"Été·", true, true, true},
		{"·a", false, false, true},
		{"\u00D7", false, false, false},
		{"\U00010000x", true, true, true},
		{"a\xff", false, false, false},
		{"\uFFFD", true, true, true},
	} {
		if got := IsNCName(c.s); got != c.ncName {
			t.Errorf("IsNCName(%q) = %v", c.s, got)
		}
		if got := IsName(c.s); got != c.name {
			t.Errorf("IsName(%q) = %v", c.s, got)
		}
		if got := IsNmtoken(c.s); got != c.nmtoken {
			t.Errorf("IsNmtoken(%q) = %v", c.s, got)
		}
	}
}

func TestScanStopsAtFirstForeignCharacter(t *testing.T) {
	for s, want := range map[string]int{"abc:d": 3, "ab cd": 2, "é+": 2, "9": 0, "a\xffb": 1} {
		if got := Scan(s); got != want {
			t.Errorf("Scan(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestSplitQName(t *testing.T) {
	for _, c := range []struct {
		s, prefix, local string
		ok               bool
	}{
		{"ID", "", "ID", true},
		{"cbc:ID", "cbc", "ID", true},
		{"cbc:", "cbc", "", false},
		{":ID", "", "ID", false},
		{"a:b:c", "a", "b:c", false},
	} {
		prefix, local, ok := SplitQName(c.s)
		if ok != c.ok || ok && (prefix != c.prefix || local != c.local) {
			t.Errorf("SplitQName(%q) = %q, %q, %v", c.s, prefix, local, ok)
		}
	}
}

func TestASCIIShortcutsAgreeWithTables(t *testing.T) {
	for r := rune(0); r < 128; r++ {
		if r == ':' {
			continue
		}
		if IsStart(r) != unicode.Is(Start, r) || IsPart(r) != unicode.In(r, Start, Extra) {
			t.Errorf("%q: shortcut and table disagree", r)
		}
	}
}
