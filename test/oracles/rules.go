package oracles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Judge is one running Java process that holds the official schemas and rules. It is not safe for concurrent use.
type Judge struct{ java *Java }

// StartJudge fetches the official artefacts where they are not there yet and starts the process. It answers an error when
// the process does not accept a good document and refuse a bad one, so that a broken set-up cannot look like a verdict.
func StartJudge(ctx context.Context) (*Judge, error) {
	folder, err := artefacts(ctx)
	if err != nil {
		return nil, err
	}
	newest, err := newestFacturXJar(ctx)
	if err != nil {
		return nil, err
	}
	jars := filepath.Join(folder, "lib", "*") + string(filepath.ListSeparator) + filepath.Join(newest, "*")
	java, err := StartJava(ctx, "-Xmx768m", "-cp", jars, filepath.Join(folder, "Rules.java"))
	if err != nil {
		return nil, err
	}
	j := &Judge{java}
	if err := j.prove(filepath.Join(folder, "proof")); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// Close ends the process.
func (j *Judge) Close() error { return j.java.Close() }

// Verdict judges one document by the binding that its root element and specification identifier (BT-24) select, and for Factur-X and
// ZUGFeRD, whose documents do not tell their version, its folder. The error says also of a document that no artefact at hand judges it.
func (j *Judge) Verdict(path string) (Verdict, error) {
	return j.verdictIn(filepath.Base(filepath.Dir(path)), path)
}

// verdictIn judges a document as if it were in a folder of that name.
func (j *Judge) verdictIn(folder, path string) (Verdict, error) {
	data, b, err := bound(folder, path)
	if err == nil && b.Elsewhere != "" {
		err = fmt.Errorf("judge %s: no package registry has its official schema (%s); make fetched judges the goldens by it", path, b.Elsewhere)
	}
	if err != nil {
		return Verdict{}, err
	}
	return j.verdict(path, data, b)
}

// bound reads a document and chooses its binding, as if it were in a folder of that name.
func bound(folder, path string) ([]byte, *binding, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read the document: %w", err)
	}
	b, err := bindingOf(data, folder)
	if err != nil {
		return nil, nil, fmt.Errorf("choose the rules for %s: %w", path, err)
	}
	return data, b, nil
}

// verdict asks the artefacts of a binding about a document. Of a schema that is elsewhere it notes only that it has to be asked.
func (j *Judge) verdict(path string, data []byte, b *binding) (Verdict, error) {
	if b.Elsewhere != "" {
		return b.verdict(data, nil), nil
	}
	layers, err := j.ask(b, path)
	if err != nil {
		return Verdict{}, fmt.Errorf("judge %s: %w", path, err)
	}
	return b.verdict(data, layers), nil
}

// layerAnswer is what one schema or rule set said.
type layerAnswer struct {
	Layer    string    `json:"layer"`
	Findings []Finding `json:"findings"`
}

func (j *Judge) ask(b *binding, path string) ([]layerAnswer, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("find the document: %w", err)
	}
	line, err := j.java.Ask(strings.Join(b.layers(), ",") + "\t" + absolute)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Error  string        `json:"error"`
		Layers []layerAnswer `json:"layers"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return nil, fmt.Errorf("decode the answer %q: %w", line, err)
	}
	if answer.Error != "" {
		return nil, errors.New(answer.Error)
	}
	return answer.Layers, nil
}
