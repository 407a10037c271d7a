// Command mutants writes mutants of XML invoices: documents that differ from one of the files in places that rules look at.
//
//	mutants --seed N --count N --into DIR FILE…
//
// The same seed, number and files give the same mutants. DIR gets 00000.xml, 00001.xml, … and index.json, which names the
// parent, the family and the edits of each. It ends with 2 when something is wrong.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/einvoiced/einvoiced/test/mutants/mutant"
)

func main() {
	seed := flag.Uint64("seed", 1, "number that the mutants follow from")
	count := flag.Int("count", 100, "how many mutants")
	into := flag.String("into", "", "folder for the mutants")
	flag.Parse()
	if err := write(*seed, *count, *into, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
}

// indexed is a mutant with the name of its file.
type indexed struct {
	File string `json:"file"`
	*mutant.Mutant
}

func write(seed uint64, count int, into string, files []string) error {
	if into == "" || count < 1 {
		return fmt.Errorf("name a folder with --into and a --count of at least 1")
	}
	documents, err := read(files)
	if err != nil {
		return err
	}
	generator, err := mutant.NewGenerator(seed, documents)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(into, 0o755); err != nil {
		return fmt.Errorf("make the folder: %w", err)
	}
	var index []indexed
	for n := range count {
		m, err := generator.Mutant(n)
		if err != nil {
			return err
		}
		index = append(index, indexed{fmt.Sprintf("%05d.xml", n), m})
		if err := os.WriteFile(filepath.Join(into, index[n].File), m.Text, 0o644); err != nil {
			return fmt.Errorf("write a mutant: %w", err)
		}
	}
	text, err := json.MarshalIndent(index, "", " ")
	if err != nil {
		return fmt.Errorf("write the index: %w", err)
	}
	return os.WriteFile(filepath.Join(into, "index.json"), append(text, '\n'), 0o644)
}

func read(files []string) ([]*mutant.Document, error) {
	var documents []*mutant.Document
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a parent: %w", err)
		}
		d, err := mutant.Read(file, text)
		if err != nil {
			return nil, err
		}
		documents = append(documents, d)
	}
	return documents, nil
}
