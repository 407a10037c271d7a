package xsd

import (
	"encoding/binary"
	"slices"
)

// maxSubsets bounds the states of a model without counters.
const maxSubsets = 1 << 12

// subsets makes the deterministic automaton of positions without counters: its states are sets of positions, whose
// elements all stand for the same particle.
func (a *assembler) subsets(positions []position) (*model, error) {
	b := subsetBuilder{assembler: a, positions: positions, number: map[string]int32{}, model: &model{}}
	b.state([]int32{0})
	for n := 0; n < len(b.sets); n++ {
		if err := b.expand(n); err != nil {
			return nil, err
		}
		if len(b.sets) > maxSubsets {
			return nil, errModelSize
		}
	}
	a.finish(b.model)
	return b.model, nil
}

type subsetBuilder struct {
	*assembler
	positions []position
	sets      [][]int32
	number    map[string]int32
	model     *model
}

// state gives the number of the state for a sorted set of positions.
func (b *subsetBuilder) state(set []int32) int32 {
	var key []byte
	for _, p := range set {
		key = binary.AppendUvarint(key, uint64(p))
	}
	n, ok := b.number[string(key)]
	if !ok {
		n = int32(len(b.sets))
		b.number[string(key)] = n
		b.sets = append(b.sets, set)
		b.model.states = append(b.model.states, state{})
	}
	return n
}

// expand adds the edges of state n: one set of targets for each particle that may come next. Several positions of one
// particle do not make a model ambiguous (clause 3.8.6, Unique Particle Attribution), so that each particle is probed once.
func (b *subsetBuilder) expand(n int) error {
	targets := map[*particle][]int32{}
	var order []*particle
	accepts := false
	for _, p := range b.sets[n] {
		accepts = accepts || b.positions[p].last
		for _, t := range b.positions[p].follow {
			leaf := b.positions[t.to].leaf
			if targets[leaf] == nil {
				order = append(order, leaf)
			}
			if !slices.Contains(targets[leaf], t.to) {
				targets[leaf] = append(targets[leaf], t.to)
			}
		}
	}
	var s state
	probe := make([]position, len(order))
	for i, leaf := range order {
		probe[i].leaf = leaf
		b.edges(&s, leaf, int32(i), nil)
	}
	if err := b.deterministic(&s, probe); err != nil {
		return err
	}
	s = state{accepts: accepts}
	for _, leaf := range order {
		set := targets[leaf]
		slices.Sort(set)
		b.edges(&s, leaf, b.state(set), nil)
	}
	b.model.states[n] = s
	return nil
}
