package rulebook

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/schematron"
	"github.com/einvoiced/einvoiced/rulebooks"
)

// ImportOptions say what to import, and as what. What is left empty is found out, or an error says what to give.
type ImportOptions struct {
	ID         string   // default: the name of the Schematron entry file
	Version    string   // default: the version in the name of the entry file or of a folder above it
	Syntax     string   // default: ubl or cii, by the namespaces that the rules name
	Schematron []string // entry files. Default: the one that is found, unless Schemas are given
	Schemas    []string // entry files. Default: the one that is found, unless Schematron is given
	// Parameters is rulebooks.Rules.Parameters of the entry files.
	Parameters string
	Source     rulebooks.Source  // default: empty
	Licence    rulebooks.Licence // default: empty
	// Like is a rulebook in whose place the new one judges: its bindings, levels, house codes and what its rules are about are taken over,
	// and where ID is empty its id. Default: none
	Like     *Book
	From     string // first day in force (YYYY-MM-DD). Default: always
	Announce bool   // rulebooks.Manifest.Announce. Default: false
	Replace  bool   // a rulebook of that id and version may be there. Default: false
	Limits   Limits // default: see the fields of Limits
}

// Folder is where rulebooks are written to, as *os.Root is one.
type Folder interface {
	MkdirAll(name string, perm fs.FileMode) error
	WriteFile(name string, data []byte, perm fs.FileMode) error
	Rename(oldName, newName string) error
	RemoveAll(name string) error
	Lstat(name string) (fs.FileInfo, error)
}

// Imported is what Import wrote.
type Imported struct {
	Folder   string // below the folder of rulebooks
	Manifest *rulebooks.Manifest
	Notes    []string // what an operator should know, such as files that the rules name and that are not there
}

// Import makes a rulebook of an official distribution as it was published: it finds the entry files, or is told them, takes
// what they lead to, and writes that with a manifest to a folder ID-VERSION, as a whole or not at all. Nothing is changed in the
// files. The source is the file system of a folder (of os.Root, which tells links) or of an archive (OpenArchive).
func Import(ctx context.Context, from fs.FS, into Folder, opt ImportOptions) (*Imported, error) {
	limits, err := opt.Limits.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	s, err := scan(ctx, from, limits)
	if err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	i := &importer{source: s, opt: opt, manifest: &rulebooks.Manifest{Format: rulebooks.ManifestFormat, Source: opt.Source, Licence: opt.Licence}}
	for _, step := range []func() error{i.entries, i.rules, i.schemas, i.describe, i.move, i.succeed, i.check} {
		if err := errors.Join(ctx.Err(), step()); err != nil {
			return nil, fmt.Errorf("import: %w", err)
		}
	}
	return i.write(ctx, into)
}

// importer makes one rulebook.
type importer struct {
	*source
	opt      ImportOptions
	manifest *rulebooks.Manifest
	sets     []*schematron.Ruleset
	used     map[string]bool   // files of the source
	content  map[string][]byte // files of the rulebook
	missing  []absence
	notes    []string // further ones
}

// entries settles the entry files.
func (i *importer) entries() error {
	rules, schemas := i.opt.Schematron, i.opt.Schemas
	if len(rules) == 0 && len(schemas) == 0 {
		var err error
		if rules, err = i.findRules(); err != nil {
			return err
		}
		if schemas, err = i.findSchemas(); err != nil {
			return err
		}
	}
	if len(rules) == 0 && len(schemas) == 0 {
		return errors.New("there is neither a Schematron rule set nor an XML Schema in the source")
	}
	for _, name := range append(slices.Clone(rules), schemas...) {
		if !i.has(name) {
			return fmt.Errorf("the entry file %s is not in the source: expected a path inside it, with slashes", name)
		}
	}
	for _, name := range rules {
		i.manifest.Rules = append(i.manifest.Rules, rulebooks.Rules{File: name, Parameters: i.opt.Parameters})
	}
	for _, name := range schemas {
		i.manifest.Schemas = append(i.manifest.Schemas, rulebooks.Schema{File: name})
	}
	i.used = map[string]bool{}
	return nil
}

func (i *importer) use(files []string, missing []absence) {
	for _, name := range files {
		i.used[name] = true
	}
	i.missing = append(i.missing, missing...)
}

