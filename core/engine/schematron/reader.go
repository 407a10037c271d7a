package schematron

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

// Read reads the rule set whose entry file has that path in fsys: an ISO Schematron schema, or a stylesheet that the ISO
// Schematron skeleton for XSLT 2.0 made of one. Nothing outside fsys is read, nor anything that no file names. Faults are
// *SourceError.
func Read(fsys fs.FS, name string, opt Options) (*Ruleset, error) {
	limits, err := opt.Limits.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("read rule set %s: %w", name, err)
	}
	parser, err := xmltree.NewParser(xmltree.Options{Limits: xmltree.Limits{Size: min(limits.Bytes, 1<<30)}})
	if err != nil {
		return nil, fmt.Errorf("read rule set %s: %w", name, err)
	}
	r := &reader{fsys: fsys, limits: limits, lastParameter: opt.LastParameter, parser: parser, opened: map[string]*file{}}
	root, err := r.open(name, nil, Place{File: name})
	if err != nil {
		return nil, err
	}
	set, err := r.read(root)
	if err != nil {
		return nil, err
	}
	set.Files = r.files
	return set, nil
}

// reader reads the files of one rule set and keeps account of what they cost.
type reader struct {
	fsys          fs.FS
	limits        Limits
	lastParameter bool
	parser        *xmltree.Parser
	opened        map[string]*file // by path
	files         []string
	bytes         int
	includes      int
	text          int
}

// read takes the form of the rule set from its root element.
func (r *reader) read(root element) (*Ruleset, error) {
	switch {
	case root.is(schNamespace, "schema"):
		return r.readSchema(root)
	case root.is(xslNamespace, "stylesheet"), root.is(xslNamespace, "transform"):
		return r.readCompiled(root)
	case root.space() == oldNamespace:
		return nil, root.fault("this is Schematron from before ISO/IEC 19757-3 (namespace %s): expected namespace %s", oldNamespace, schNamespace)
	case root.space() == schNamespace:
		return nil, root.fault("the root element is %s, a part for other files to include: expected a schema", root.name())
	}
	return nil, root.fault("the root element is %s in namespace %q: expected schema of ISO Schematron, or a stylesheet", root.name(), root.space())
}

// open gives the root element of a file. from and at say what asks for it.
func (r *reader) open(name string, from *source, at Place) (element, error) {
	if !fs.ValidPath(name) {
		return element{}, at.fault("%q is no path inside the rule set's folder: expected one with slashes, without . and ..", name)
	}
	opened := r.opened[name]
	if opened == nil {
		doc, err := r.parse(name, at)
		if err != nil {
			return element{}, err
		}
		opened = newFile(name, doc)
		r.opened[name] = opened
	}
	return element{&source{opened, from}, opened.doc.Root()}, nil
}

// parse reads and parses a file that was not read before.
func (r *reader) parse(name string, at Place) (*xmltree.Document, error) {
	if len(r.files) >= r.limits.Files {
		return nil, at.fault("the rule set has more than %d files", r.limits.Files)
	}
	data, err := r.load(name, at)
	if err != nil {
		return nil, err
	}
	r.bytes += len(data)
	r.files = append(r.files, name)
	doc, err := r.parser.Parse(data)
	if err != nil {
		fault := &SourceError{Place: Place{File: name}, Message: err.Error(), Cause: err}
		if x := (*xmltree.Error)(nil); errors.As(err, &x) {
			fault.Line, fault.Message = x.Line, x.Message
		}
		return nil, fault
	}
	return doc, nil
}

