package rulebook

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/rulebooks"
)

// example is the manifest that the documentation shows.
func example(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("../../rulebooks/books/README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(data), "```yaml\n")
	block, _, _ = strings.Cut(block, "```")
	return block
}

func TestDecodeManifest_ReadsTheExampleOfTheDocumentation(t *testing.T) {
	m, err := DecodeManifest([]byte(example(t)))
	if err != nil {
		t.Fatal(err)
	}
	want := &rulebooks.Manifest{
		Format: 1, ID: "library", Version: "2.1", Title: "Rules of a small library", Syntax: "ubl",
		Valid: rulebooks.Period{From: "2026-01-01"}, Announce: true, Count: 4, Subjects: []string{"subjects.yaml"},
		Schemas: []rulebooks.Schema{{File: "xsd/library.xsd", Root: "{urn:example:library}library"}},
		Rules:   []rulebooks.Rules{{File: "library.sch"}},
		Bindings: []rulebooks.Binding{{
			Name: "Library", Root: "{urn:example:library}library", Specification: "urn:example:library:2",
			Processes: []string{"loan", "sale"}, Formats: []string{"leaflet-2"},
			After: []string{"shelf", "catalogue@1.0"}, Levels: map[string]string{"B-2": "warning"},
		}},
		Levels:      map[string]string{"B-1": "fatal"},
		EnforceFrom: []rulebooks.Pending{{Date: "2027-01-01", Rules: []string{"B-3"}}},
		HouseCodes:  map[string]string{"B-1": "XX_TITLE_001"},
		StandsFor:   map[string]string{"B-4": "~1a2b3c4d"},
		Source:      rulebooks.Source{Publisher: "The library", URL: "https://library.example", Revision: "v2.1"},
		Licence:     rulebooks.Licence{SPDX: "EUPL-1.2"},
		Files:       m.Files,
	}
	if diff := cmp.Diff(want, m); diff != "" || len(m.Files) != 3 {
		t.Error(diff, m.Files)
	}
	data, err := EncodeManifest(m)
	if err != nil {
		t.Fatal(err)
	}
	again, err := DecodeManifest(data)
	if diff := cmp.Diff(m, again); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestDecodeManifest_NamesEachFault(t *testing.T) {
	base := smallBook("lib", "1", "")[rulebooks.ManifestFile]
	long := strings.Repeat("a", 65)
	hash := strings.Repeat("0", 64)
	for name, test := range map[string]struct{ manifest, want string }{
		"empty":              {"", "the manifest is empty"},
		"two documents":      {base + "---\nmanifest: 1\n", "more than one YAML document"},
		"no YAML":            {"{", "yaml: line 1"},
		"unknown key":        {base + "colour: red\n", "line 7: field colour not found"},
		"unknown inner key":  {base + "valid: {until: 2026-01-01}\n", "field until not found"},
		"repeated key":       {base + "id: lib\n", `mapping key "id" already defined`},
		"wrong type":         {base + "levels: [A-1]\n", "cannot unmarshal"},
		"other format":       {strings.Replace(base, "manifest: 1", "manifest: 2", 1), "manifest is 2: expected 1"},
		"no id":              {strings.Replace(base, "id: lib", "id: ''", 1), `id is "": expected a-z, 0-9, dots and hyphens`},
		"upper-case id":      {strings.Replace(base, "id: lib", "id: Lib", 1), `id is "Lib"`},
		"id as a path":       {strings.Replace(base, "id: lib", "id: ../lib", 1), `id is "../lib"`},
		"id with dots":       {strings.Replace(base, "id: lib", "id: a..b", 1), `id is "a..b"`},
		"long id":            {strings.Replace(base, "id: lib", "id: "+long, 1), `id is "aaa`},
		"version as a path":  {strings.Replace(base, `version: "1"`, "version: 1/2", 1), `version is "1/2": expected letters, digits`},
		"no syntax":          {strings.Replace(base, "syntax: ubl", "syntax: U B L", 1), `syntax is "U B L": expected a-z and 0-9, such as ubl or cii`},
		"bad date":           {base + "valid: {from: 2026-02-30}\n", `valid.from is "2026-02-30": expected a date, YYYY-MM-DD`},
		"bad end":            {base + "valid: {to: tomorrow}\n", `valid.to is "tomorrow"`},
		"ends before":        {base + "valid: {from: 2026-02-02, to: 2026-02-01}\n", "valid ends on 2026-02-01 before it begins on 2026-02-02"},
		"no files":           {"manifest: 1\nid: a\nversion: 1\nsyntax: ubl\nschematron: [{file: r.sch}]\n", "files is empty"},
		"parent path":        {strings.Replace(base, "files: {", "files: {../x: "+hash+", ", 1), `files has "../x": expected the path of a file inside the folder`},
		"absolute path":      {strings.Replace(base, "files: {", "files: {/x: "+hash+", ", 1), `files has "/x"`},
		"path of Windows":    {strings.Replace(base, "files: {", `files: {'a\b': `+hash+", ", 1), `files has "a\\b"`},
		"drive":              {strings.Replace(base, "files: {", `files: {'C:x': `+hash+", ", 1), `files has "C:x"`},
		"the manifest":       {strings.Replace(base, "files: {", "files: {manifest.yaml: "+hash+", ", 1), `files has "manifest.yaml"`},
		"short hash":         {strings.Replace(base, "files: {", "files: {x: abc, ", 1), `files[x] is "abc": expected the SHA-256`},
		"no entries":         {strings.Replace(base, "schematron: [{file: r.sch}]", "", 1), "xsd and schematron are both empty"},
		"entry not listed":   {strings.Replace(base, "file: r.sch", "file: s.sch", 1), `schematron[0].file is "s.sch": expected one of files`},
		"schema not listed":  {base + "xsd: [{file: s.xsd}]\n", `xsd[0].file is "s.xsd": expected one of files`},
		"schema root":        {base + "xsd: [{file: r.sch, root: 'a:b'}]\n", `xsd[0].root is "a:b": expected an expanded name, {namespace}local`},
		"other parameters":   {strings.Replace(base, "file: r.sch", "file: r.sch, parameters: all", 1), `schematron[0].parameters is "all": expected first or last`},
		"nameless binding":   {base + "bindings: [{root: a}]\n", "bindings[0].name is empty"},
		"rootless binding":   {base + "bindings: [{name: a}]\n", `bindings[0].root is "": expected an expanded name`},
		"blank process":      {base + "bindings: [{name: a, root: a, processes: [S1, ' ']}]\n", `bindings[0].processes is " ": expected the identifier of a business process`},
		"process twice":      {base + "bindings: [{name: a, root: a, processes: [S1]}, {name: b, root: a, processes: [S1]}]\n", "bindings[1] is for the same documents"},
		"binding twice":      {base + "bindings: [{name: a, root: a}, {name: b, root: a}]\n", "bindings[1] is for the same documents as one before it"},
		"binding after none": {base + "bindings: [{name: a, root: a, after: ['x y']}]\n", `bindings[0].after is "x y"`},
		"binding after @":    {base + "bindings: [{name: a, root: a, after: ['x@']}]\n", `bindings[0].after is "": expected letters`},
		"binding after self": {base + "bindings: [{name: a, root: a, after: [lib]}]\n", "bindings[0].after names the rulebook itself"},
		"binding level":      {base + "bindings: [{name: a, root: a, levels: {A-1: error}}]\n", `bindings[0].levels[A-1] is "error": expected fatal, warning or information`},
		"level":              {base + "levels: {A-1: ''}\n", `levels[A-1] is ""`},
		"level of none":      {base + "levels: {'': fatal}\n", `levels is "": expected the id of a rule`},
		"pending when":       {base + "enforceFrom: [{rules: [A-1]}]\n", `enforceFrom[0].date is ""`},
		"pending what":       {base + "enforceFrom: [{date: 2027-01-01}]\n", "enforceFrom[0].rules is empty"},
		"pending rule":       {base + "enforceFrom: [{date: 2027-01-01, rules: ['a b']}]\n", `enforceFrom[0].rules is "a b"`},
		"house code":         {base + "houseCodes: {A-1: title}\n", `houseCodes[A-1] is "title": expected A-Z, 0-9 and underscores`},
		"stands for":         {base + "standsFor: {A-1: ''}\n", `standsFor[A-1] is "": expected the id of a rule`},
		"aliases":            {"a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n", "field a not found"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := DecodeManifest([]byte(test.manifest))
			wants(t, err, test.want)
		})
	}
}

func TestDecodeManifest_NamesAllFaultsAtOnce(t *testing.T) {
	_, err := DecodeManifest([]byte("manifest: 1\nid: A\nversion: ''\nsyntax: ''\nfiles: {}\n"))
	for _, want := range []string{"id is", "version is", "syntax is", "files is", "xsd and schematron are"} {
		wants(t, err, want)
	}
}

// Numbers and dates of YAML are taken as they are written.
func TestDecodeManifest_KeepsVersionsAsWritten(t *testing.T) {
	for _, version := range []string{"1.10", "2026.5", "010", "1.3.16", "2026-05-01", "1_0"} {
		m, err := DecodeManifest([]byte(strings.Replace(smallBook("lib", "1", "")[rulebooks.ManifestFile], `"1"`, version, 1)))
		if err != nil || m.Version != version {
			t.Errorf("version %s: %+v, %v", version, m, err)
		}
	}
}

func FuzzDecodeManifest(f *testing.F) {
	f.Add([]byte(example(f)))
	f.Add([]byte(smallBook("lib", "1", "bindings: [{name: a, root: '{urn:x}a', after: [b@1]}]\n")[rulebooks.ManifestFile]))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := DecodeManifest(data)
		if err != nil {
			return
		}
		written, err := EncodeManifest(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := DecodeManifest(written)
		if diff := cmp.Diff(m, again); diff != "" || err != nil {
			t.Fatal(err, diff)
		}
	})
}