func (i *importer) rules() error {
	for _, r := range i.manifest.Rules {
		last := r.Parameters == "last"
		set, err := schematron.Read(i.source, r.File, schematron.Options{LastParameter: last})
		if err != nil {
			return err
		}
		i.sets = append(i.sets, set)
		i.use(i.ruleFiles(set))
		if !last {
			i.notes = append(i.notes, ambiguousNotes(set)...)
		}
	}
	return nil
}

func (i *importer) schemas() error {
	for _, x := range i.manifest.Schemas {
		files, missing, err := i.schemaFiles(x.File)
		if err != nil {
			return err
		}
		i.use(files, missing)
	}
	return nil
}

// versionIn finds versions in names: numbers with points.
var versionIn = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+`)

// describe settles id, version, title and syntax.
func (i *importer) describe() error {
	entry := ""
	switch {
	case len(i.manifest.Rules) > 0:
		entry, i.manifest.Title = i.manifest.Rules[0].File, i.sets[0].Title
	default:
		entry = i.manifest.Schemas[0].File
	}
	if i.manifest.Version = i.opt.Version; i.manifest.Version == "" {
		if i.manifest.Version = versionOf(entry); i.manifest.Version == "" {
			return fmt.Errorf("neither %s nor a folder above it has a version in its name: give it with --version", entry)
		}
	}
	switch like := i.opt.Like; {
	case i.opt.ID != "":
		i.manifest.ID = i.opt.ID
	case like != nil:
		i.manifest.ID = like.Manifest.ID
	default:
		i.manifest.ID = idOf(entry)
	}
	if i.manifest.Syntax = i.opt.Syntax; i.manifest.Syntax == "" {
		if i.manifest.Syntax = i.syntaxOf(); i.manifest.Syntax == "" {
			return errors.New("neither the rules nor the schemas name a namespace of UBL or CII invoices: give the syntax with --syntax")
		}
	}
	return nil
}

// versionOf finds the version in the name of a file, else in that of the nearest folder above it that has one.
func versionOf(name string) string {
	parts := strings.Split(name, "/")
	for i := len(parts) - 1; i >= 0; i-- {
		part := parts[i]
		if i == len(parts)-1 {
			part = strings.TrimSuffix(part, path.Ext(part))
		}
		if found := versionIn.FindAllString(part, -1); len(found) > 0 {
			return found[len(found)-1]
		}
	}
	return ""
}

// What an id does not have: versions, and anything but letters and digits.
var (
	versionInID = regexp.MustCompile(`(^|[^a-z])v?[0-9]+(\.[0-9]+)+`)
	notInID     = regexp.MustCompile(`[^a-z0-9]+`)
)

// idOf makes an id of the name of a file, without its version.
func idOf(name string) string {
	return strings.Trim(notInID.ReplaceAllString(versionInID.ReplaceAllString(stem(name), " "), "-"), "-")
}

// syntaxes are the namespaces of document elements.
var syntaxes = map[string]string{
	"urn:oasis:names:specification:ubl:schema:xsd:Invoice-2":       "ubl",
	"urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2":    "ubl",
	"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100": "cii",
}

func (i *importer) syntaxOf() string {
	for _, set := range i.sets {
		for _, prefix := range sortedKeys(set.Namespaces.Prefixes) {
			if syntax := syntaxes[set.Namespaces.Prefixes[prefix]]; syntax != "" {
				return syntax
			}
		}
	}
	for _, x := range i.manifest.Schemas {
		if doc, err := i.schema(x.File); err == nil {
			space, _ := doc.AttrValue(doc.Root(), "targetNamespace")
			if syntax := syntaxes[string(space)]; syntax != "" {
				return syntax
			}
		}
	}
	return ""
}

// move makes the paths of the rulebook: those of the source without the folders that all files share.
func (i *importer) move() error {
	names := sortedKeys(i.used)
	if len(names) > i.limits.Files {
		return fmt.Errorf("the rulebook would have %d files: expected at most %d", len(names), i.limits.Files)
	}
	shared := path.Dir(names[0])
	for _, name := range names {
		for shared != "." && !strings.HasPrefix(name, shared+"/") {
			shared = path.Dir(shared)
		}
	}
	i.content, i.manifest.Files = map[string][]byte{}, map[string]string{}
	for _, name := range names {
		data, err := i.read(name)
		if err != nil {
			return err
		}
		target := below(shared, name)
		if target == rulebooks.ManifestFile {
			return fmt.Errorf("the file %s would lie in the place of the manifest", name)
		}
		i.content[target], i.manifest.Files[target] = data, hashOf(data)
	}
	for n := range i.manifest.Rules {
		i.manifest.Rules[n].File = below(shared, i.manifest.Rules[n].File)
	}
	for n := range i.manifest.Schemas {
		i.manifest.Schemas[n].File = below(shared, i.manifest.Schemas[n].File)
	}
	return nil
}

func below(folder, name string) string {
	if folder == "." {
		return name
	}
	return strings.TrimPrefix(name, folder+"/")
}

// subjectsFile is where an imported rulebook has what its rules are about, below the files of the publisher.
const subjectsFile = "einvoiced-subjects.yaml"

// succeed takes over what another rulebook says of the rules and of the documents that they judge.
func (i *importer) succeed() error {
	i.manifest.Count = count(i.sets)
	i.manifest.Valid.From, i.manifest.Announce = i.opt.From, i.opt.Announce
	if i.opt.Like == nil {
		return nil
	}
	like := i.opt.Like.Manifest
	i.manifest.Bindings, i.manifest.Levels, i.manifest.EnforceFrom, i.manifest.HouseCodes = like.Bindings, like.Levels, like.EnforceFrom, like.HouseCodes
	if i.manifest.Source == (rulebooks.Source{}) && like.Source != (rulebooks.Source{}) {
		i.manifest.Source = rulebooks.Source{Publisher: like.Source.Publisher, URL: like.Source.URL, Revision: i.manifest.Version}
	}
	data, err := i.opt.Like.explicitSubjects()
	if err != nil || data == nil {
		return err
	}
	i.content[subjectsFile], i.manifest.Files[subjectsFile] = data, hashOf(data)
	i.manifest.Subjects = []string{subjectsFile}
	return nil
}

// check loads the rulebook as it will be loaded from its folder.
func (i *importer) check() error {
	data, err := EncodeManifest(i.manifest)
	if err != nil {
		return err
	}
	i.content[rulebooks.ManifestFile] = data
	book, err := openBook(memory(i.content), i.limits)
	if err != nil {
		return err
	}
	return book.check(i.limits)
}

// write writes the rulebook beside its place and then puts it there. A load passes over both names that it has meanwhile,
// since they begin with a dot.
func (i *importer) write(ctx context.Context, into Folder) (*Imported, error) {
	name := i.manifest.ID + "-" + i.manifest.Version
	part, old := ".new-"+name, ".old-"+name
	_, err := into.Lstat(name)
	there := err == nil
	switch {
	case there && !i.opt.Replace:
		return nil, fmt.Errorf("import: the rulebook %s is there already", name)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("import: look for rulebook %s: %w", name, err)
	}
	if err := i.writeTo(ctx, into, part); err != nil {
		return nil, fmt.Errorf("import: write rulebook %s: %w", name, errors.Join(err, into.RemoveAll(part)))
	}
	if there {
		if err := errors.Join(into.RemoveAll(old), into.Rename(name, old)); err != nil {
			return nil, fmt.Errorf("import: put the old rulebook %s aside: %w", name, err)
		}
	}
	if err := into.Rename(part, name); err != nil {
		if there {
			err = errors.Join(err, into.Rename(old, name))
		}
		return nil, fmt.Errorf("import: put rulebook %s in its place: %w", name, err)
	}
	if err := into.RemoveAll(old); err != nil {
		return nil, fmt.Errorf("import: remove the old rulebook %s: %w", name, err)
	}
	return &Imported{Folder: name, Manifest: i.manifest, Notes: append(notes(i.missing), i.notes...)}, nil
}

func (i *importer) writeTo(ctx context.Context, into Folder, folder string) error {
	if err := into.RemoveAll(folder); err != nil {
		return err
	}
	for _, name := range sortedKeys(i.content) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := into.MkdirAll(path.Join(folder, path.Dir(name)), 0o755); err != nil {
			return err
		}
		if err := into.WriteFile(path.Join(folder, name), i.content[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}