// load gives the bytes of a file as far as the limit allows. One byte more than that is read, which tells a file that is
// just as long as allowed from one that is longer.
func (r *reader) load(name string, at Place) ([]byte, error) {
	f, err := r.fsys.Open(name)
	if err != nil {
		return nil, &SourceError{Place: at, Message: fmt.Sprintf("read %s: %v", name, reason(err)), Cause: err}
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() {
		return nil, at.fault("read %s: expected a file", name)
	}
	left := r.limits.Bytes - r.bytes
	data, err := io.ReadAll(io.LimitReader(f, int64(left)+1))
	if err != nil {
		return nil, &SourceError{Place: at, Message: fmt.Sprintf("read %s: %v", name, reason(err)), Cause: err}
	}
	if len(data) > left {
		return nil, at.fault("read %s: the rule set has more than %d bytes", name, r.limits.Bytes)
	}
	return data, nil
}

// reason leaves the path out of an error of the file system: it may tell where the folder lies.
func reason(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

// children gives the child elements of e, with each include replaced by what it includes (ISO/IEC 19757-3, 5.4.4): the root
// element of the file, the element that the fragment names, or, where the root element is foreign, its Schematron children.
func (r *reader) children(e element) ([]element, error) {
	var all []element
	for child := range e.elements {
		if !child.is(schNamespace, "include") {
			all = append(all, child)
			continue
		}
		included, err := r.include(child)
		if err != nil {
			return nil, err
		}
		all = append(all, included...)
	}
	return all, r.spend(e.place(), elementCost*len(all))
}

// include resolves one include element, and those that this leads to.
func (r *reader) include(e element) ([]element, error) {
	target, err := r.refer(e)
	if err != nil {
		return nil, err
	}
	switch {
	case target.is(schNamespace, "include"):
		return r.include(target)
	case target.is(schNamespace, "schema"):
		return nil, e.fault("%s includes the whole schema %s: expected a part of a schema", e.name(), target.file.name)
	case target.space() == schNamespace:
		return []element{target}, nil
	}
	children, err := r.children(target)
	if err != nil {
		return nil, err
	}
	var parts []element
	for _, child := range children {
		if child.space() == schNamespace {
			parts = append(parts, child)
		}
	}
	return parts, nil
}

// refer gives the element that the attribute href of e refers to. A part of a file that is being read may be referred to
// by a fragment; where such references make a circle, the bound of the depth ends it.
func (r *reader) refer(e element) (element, error) {
	href, err := e.required("href")
	if err != nil {
		return element{}, err
	}
	if err := r.descend(e, e.file.depth()+1); err != nil {
		return element{}, err
	}
	ref, err := url.Parse(href)
	if err != nil || ref.IsAbs() || ref.Host != "" || ref.RawQuery != "" || strings.HasPrefix(ref.Path, "/") {
		return element{}, e.fault("%s refers to %q: expected a relative path inside the rule set's folder", e.name(), href)
	}
	name := e.file.name
	if ref.Path != "" {
		name = path.Join(path.Dir(e.file.name), ref.Path)
	}
	if ref.Fragment == "" && e.file.within(name) {
		return element{}, e.fault("%s refers to %s, which contains it", e.name(), name)
	}
	root, err := r.open(name, e.file, e.place())
	if err != nil || ref.Fragment == "" {
		return root, err
	}
	target, ok := root.find(func(x element) bool { return x.space() == schNamespace && x.attr("id") == ref.Fragment })
	if !ok {
		return element{}, e.fault("%s refers to %q: there is no Schematron element with that id in %s", e.name(), href, name)
	}
	return target, nil
}

// descend counts an inclusion or an extension at a depth.
func (r *reader) descend(e element, depth int) error {
	r.includes++
	if depth > r.limits.Depth {
		return e.fault("%s is nested more than %d deep", e.name(), r.limits.Depth)
	}
	if r.includes > r.limits.Includes {
		return e.fault("the rule set has more than %d inclusions and extensions", r.limits.Includes)
	}
	return nil
}

// elementCost is counted for each element that is looked at, beside its texts: parts can be used again and again. A small
// source could otherwise resolve to a rule set without bounds, through abstract patterns, rules and inclusions in each
// other.
const elementCost = 64

// spend counts bytes of the resolved rule set.
func (r *reader) spend(at Place, bytes int) error {
	r.text += bytes
	if r.text > r.limits.Text {
		return at.fault("the rule set has more than %d bytes when parameters are filled in", r.limits.Text)
	}
	return nil
}
