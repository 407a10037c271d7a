package invoice

import "github.com/einvoiced/einvoiced/core/finding"

// resemblances is how many different unknown names are compared with the known ones, so that time stays bounded.
const resemblances = 200

// unknownName is the name of an unknown member of one kind of object.
type unknownName struct {
	object *object
	name   string
}

// resembles tells of an unknown member when it is the first of its name in this kind of object and resembles a known one.
func (r *reader) resembles(o *object, name []byte) {
	key := unknownName{o, string(name)}
	if _, done := r.resembling[key]; done || len(r.resembling) == resemblances {
		return
	}
	if r.resembling == nil {
		r.resembling = map[unknownName]string{}
	}
	known := finding.Resembling(key.name, o.names())
	r.resembling[key] = known
	if known == "" || r.options.Unknown == nil {
		return
	}
	r.push(step{name: key.name})
	r.options.Unknown(r.field(), known)
	r.pop()
}

// names lists the members that an object can have.
func (o *object) names() []string {
	names := make([]string, len(o.fields))
	for i := range o.fields {
		names[i] = o.fields[i].name
	}
	return names
}

// meant is what to add where a member is missing and an unknown one resembles it.
func (r *reader) meant(o *object, name string, unknown [][]byte) string {
	for _, other := range unknown {
		if r.resembling[unknownName{o, string(other)}] == name {
			return "; " + excerpt(string(other)) + ", which is given, is not known"
		}
	}
	return ""
}
