package oracles

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// Release is a release of Saxon. They differ in which operands they evaluate, and so in which errors they come upon.
type Release int

// The releases that made the verdicts of the corpus: the first one, and the one that was asked again.
const (
	Saxon9 Release = iota
	Saxon12
)

// A Processor is one running Java process that judges documents by single files. It is not safe for concurrent use.
type Processor struct{ java *Java }

// StartProcessor fetches the release where it is not there yet and starts the process.
func StartProcessor(ctx context.Context, release Release) (*Processor, error) {
	name, pom := "saxon", "saxon/pom.xml"
	if release == Saxon12 {
		name, pom = "oracles", "pom.xml"
	}
	folder, err := fetched(ctx, name, pom)
	if err != nil {
		return nil, err
	}
	java, err := StartJava(ctx, "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp",
		filepath.Join(folder, "lib", "*"), filepath.Join(folder, "Files.java"))
	if err != nil {
		return nil, err
	}
	return &Processor{java}, nil
}

// Close ends the process.
func (p *Processor) Close() error { return p.java.Close() }

// Judge judges a document by files. Rule files that the release does not compile are left out of the verdicts.
func (p *Processor) Judge(path string, files []File) (FileVerdicts, error) {
	document, err := filepath.Abs(path)
	if err != nil {
		return FileVerdicts{}, fmt.Errorf("find the document: %w", err)
	}
	var question strings.Builder
	for _, f := range files {
		question.WriteString(f.what + "\t")
	}
	line, err := p.java.Ask(question.String() + document)
	if err != nil {
		return FileVerdicts{}, fmt.Errorf("judge %s: %w", path, err)
	}
	var answers []struct {
		Fired   []Fired `json:"fired"`
		Aborted string  `json:"aborted"`
		Refused bool    `json:"refused"`
		Valid   bool    `json:"valid"`
	}
	if err := json.Unmarshal(line, &answers); err != nil || len(answers) != len(files) {
		return FileVerdicts{}, fmt.Errorf("decode the answer %q about %s: %w", line, path, err)
	}
	v := FileVerdicts{map[string]Validity{}, map[string]RuleFired{}}
	for i, f := range files {
		switch {
		case f.Schema:
			v.XSD[f.Name] = Validity{answers[i].Valid}
		case !answers[i].Refused:
			v.Rules[f.Name] = RuleFired{Fired: answers[i].Fired, Aborted: answers[i].Aborted}
		}
	}
	return v, nil
}
