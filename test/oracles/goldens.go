package oracles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// The files that Goldens, ReadVerified and ReadDeclared look for, relative to the root of the repository.
const (
	goldenFolder = "testdata"
	verifiedFile = "testdata/verified.json"
	declaredFile = "testdata/invalid.json"
	rulesFolder  = "testdata/rules"      // rule sets for tests, whose XML files are no invoices
	sourceFolder = "testdata/documents/" // documents written by hand, the only ones that may be invalid
)

// Verified is testdata/verified.json: the verdict of each golden by its path relative to the root of the repository.
type Verified map[string]Verdict

// Declared is testdata/invalid.json: the documents that are invalid on purpose, by the same paths.
type Declared map[string]Declaration

// A Declaration names the fatal rule ids that a document is meant to break, and why it is there.
type Declaration struct {
	Fatal  []string `json:"fatal"`
	Reason string   `json:"reason"`
}

// unjudged are the folders whose documents are judged elsewhere: those of formats whose official schema no package registry has, for which the corpus
// has its verdicts on other documents, which keep ours honest; and records of VeriFactu, which are no invoices: core/verifactu has them judged.
var unjudged = []string{
	"testdata/mydata",
	"testdata/nav",
	"testdata/verifactu",
}

// Goldens lists the invoices below testdata of the repository, in order, but for those of unjudged formats.
func Goldens(repository fs.FS) ([]string, error) {
	var goldens []string
	err := fs.WalkDir(repository, goldenFolder, func(name string, entry fs.DirEntry, err error) error {
		if name == rulesFolder || slices.Contains(unjudged, name) {
			return fs.SkipDir
		}
		if err == nil && !entry.IsDir() && path.Ext(name) == ".xml" {
			goldens = append(goldens, name)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return goldens, err
}

// ReadVerified reads the verdicts; no file means none.
func ReadVerified(repository fs.FS) (Verified, error) {
	v := Verified{}
	return v, readJSON(repository, verifiedFile, &v)
}

// ReadDeclared reads the declarations; no file means none.
func ReadDeclared(repository fs.FS) (Declared, error) {
	d := Declared{}
	return d, readJSON(repository, declaredFile, &d)
}

func readJSON(repository fs.FS, name string, into any) error {
	data, err := fs.ReadFile(repository, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("decode %s: %w", name, err)
	}
	return nil
}

// Write replaces testdata/verified.json of the repository at root. The same verdicts give the same bytes.
func (v Verified) Write(root string) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the verdicts: %w", err)
	}
	if err := os.MkdirAll(path.Join(root, goldenFolder), 0o755); err != nil {
		return fmt.Errorf("make the folder of the verdicts: %w", err)
	}
	return replace(path.Join(root, verifiedFile), append(data, '\n'))
}

// Faults compares the goldens with their verdicts and says in one sentence each what is wrong: a golden without verdict or
// changed since, a verdict without golden, a refusal that is not declared, a declaration that is not true.
func Faults(repository fs.FS) ([]string, error) {
	goldens, err := Goldens(repository)
	if err != nil {
		return nil, err
	}
	verified, err := ReadVerified(repository)
	if err != nil {
		return nil, err
	}
	declared, err := ReadDeclared(repository)
	if err != nil {
		return nil, err
	}
	var faults []string
	for _, golden := range goldens {
		data, err := fs.ReadFile(repository, golden)
		if err != nil {
			return nil, err
		}
		verdict, listed := verified[golden]
		switch {
		case !listed:
			faults = append(faults, golden+" has no verdict in "+verifiedFile+": run make oracles")
		case verdict.SHA256 != hashOf(data):
			faults = append(faults, golden+" has changed since the official rules judged it: run make oracles")
		default:
			faults = append(faults, unexpected(golden, verdict, declared[golden].Fatal)...)
		}
		if sets := verdict.missing(); listed && len(sets) > 0 {
			faults = append(faults, golden+" has not been judged by "+strings.Join(sets, " and ")+": run make fetched, with EINVOICED_RULES naming the folder that has them")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(verified)) {
		if !slices.Contains(goldens, name) {
			faults = append(faults, name+" has a verdict in "+verifiedFile+" but does not exist: run make oracles")
		}
	}
	return append(faults, declared.faults(goldens)...), nil
}

func unexpected(golden string, verdict Verdict, declared []string) []string {
	var faults []string
	for _, id := range slices.Sorted(maps.Keys(verdict.Fatal)) {
		if !slices.Contains(declared, id) {
			faults = append(faults, fmt.Sprintf("%s is refused by %s (%d times)", golden, id, verdict.Fatal[id]))
		}
	}
	for _, id := range declared {
		if verdict.Fatal[id] == 0 {
			faults = append(faults, fmt.Sprintf("%s is declared to break %s, but does not", golden, id))
		}
	}
	return faults
}

func (d Declared) faults(goldens []string) []string {
	var faults []string
	for _, name := range slices.Sorted(maps.Keys(d)) {
		switch {
		case !slices.Contains(goldens, name):
			faults = append(faults, declaredFile+" declares "+name+", which does not exist")
		case !strings.HasPrefix(name, sourceFolder):
			faults = append(faults, declaredFile+" declares "+name+", but only documents below "+sourceFolder+" may be invalid")
		case d[name].Reason == "" || len(d[name].Fatal) == 0:
			faults = append(faults, declaredFile+" must give the rule ids and the reason for "+name)
		}
	}
	return faults
}

// JudgeAll judges every golden of the repository at root. What fetched rule sets said of the same bytes before is kept.
func (j *Judge) JudgeAll(root string) (Verified, error) {
	goldens, err := Goldens(os.DirFS(root))
	if err != nil {
		return nil, err
	}
	before, err := ReadVerified(os.DirFS(root))
	if err != nil {
		return nil, err
	}
	all := Verified{}
	for _, golden := range goldens {
		data, b, err := bound(path.Base(path.Dir(golden)), path.Join(root, golden))
		if err != nil {
			return nil, err
		}
		verdict, err := j.verdict(path.Join(root, golden), data, b)
		if err != nil {
			return nil, err
		}
		if before[golden].SHA256 == verdict.SHA256 {
			verdict.Fetched = before[golden].Fetched
		}
		all[golden] = verdict
	}
	return all, nil
}
