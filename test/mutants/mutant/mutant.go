package mutant

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
)

// Mutant is a changed document.
type Mutant struct {
	Parent string   `json:"parent"` // name of the document that it was made from
	Family string   `json:"family"` // the kind of change: rm, dup, txt, attr, ins, multi, multi-edit or pair
	Edits  []string `json:"edits"`  // what was changed
	Text   []byte   `json:"-"`
}

// Generator makes mutants of some documents.
type Generator struct {
	documents []*Document
	learned   *learned
	seed      uint64
}

// NewGenerator prepares mutants of the documents; what one of them has may be put into another.
func NewGenerator(seed uint64, documents []*Document) (*Generator, error) {
	if len(documents) == 0 {
		return nil, errors.New("there are no documents to make mutants of")
	}
	return &Generator{documents, learn(documents), seed}, nil
}

// mostTries bounds the search for an edit that changes something.
const mostTries = 50

// Mutant makes the n-th mutant. It depends on the seed, on n and on the documents, not on the mutants made before. It answers an
// error when no edit applies to the document, as to one that is a single empty element.
func (g *Generator) Mutant(n int) (*Mutant, error) {
	random := rand.New(rand.NewPCG(g.seed, uint64(n)))
	d := g.documents[random.IntN(len(g.documents))]
	w := &draw{random, d, g.learned}
	for range mostTries {
		f := pick(random)
		text, notes := d.apply(f.edits(w))
		if !bytes.Equal(text, d.text) {
			return &Mutant{d.Name, f.name, notes, text}, nil
		}
	}
	return nil, fmt.Errorf("no edit applies to %s", d.Name)
}

func pick(random *rand.Rand) *family {
	total := 0
	for _, f := range families {
		total += f.weight
	}
	at := random.IntN(total)
	for i := range families {
		if at -= families[i].weight; at < 0 {
			return &families[i]
		}
	}
	return &families[0]
}
