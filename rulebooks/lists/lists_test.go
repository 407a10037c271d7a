package lists

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// file is a list with a complete header.
func file(lines string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("title: Fruit\nversion: 2026\nsource: the garden\n" + lines)}
}

// TestOpen_Variants ensures that codes under a heading belong to its variants, and the others to all.
func TestOpen_Variants(t *testing.T) {
	fsys := fstest.MapFS{"fruit/1.txt": file("\nA apple\nB\n\n[north south]\nC\n[south]\nD date palm\n"), "fruit/2.txt": file("\nA\nB\n")}
	l, err := open(fsys, "fruit", "1", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []Code{{"A", "apple", nil}, {"B", "", nil}, {"C", "", []string{"north", "south"}}, {"D", "date palm", []string{"south"}}}
	if diff := cmp.Diff(want, l.Codes); diff != "" || l.Title != "Fruit" || l.Edition != "2026" || l.Source != "the garden" {
		t.Errorf("%+v\n%s", l, diff)
	}
	plain, err := open(fsys, "fruit", "2", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		list    *List
		variant string
		codes   string
	}{{l, "north", "A B C"}, {l, "south", "A B C D"}, {l, "", "error"}, {l, "east", "error"}, {plain, "", "A B"}, {plain, "north", "error"}} {
		codes, err := c.list.Variant(c.variant)
		if got := strings.Join(codes, " "); err == nil && got != c.codes || err != nil && c.codes != "error" {
			t.Errorf("%s %q: %s, %v, expected %s", c.list.Version, c.variant, got, err, c.codes)
		}
	}
}

// TestOpen_Base ensures that a version can be given by its differences from another one.
func TestOpen_Base(t *testing.T) {
	fsys := fstest.MapFS{
		"fruit/1.txt": file("\nA\nB\n[south]\nC\n"),
		"fruit/2.txt": file("base: 1\n\n-A\nD\n[south]\nE\n"),
		"fruit/3.txt": file("base: 2\n\nA apple\n-C\n"),
	}
	l, err := open(fsys, "fruit", "3", nil)
	if err != nil {
		t.Fatal(err)
	}
	codes, err := l.Variant("south")
	if diff := cmp.Diff([]string{"B", "D", "E", "A"}, codes); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

// TestOpen_Faults ensures that a file with a fault is refused with the place of it.
func TestOpen_Faults(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"key":         {"colour: red\n\nA\n", `fruit/1.txt:4: "colour: red"`},
		"value":       {"base:\n\nA\n", "fruit/1.txt:4"},
		"twice":       {"\nA\nB\nA\n", "fruit/1.txt:7: the code A"},
		"quote":       {"\nA'\n", "fruit/1.txt:5"},
		"no codes":    {"\n", "expected title"},
		"no base":     {"base: 0\n\nA\n", "0.txt"},
		"own base":    {"base: 1\n\nA\n", "rests on itself"},
		"minus":       {"\nA\n-B\n", `codes ["B"]`},
		"known":       {"base: 2\n\nA\n", "base has the code A"},
		"minus wrong": {"base: 2\n\n-B\n", `codes ["B"]`},
	} {
		_, err := open(fstest.MapFS{"fruit/1.txt": file(c.lines), "fruit/2.txt": file("\nA\n")}, "fruit", "1", nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %s", name, err, c.want)
		}
	}
}

// TestAll ensures that the lists that ship can be read, that each has codes in every variant, and that neighbours under a
// heading are in order, numbers first, so that a difference between versions is easy to see.
func TestAll(t *testing.T) {
	all, err := All()
	if err != nil || len(all) < 17 {
		t.Fatalf("%d lists, %v", len(all), err)
	}
	for _, l := range all {
		variants := []string{""}
		if len(l.variants) > 0 {
			variants = nil
			for v := range l.variants {
				variants = append(variants, v)
			}
		}
		for _, v := range variants {
			if codes, err := l.Variant(v); err != nil || len(codes) == 0 {
				t.Errorf("%s %s %q: %d codes, %v", l.Name, l.Version, v, len(codes), err)
			}
		}
		for i, c := range l.Codes[1:] {
			before := l.Codes[i]
			if slices.Equal(before.Variants, c.Variants) && l.base == "" && !inOrder(before.Code, c.Code) {
				t.Errorf("%s %s: %s stands before %s", l.Name, l.Version, before.Code, c.Code)
			}
		}
	}
}

// inOrder tells whether a code stands before another: numbers by their value, all others after them.
func inOrder(a, b string) bool {
	isNumber := func(s string) bool { return strings.Trim(s, "0123456789") == "" }
	switch {
	case isNumber(a) != isNumber(b):
		return isNumber(a)
	case isNumber(a) && len(strings.TrimLeft(a, "0")) != len(strings.TrimLeft(b, "0")):
		return len(strings.TrimLeft(a, "0")) < len(strings.TrimLeft(b, "0"))
	}
	return a < b
}
