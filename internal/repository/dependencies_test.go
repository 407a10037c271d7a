package repository

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write docs/dependencies.md anew")

// TestDependencies_AreListedWithTheirLicences ensures that nobody ships a module, or another version of one, without noticing.
func TestDependencies_AreListedWithTheirLicences(t *testing.T) {
	list, err := Dependencies(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	report(t, Unlicensed(list))
	page := filepath.Join("..", "..", "docs", "dependencies.md")
	if *update {
		if err := os.WriteFile(page, []byte(Bill(list)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	listed, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(listed), Bill(list)); diff != "" {
		t.Errorf("docs/dependencies.md is not what is built; look at each change, then write it with -update:\n%s", diff)
	}
}

func TestLicencesOf(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Apache License\n      Version 2.0, January 2004", []string{"Apache-2.0"}},
		{"// Permission is\n// hereby granted, free of charge, to any person", []string{"MIT"}},
		{"Redistribution and use in source\nand binary forms", []string{"BSD-2-Clause"}},
		{"Redistribution and use in source and binary forms … Neither the name of X nor", []string{"BSD-3-Clause"}},
		{"Redistribution and use in source and binary forms … neither the name of X.\n\nApache License, Version 2.0", []string{"Apache-2.0", "BSD-3-Clause"}},
		{"GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007", nil},
		{"All rights reserved.", nil},
	} {
		if got := licencesOf(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
	}
	if faults := Unlicensed([]Dependency{{"a", "v1", []string{"MIT"}}, {"b", "v1", nil}}); len(faults) != 1 {
		t.Errorf("of a module with a licence and one without: %q", faults)
	}
}
