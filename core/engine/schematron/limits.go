package schematron

import "fmt"

// Options say how a rule set is read. The zero value is the hardened default.
type Options struct {
	Limits Limits // default: see the fields of Limits
	// LastParameter makes the last of several parameters with one name count. The skeleton takes the first; publishers that
	// expand abstract patterns by other means may not (EN 16931 CII 1.3.16 has two of CII-SR-282 and means the last, NLCIUS
	// CII has the same two and means the first). Default: false
	LastParameter bool
}

// Limits bound what reading one rule set may cost. Zero means default.
type Limits struct {
	Files    int // files of one rule set, the entry file included. Default: 256
	Bytes    int // bytes of these files together. Default: 67,108,864 (64 MiB)
	Depth    int // nested inclusions, and nested extensions of abstract rules. Default: 16
	Includes int // inclusions and extensions altogether. Default: 10,000
	Text     int // bytes of the resolved rule set: expressions, messages and 64 for each element. Default: 134,217,728 (128 MiB)
}

// bound is one limit with its name and default.
type bound struct {
	name  string
	value *int
	def   int
}

func (l *Limits) bounds() []bound {
	return []bound{
		{"Files", &l.Files, 256},
		{"Bytes", &l.Bytes, 64 << 20},
		{"Depth", &l.Depth, 16},
		{"Includes", &l.Includes, 10_000},
		{"Text", &l.Text, 128 << 20},
	}
}

// withDefaults fills in the defaults; the error names a negative limit.
func (l Limits) withDefaults() (Limits, error) {
	for _, row := range l.bounds() {
		if *row.value < 0 {
			return l, fmt.Errorf("limit %s is %d: expected a positive number, or 0 for %d", row.name, *row.value, row.def)
		}
		if *row.value == 0 {
			*row.value = row.def
		}
	}
	return l, nil
}
