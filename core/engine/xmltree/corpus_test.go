//go:build corpus

package xmltree

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/internal/corpus"
)

func corpusRoot(t testing.TB) string {
	root := filepath.Join(corpus.Shared(), "corpus")
	if _, err := os.Stat(root); err != nil {
		t.Fatalf("the corpus is missing: %v", err)
	}
	return root
}

// The corpus files that are refused although the official parsers read them, with the reason.
var corpusRefusals = map[string]Code{
	"fatturapa/neg-gobl-invoice-windows1252.xml": EncodingUnknown,
}

func TestCorpusGivesTheTreeOfEncodingXML(t *testing.T) {
	root := corpusRoot(t)
	illFormed := illFormedInCorpus(t, root)
	p, err := NewParser(Options{})
	if err != nil {
		t.Fatal(err)
	}
	files, refused := 0, 0
	walkErr := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".xml" {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		files++
		d, err := p.Parse(src)
		if line, ok := illFormed[rel]; ok {
			var refusal *Error
			if !errors.As(err, &refusal) || refusal.Line != line {
				t.Errorf("%s: got %v, want a refusal in line %d", rel, err, line)
			}
			refused++
			return nil
		}
		if code := corpusRefusals[rel]; code != "" {
			var refusal *Error
			if !errors.As(err, &refusal) || refusal.Code != code {
				t.Errorf("%s: got %v, want %s", rel, err, code)
			}
			return nil
		}
		if err != nil {
			t.Errorf("%s: %v", rel, err)
			return nil
		}
		defer d.Release()
		if want, got := eventsOfEncodingXML(t, src), eventsOf(d); !cmp.Equal(want, got) {
			t.Errorf("%s: %s", rel, cmp.Diff(want, got))
		}
		return nil
	})
	if walkErr != nil {
		t.Fatal(walkErr)
	}
	if files < 4300 || refused != len(illFormed) {
		t.Errorf("saw %d files, refused %d of %d", files, refused, len(illFormed))
	}
	t.Logf("%d files equal, %d refused", files-refused, refused)
}

// illFormedInCorpus gives the files that the official parsers refuse, with the line.
func illFormedInCorpus(t *testing.T, root string) map[string]int {
	lists, err := filepath.Glob(filepath.Join(root, "verdicts", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, list := range lists {
		data, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		var set map[string]any
		if err := json.Unmarshal(data, &set); err != nil {
			continue // a list, not a set
		}
		folder := strings.TrimSuffix(filepath.Base(list), ".json")
		for _, part := range []string{"documents", "mutants"} {
			files, _ := set[part].(map[string]any)
			for name, verdict := range files {
				v, _ := verdict.(map[string]any)
				if line, ok := v["line"].(float64); ok && v["kind"] == "not-well-formed" {
					found[filepath.Join(folder, name)] = int(line)
				}
			}
		}
	}
	return found
}

// eventsOfEncodingXML reads src with encoding/xml, which leaves the line ends of comments and instructions as they are.
func eventsOfEncodingXML(t *testing.T, src []byte) []event {
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(src, []byte(byteOrderMark))))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) {
		b, err := io.ReadAll(r)
		return bytes.NewReader(fromLatin1(b)), err
	}
	var events []event
	depth := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			return events
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			depth++
			events = append(events, event{Kind: KindElement, Name: Name{x.Name.Space, x.Name.Local}})
			for _, a := range x.Attr {
				if a.Name.Space != "xmlns" && a.Name != (xml.Name{Local: "xmlns"}) {
					events = append(events, event{KindAttribute, Name{a.Name.Space, a.Name.Local}, a.Value})
				}
			}
		case xml.EndElement:
			depth--
			events = append(events, event{})
		case xml.CharData:
			if last := len(events) - 1; depth > 0 && events[last].Kind == KindText {
				events[last].Value += string(x)
			} else if depth > 0 && len(x) > 0 {
				events = append(events, event{Kind: KindText, Value: string(x)})
			}
		case xml.Comment:
			events = append(events, event{Kind: KindComment, Value: string(appendLines(nil, x))})
		case xml.ProcInst:
			if x.Target != "xml" {
				events = append(events, event{KindInstruction, Name{"", x.Target}, string(appendLines(nil, x.Inst))})
			}
		}
	}
}
