package rulebook

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/rulebooks"
)

// versions gives a layer that has other files at each load, the last ones from then on.
func versions(files ...map[string]string) Layer {
	return Layer{Name: "x", Open: func() (fs.FS, error) {
		now := inMemory(files[0])
		files = files[min(1, len(files)-1):]
		return now, nil
	}}
}

func one1() map[string]string {
	return shelf(map[string]map[string]string{"a": smallBook("a", "1", "")})
}
func one2() map[string]string {
	return shelf(map[string]map[string]string{"a": smallBook("a", "2", "")})
}

func TestReloadIf_AsksForTheNumber(t *testing.T) {
	r := registry(t, versions(one1(), one2()))
	first := r.Current()
	refused := errors.New("not now")
	if _, err := r.ReloadIf(t.Context(), func(g *Generation) (int64, error) { return 0, refused }); !errors.Is(err, refused) || r.Current() != first {
		t.Fatalf("error %v, generation %d", err, r.Current().Number)
	}
	g, err := r.ReloadIf(t.Context(), func(g *Generation) (int64, error) {
		if g.Digest == first.Digest || r.Current() != first {
			t.Error("the new rulebooks are asked about before they are in use")
		}
		return 41, nil
	})
	if err != nil || r.Current() != g || g.Number != 41 {
		t.Fatalf("%+v, %v", g, err)
	}
	if g, err = r.Reload(t.Context()); err != nil || g.Number != 42 {
		t.Errorf("%+v, %v", g, err)
	}
}

func TestRenumber_KeepsTheRulebooks(t *testing.T) {
	r := registry(t, layer("x", one1()))
	first := r.Current()
	second := r.Renumber(7)
	if second != r.Current() || second.Number != 7 || first.Number != 1 || second.Digest != first.Digest || second.Books()[0] != first.Books()[0] {
		t.Errorf("%+v after %+v", second, first)
	}
}

func TestPin_HoldsTheRulebooks(t *testing.T) {
	r := registry(t, versions(one1(), one2()))
	first := r.Current()
	ctx, pin := r.Pin(t.Context())
	if pin.Used() != nil {
		t.Error("used before anybody has asked")
	}
	second, err := r.Reload(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.In(ctx) != first || r.In(t.Context()) != second || pin.Used() != first {
		t.Errorf("pinned to %d, else %d, used %d", r.In(ctx).Number, r.In(t.Context()).Number, pin.Used().Number)
	}
}

// Rulebooks that are in use are replaced by ones that are compiled, or not at all.
func TestReload_CompilesWhatIsInUse(t *testing.T) {
	const brokenXSD = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="a" type="gone"/></xs:schema>`
	withXSD := func(version, schema string) map[string]string {
		book := smallBook("a", version, "xsd: [{file: s.xsd}]\n")
		book[rulebooks.ManifestFile] = strings.Replace(book[rulebooks.ManifestFile], "files: {", "files: {s.xsd: "+hashOf([]byte(schema))+", ", 1)
		book["s.xsd"] = schema
		return shelf(map[string]map[string]string{"a": book})
	}
	for _, test := range []struct {
		name, schema string
		used         bool
		compiled     bool
		want         string
	}{
		{"in use", smallXSD, true, true, ""},
		{"not in use", smallXSD, false, false, ""},
		{"broken and in use", brokenXSD, true, false, "load rulebooks: rulebook a@2: compile s.xsd"},
		{"broken and not in use", brokenXSD, false, false, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := registry(t, versions(withXSD("1", smallXSD), withXSD("2", test.schema)))
			first := r.Current()
			if test.used {
				if _, err := first.Books()[0].Programs(); err != nil {
					t.Fatal(err)
				}
			}
			g, err := r.Reload(context.Background())
			if test.want != "" {
				wants(t, err, test.want)
				if ReasonOf(err) != LoadFailed || r.Current() != first {
					t.Errorf("reason %q, generation %d", ReasonOf(err), r.Current().Number)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if made := g.Books()[0].schemas.isMade(); made != test.compiled {
				t.Errorf("compiled: %t, want %t", made, test.compiled)
			}
		})
	}
}
