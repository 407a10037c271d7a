package block

import (
	"slices"
	"sync"
)

// fewMembers is how many members are looked through one by one: up to here that is as quick as an index, and rows of tables need none.
const fewMembers = 64

// places tell where the members of an object are by their names. They are made when they are first needed, since most objects with many members
// are never asked for one.
type places struct {
	once   sync.Once
	byName map[string]int
}

// changed must follow when members are added: it forgets their places. Copies of the object that have not the new ones keep theirs.
func (v *Value) changed() {
	v.places = nil
	if len(v.Members) > fewMembers {
		v.places = &places{}
	}
}

// place is where the first member of a name is; -1 where there is none.
func (v *Value) place(name string) int {
	if v.places == nil {
		return first(v.Members, name)
	}
	if i, ok := v.places.of(v.Members)[name]; ok {
		return i
	}
	return -1
}

func first(members []Member, name string) int {
	return slices.IndexFunc(members, func(m Member) bool { return m.Name == name })
}

func (p *places) of(members []Member) map[string]int {
	p.once.Do(func() {
		p.byName = make(map[string]int, len(members))
		for i := range members {
			if _, twice := p.byName[members[i].Name]; !twice {
				p.byName[members[i].Name] = i
			}
		}
	})
	return p.byName
}
