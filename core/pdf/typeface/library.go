package typeface

import (
	"io/fs"
	"slices"
	"strings"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationmonobold"
	"codeberg.org/go-fonts/liberation/liberationmonobolditalic"
	"codeberg.org/go-fonts/liberation/liberationmonoitalic"
	"codeberg.org/go-fonts/liberation/liberationmonoregular"
	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansbolditalic"
	"codeberg.org/go-fonts/liberation/liberationsansitalic"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"codeberg.org/go-fonts/liberation/liberationserifbold"
	"codeberg.org/go-fonts/liberation/liberationserifbolditalic"
	"codeberg.org/go-fonts/liberation/liberationserifitalic"
	"codeberg.org/go-fonts/liberation/liberationserifregular"
	arabicbold "eliasnaur.com/font/noto/sans/arabic/bold"
	arabic "eliasnaur.com/font/noto/sans/arabic/regular"
	mplus "github.com/hajimehoshi/ebiten/v2/examples/resources/fonts"
)

// A Family is faces of one design. Of each weight and slope it may have one.
type Family struct {
	Name  string
	Faces []*Face
}

// Library finds faces. It is safe for concurrent use; its faces are shared by all documents.
type Library struct {
	folder   fs.FS
	once     sync.Once
	own      []Family // of the operator
	warnings []string
	shipped  []Family // sans, serif and mono
	further  []Family // for the scripts that these have not
}

// NewLibrary makes the library of the faces that ship, and of those in the folder of an operator, nil for none. Nothing is read yet.
func NewLibrary(folder fs.FS) *Library {
	return &Library{folder: folder, shipped: []Family{
		shipped("Liberation Sans", liberationsansregular.TTF, liberationsansbold.TTF, liberationsansitalic.TTF, liberationsansbolditalic.TTF),
		shipped("Liberation Serif", liberationserifregular.TTF, liberationserifbold.TTF, liberationserifitalic.TTF, liberationserifbolditalic.TTF),
		shipped("Liberation Mono", liberationmonoregular.TTF, liberationmonobold.TTF, liberationmonoitalic.TTF, liberationmonobolditalic.TTF),
	}, further: []Family{
		shipped("Noto Sans Arabic", arabic.TTF, arabicbold.TTF),
		shipped("M+ 1p", mplus.MPlus1pRegular_ttf),
	}}
}

// shipped makes a family of regular, bold, italic and bold italic, as far as it has them.
func shipped(name string, files ...[]byte) Family {
	family := Family{Name: name}
	for i, file := range files {
		family.Faces = append(family.Faces, &Face{Name: name + []string{"", " Bold", " Italic", " Bold Italic"}[i], Bold: i&1 != 0, Italic: i&2 != 0,
			data: func() ([]byte, error) { return file, nil }})
	}
	return family
}

// stands is which of the shipped families stands for a family that templates name: 1 for serif, 2 for mono; sans for all others.
var stands = map[string]int{
	"liberation serif": 1, "times": 1, "times new roman": 1, "times-roman": 1, "georgia": 1, "garamond": 1, "noto serif": 1, "serif": 1,
	"palatino": 1, "cambria": 1, "liberation mono": 2, "courier": 2, "courier new": 2, "consolas": 2, "monospace": 2, "mono": 2,
	"noto sans mono": 2, "roboto mono": 2, "menlo": 2,
}

// Chain gives the faces to look in for a character, in this order: the family of that name in the operator's folder, all others there,
// the shipped family that stands for the name, and those for further scripts. Of each family it is the face nearest in weight and slope.
func (l *Library) Chain(family string, bold, italic bool) []*Face {
	l.scan()
	name := strings.ToLower(strings.TrimSpace(family))
	var chain []*Face
	for _, f := range l.own {
		if strings.ToLower(f.Name) == name {
			chain = append(chain, f.nearest(bold, italic))
		}
	}
	for _, f := range slices.Concat(l.own, []Family{l.shipped[stands[name]]}, l.further) {
		if face := f.nearest(bold, italic); !slices.Contains(chain, face) {
			chain = append(chain, face)
		}
	}
	return chain
}

// Warnings tells which files of the operator's folder cannot be used, and why.
func (l *Library) Warnings() []string {
	l.scan()
	return slices.Clone(l.warnings)
}

// nearest is the face of the weight, and of the slope if there is one of that weight.
func (f Family) nearest(bold, italic bool) *Face {
	best, points := f.Faces[0], -1
	for _, face := range f.Faces {
		p := 0
		if face.Bold == bold {
			p += 2
		}
		if face.Italic == italic {
			p++
		}
		if p > points {
			best, points = face, p
		}
	}
	return best
}

// scan reads the operator's folder once: its TrueType files in the order of their names.
func (l *Library) scan() {
	l.once.Do(func() {
		if l.folder == nil {
			return
		}
		entries, err := fs.ReadDir(l.folder, ".")
		if err != nil {
			l.warnings = append(l.warnings, "the folder of fonts cannot be read: "+err.Error())
		}
		for _, e := range entries {
			if name := strings.ToLower(e.Name()); strings.HasSuffix(name, ".ttf") || strings.HasSuffix(name, ".otf") {
				l.add(e.Name())
			}
		}
	})
}

// add reads one file of the folder, to learn its family, weight and slope.
func (l *Library) add(name string) {
	face := &Face{Name: name, data: func() ([]byte, error) { return fs.ReadFile(l.folder, name) }}
	loaded, err := face.Load()
	if err != nil {
		l.warnings = append(l.warnings, err.Error())
		return
	}
	about := loaded.Font.Describe()
	face.Bold, face.Italic = about.Aspect.Weight >= 600, about.Aspect.Style == 2
	for i := range l.own {
		if l.own[i].Name == about.Family {
			l.own[i].Faces = append(l.own[i].Faces, face)
			return
		}
	}
	l.own = append(l.own, Family{about.Family, []*Face{face}})
}
