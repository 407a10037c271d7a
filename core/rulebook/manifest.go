package rulebook

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// levels are the severities that a manifest may name.
var levels = map[string]finding.Severity{"fatal": finding.Fatal, "warning": finding.Warning, "information": finding.Information}

// DecodeManifest reads a manifest strictly: unknown and repeated keys are errors, as is whatever does not fit together. The
// error names each fault with its place and what was expected.
func DecodeManifest(data []byte) (*rulebooks.Manifest, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	m := &rulebooks.Manifest{}
	if err := decoder.Decode(m); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, errors.New("the manifest is empty")
		}
		return nil, err
	}
	if err := decoder.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("the manifest has more than one YAML document: expected one")
	}
	c := &checker{}
	c.manifest(m)
	return m, errors.Join(c.faults...)
}

// EncodeManifest writes a manifest as YAML.
func EncodeManifest(m *rulebooks.Manifest) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(m), e.Close()); err != nil {
		return nil, fmt.Errorf("write the manifest: %w", err)
	}
	return b.Bytes(), nil
}

// The forms of what stands in a manifest, with words for people.
var (
	idForm      = form{regexp.MustCompile(`^[a-z0-9]+([.-][a-z0-9]+)*$`), "a-z, 0-9, dots and hyphens, at most 64", 64}
	versionForm = form{regexp.MustCompile(`^[0-9A-Za-z]+([.+_-][0-9A-Za-z]+)*$`), "letters, digits and .+_- between them, at most 64", 64}
	syntaxForm  = form{regexp.MustCompile(`^[a-z0-9]+$`), "a-z and 0-9, such as ubl or cii", 32}
	hashForm    = form{regexp.MustCompile(`^[0-9a-f]{64}$`), "the SHA-256 of the file in 64 lower-case hexadecimal digits", 64}
	rootForm    = form{regexp.MustCompile(`^(\{[^{}\s]*\})?[^{}\s/:]+$`), "an expanded name, {namespace}local", 1024}
	codeForm    = form{regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`), "A-Z, 0-9 and underscores", 64}
	processForm = form{regexp.MustCompile(`^\S(.*\S)?$`), "the identifier of a business process, without white space around it", 256}
	keyForm     = form{regexp.MustCompile(`^\S+$`), "the id of a rule, without white space", 256}
)

// form is what a text must look like.
type form struct {
	pattern *regexp.Regexp
	words   string
	longest int
}

// checker collects the faults of a manifest.
type checker struct{ faults []error }

func (c *checker) fault(field, format string, args ...any) {
	c.faults = append(c.faults, fmt.Errorf("%s %w", field, fmt.Errorf(format, args...)))
}

func (c *checker) fits(field, value string, f form) {
	if len(value) > f.longest || !f.pattern.MatchString(value) {
		c.fault(field, "is %.80q: expected %s", value, f.words)
	}
}

func (c *checker) manifest(m *rulebooks.Manifest) {
	if m.Format != rulebooks.ManifestFormat {
		c.fault("manifest", "is %d: expected %d", m.Format, rulebooks.ManifestFormat)
	}
	c.fits("id", m.ID, idForm)
	c.fits("version", m.Version, versionForm)
	c.fits("syntax", m.Syntax, syntaxForm)
	c.period(m.Valid)
	if m.Announce && m.Valid.From == "" {
		c.fault("announce", "is true: expected valid.from, the day from which the rules are enforced")
	}
	c.files(m)
	c.entries(m)
	for i, name := range m.Subjects {
		c.listed(fmt.Sprintf("subjects[%d]", i), name, m)
	}
	if m.Count < 0 {
		c.fault("rules", "is %d: expected how many rules there are", m.Count)
	}
	c.bindings(m)
	c.levels("levels", m.Levels)
	for i, p := range m.EnforceFrom {
		c.pending(fmt.Sprintf("enforceFrom[%d]", i), p)
	}
	for _, rule := range slices.Sorted(maps.Keys(m.HouseCodes)) {
		c.fits("houseCodes", rule, keyForm)
		c.fits("houseCodes["+rule+"]", m.HouseCodes[rule], codeForm)
	}
	for _, rule := range slices.Sorted(maps.Keys(m.StandsFor)) {
		c.fits("standsFor", rule, keyForm)
		c.fits("standsFor["+rule+"]", m.StandsFor[rule], keyForm)
	}
}

func (c *checker) period(p rulebooks.Period) {
	from, to := p.From == "" || c.date("valid.from", p.From), p.To == "" || c.date("valid.to", p.To)
	if from && to && p.To != "" && p.To < p.From {
		c.fault("valid", "ends on %s before it begins on %s", p.To, p.From)
	}
}

func (c *checker) date(field, value string) bool {
	_, err := time.Parse(time.DateOnly, value)
	if err != nil {
		c.fault(field, "is %.40q: expected a date, YYYY-MM-DD", value)
	}
	return err == nil
}

func (c *checker) files(m *rulebooks.Manifest) {
	if len(m.Files) == 0 {
		c.fault("files", "is empty: expected every file of the rulebook")
	}
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		if !validFile(name) || name == rulebooks.ManifestFile {
			c.fault("files", "has %.200q: expected the path of a file inside the folder, with slashes, without . and ..", name)
		}
		c.fits("files["+name+"]", m.Files[name], hashForm)
	}
}

// validFile tells whether a name is the path of a file that can lie below a folder on any system.
func validFile(name string) bool {
	return fs.ValidPath(name) && name != "." && !strings.ContainsAny(name, "\\:\x00")
}

func (c *checker) entries(m *rulebooks.Manifest) {
	if len(m.Schemas) == 0 && len(m.Rules) == 0 {
		c.fault("xsd and schematron", "are both empty: expected an entry file at least")
	}
	for i, s := range m.Schemas {
		field := fmt.Sprintf("xsd[%d]", i)
		c.listed(field, s.File, m)
		if s.Root != "" {
			c.fits(field+".root", s.Root, rootForm)
		}
	}
	for i, r := range m.Rules {
		field := fmt.Sprintf("schematron[%d]", i)
		c.listed(field, r.File, m)
		if !slices.Contains([]string{"", "first", "last"}, r.Parameters) {
			c.fault(field+".parameters", "is %.40q: expected first or last", r.Parameters)
		}
	}
}

func (c *checker) listed(field, name string, m *rulebooks.Manifest) {
	if _, ok := m.Files[name]; !ok {
		c.fault(field+".file", "is %.200q: expected one of files", name)
	}
}

func (c *checker) bindings(m *rulebooks.Manifest) {
	seen := map[[4]string]bool{}
	for i, b := range m.Bindings {
		field := fmt.Sprintf("bindings[%d]", i)
		if strings.TrimSpace(b.Name) == "" {
			c.fault(field+".name", "is empty: expected words for people")
		}
		c.fits(field+".root", b.Root, rootForm)
		for _, process := range b.Processes {
			c.fits(field+".processes", process, processForm)
		}
		for _, format := range b.Formats {
			c.fits(field+".formats", format, idForm)
		}
		if key := [4]string{b.Root, b.Specification, strings.Join(b.Processes, "\n"), strings.Join(b.Formats, " ")}; seen[key] {
			c.fault(field, "is for the same documents as one before it: expected another root, specification, processes or formats")
		} else {
			seen[key] = true
		}
		for _, other := range b.After {
			id, version, pinned := strings.Cut(other, "@")
			c.fits(field+".after", id, idForm)
			if pinned {
				c.fits(field+".after", version, versionForm)
			}
			if id == m.ID {
				c.fault(field+".after", "names the rulebook itself")
			}
		}
		c.levels(field+".levels", b.Levels)
	}
}

func (c *checker) levels(field string, byRule map[string]string) {
	for _, rule := range slices.Sorted(maps.Keys(byRule)) {
		c.fits(field, rule, keyForm)
		if _, known := levels[byRule[rule]]; !known {
			c.fault(field+"["+rule+"]", "is %.40q: expected fatal, warning or information", byRule[rule])
		}
	}
}

func (c *checker) pending(field string, p rulebooks.Pending) {
	c.date(field+".date", p.Date)
	if len(p.Rules) == 0 {
		c.fault(field+".rules", "is empty: expected the ids of rules")
	}
	for _, rule := range p.Rules {
		c.fits(field+".rules", rule, keyForm)
	}
}
