package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestImportsGetTheLocationOfTheirNamespace(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"main/a.xsd":   `<xs:schema targetNamespace="urn:a"><xs:import namespace="urn:b"/><xs:import namespace="urn:c" schemaLocation="c.xsd"/><xs:import namespace="urn:x"/></xs:schema>`,
		"common/b.xsd": `<schema targetNamespace="urn:b"/>`,
		"readme.txt":   "no schema",
	} {
		target := filepath.Join(from, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := locate(from, to); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(to, "main/a.xsd"))
	if err != nil {
		t.Fatal(err)
	}
	want := `<xs:schema targetNamespace="urn:a"><xs:import namespace="urn:b" schemaLocation="../common/b.xsd"/><xs:import namespace="urn:c" schemaLocation="c.xsd"/><xs:import namespace="urn:x"/></xs:schema>`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if _, err := os.Stat(filepath.Join(to, "readme.txt")); err == nil {
		t.Error("a file that is no schema is copied")
	}
}
