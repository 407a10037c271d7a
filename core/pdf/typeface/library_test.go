package typeface

import (
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"codeberg.org/go-fonts/liberation/liberationserifbold"
)

func names(chain []*Face) (list []string) {
	for _, f := range chain {
		list = append(list, f.Name)
	}
	return list
}

func TestChain_TakesTheFacesOfTheOperatorFirst(t *testing.T) {
	t.Parallel()
	folder := fstest.MapFS{
		"mine.ttf":   {Data: liberationserifbold.TTF},
		"broken.ttf": {Data: []byte("no font")},
		"readme.txt": {Data: []byte("-")},
	}
	l := NewLibrary(folder)
	if got := strings.Join(names(l.Chain("Courier", true, false)), ", "); got != "mine.ttf, Liberation Mono Bold, Noto Sans Arabic Bold, M+ 1p" {
		t.Error(got)
	}
	if w := l.Warnings(); len(w) != 1 || !strings.Contains(w[0], "broken.ttf") {
		t.Errorf("%q", w)
	}
	if got := strings.Join(names(NewLibrary(nil).Chain("", false, true)), ", "); got != "Liberation Sans Italic, Noto Sans Arabic, M+ 1p" {
		t.Error(got)
	}
}

func TestSubset_HasTheGlyphsAndTheirParts(t *testing.T) {
	t.Parallel()
	loaded, err := NewLibrary(nil).Chain("", false, false)[0].Load()
	if err != nil {
		t.Fatal(err)
	}
	composite, _ := loaded.Font.NominalGlyph('é')
	plain, _ := loaded.Font.NominalGlyph('a')
	again, err := read(loaded.Subset([]int{int(plain), int(composite), int(plain), Blank}))
	if err == nil {
		t.Fatal("a subset has no cmap, so that it cannot be read as a font of its own", again)
	}
	file := loaded.Subset([]int{int(plain), int(composite), int(plain), Blank})
	if sum := checksum(file); sum != 0xB1B0AFBA {
		t.Errorf("the sum of the file is %X", sum)
	}
	if glyphs := binary.BigEndian.Uint16(tableOf(t, file, "maxp")[4:]); glyphs < 6 {
		t.Errorf("%d glyphs: the parts of é are missing", glyphs)
	}
}

func tableOf(t testing.TB, file []byte, name string) []byte {
	t.Helper()
	for i := range int(binary.BigEndian.Uint16(file[4:])) {
		if r := file[12+16*i:]; string(r[:4]) == name {
			return file[binary.BigEndian.Uint32(r[8:]):][:binary.BigEndian.Uint32(r[12:])]
		}
	}
	t.Fatalf("no table %s", name)
	return nil
}

// cut gives a font with the first bytes of each table alone.
func cut(t testing.TB, font []byte, most int) []byte {
	t.Helper()
	records := int(binary.BigEndian.Uint16(font[4:]))
	file := slices.Clone(font[:12+16*records])
	for i := range records {
		r := file[12+16*i:]
		table := tableOf(t, font, string(r[:4]))
		table = table[:min(most, len(table))]
		binary.BigEndian.PutUint32(r[8:], uint32(len(file)))
		binary.BigEndian.PutUint32(r[12:], uint32(len(table)))
		file = append(file, table...)
	}
	return file
}

// TestTablesThatAreNotThereTakeNoMemory ensures that a directory which promises more than its file has is refused before room is made for it.
func TestTablesThatAreNotThereTakeNoMemory(t *testing.T) {
	if !whole(cut(t, liberationserifbold.TTF, 100)) {
		t.Fatal("a file with all its tables is refused")
	}
	for _, field := range []int{8, 12} { // offset and length
		file := cut(t, liberationserifbold.TTF, 100)
		for i := range int(binary.BigEndian.Uint16(file[4:])) {
			binary.BigEndian.PutUint32(file[12+16*i+field:], 1<<30)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(file)
		if runtime.ReadMemStats(&after); !errors.Is(err, errTables) || after.TotalAlloc-before.TotalAlloc > 1<<20 {
			t.Errorf("error %v, %d bytes were allocated", err, after.TotalAlloc-before.TotalAlloc)
		}
	}
	for _, file := range []string{"", "wOFF", "\x00\x01\x00\x00", "\x00\x01\x00\x00\xFF\xFF\x00\x00\x00\x00\x00\x00"} {
		if _, err := read([]byte(file)); !errors.Is(err, errTables) {
			t.Errorf("%q: error %v", file, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(cut(f, liberationserifbold.TTF, 200))
	f.Fuzz(func(t *testing.T, data []byte) {
		if l, err := read(data); err == nil {
			l.Subset([]int{1, 2, 3, Blank, 70_000})
		}
	})
}
