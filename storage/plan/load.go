package plan

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/einvoiced/einvoiced/storage/account"
)

// What a plan file may contain.
const (
	maxFile      = 1 << 20
	maxPlans     = 1000
	maxQuotas    = 1000
	maxLines     = 1_000_000
	maxUnits     = 1_000_000_000_000
	maxPerSecond = 100_000
	maxName      = 50
)

// Load reads plans from YAML:
//
//	plans:
//	  free:
//	    lines: 25
//	    quotas:
//	      - {entitlement: "e-invoice:*:*:create", limit: 100}
//	    rate: {perSecond: 5, burst: 10}
//
// Members that it does not know are refused. The error names lines or plans and tells all that is wrong.
func Load(text []byte) (Set, error) {
	if len(text) > maxFile {
		return Set{}, fmt.Errorf("plans: the file has more than %d bytes", maxFile)
	}
	var file struct {
		Plans map[string]planFile `yaml:"plans"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return Set{}, fmt.Errorf("plans: %w", err)
	}
	if err := decoder.Decode(new(any)); !errors.Is(err, io.EOF) {
		return Set{}, errors.New("plans: the file has more than one document")
	}
	if len(file.Plans) == 0 || len(file.Plans) > maxPlans {
		return Set{}, fmt.Errorf("plans: %d plans, allowed are 1 to %d", len(file.Plans), maxPlans)
	}
	set, errs := Set{map[string]Plan{}}, []error(nil)
	for _, name := range slices.Sorted(maps.Keys(file.Plans)) {
		p, err := file.Plans[name].plan()
		if err := errors.Join(checkName(name), err); err != nil {
			errs = append(errs, fmt.Errorf("plan %q: %w", name, err))
		}
		set.plans[name] = p
	}
	if len(errs) > 0 {
		return Set{}, fmt.Errorf("plans: %w", errors.Join(errs...))
	}
	return set, nil
}

func checkName(name string) error {
	if name == "" || len(name) > maxName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return fmt.Errorf("a name is 1 to %d of a-z, 0-9, - and _", maxName)
	}
	return nil
}

// planFile is a plan as it stands in the file.
type planFile struct {
	Lines  whole       `yaml:"lines"`
	Quotas []quotaFile `yaml:"quotas"`
	Rate   *struct {
		PerSecond whole `yaml:"perSecond"`
		Burst     whole `yaml:"burst"`
	} `yaml:"rate"`
}

func (f planFile) plan() (Plan, error) {
	var errs []error
	p := Plan{Lines: int(f.Lines)}
	if f.Lines > maxLines {
		errs = append(errs, fmt.Errorf("lines is %d, allowed are 1 to %d", f.Lines, maxLines))
	}
	if len(f.Quotas) > maxQuotas {
		errs = append(errs, fmt.Errorf("%d quotas, allowed are %d", len(f.Quotas), maxQuotas))
	}
	for i, q := range f.Quotas {
		if err := q.check(p.Quotas); err != nil {
			errs = append(errs, fmt.Errorf("quota %d: %w", i+1, err))
		}
		p.Quotas = append(p.Quotas, Quota{q.Entitlement, int64(q.Limit)})
	}
	if f.Rate != nil {
		p.Rate = Rate{int(f.Rate.PerSecond), int(f.Rate.Burst)}
		errs = append(errs, p.Rate.check())
	}
	return p, errors.Join(errs...)
}

func (r Rate) check() error {
	if r.PerSecond < 1 || r.PerSecond > maxPerSecond || r.Burst < 1 || r.Burst > maxPerSecond {
		return fmt.Errorf("rate: perSecond and burst are both needed, from 1 to %d", maxPerSecond)
	}
	return nil
}

// quotaFile is a quota as it stands in the file.
type quotaFile struct {
	Entitlement string `yaml:"entitlement"`
	Limit       limit  `yaml:"limit"`
}

// UnmarshalYAML marks an absent limit, which is a mistake and not 0.
func (q *quotaFile) UnmarshalYAML(node *yaml.Node) error {
	type plain quotaFile
	read := plain{Limit: absent}
	for i := 0; node.Kind == yaml.MappingNode && i < len(node.Content); i += 2 { // Decode of a node forgets KnownFields
		if name := node.Content[i]; name.Value != "entitlement" && name.Value != "limit" {
			return fmt.Errorf("line %d: member %s of a quota is none of entitlement, limit", name.Line, name.Value)
		}
	}
	if err := node.Decode(&read); err != nil {
		return err
	}
	*q = quotaFile(read)
	return nil
}

// check also refuses a pattern that an earlier one covers: it could never decide.
func (q quotaFile) check(earlier []Quota) error {
	if err := account.CheckPattern(q.Entitlement); err != nil {
		return err
	}
	if q.Limit == absent || q.Limit > maxUnits {
		return fmt.Errorf("limit is absent or more than %d", int64(maxUnits))
	}
	for i, e := range earlier {
		if account.Entitled([]string{e.Entitlement}, q.Entitlement) {
			return fmt.Errorf("%s never decides, for quota %d covers it: put it before", q.Entitlement, i+1)
		}
	}
	return nil
}

// limit is a number of units or the word unlimited.
type limit int64

const absent limit = -2

// UnmarshalYAML reads a number from 0, or the word unlimited.
func (l *limit) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind == yaml.ScalarNode && node.Value == "unlimited" {
		*l = Unlimited
		return nil
	}
	var n whole
	if err := n.UnmarshalYAML(node); err != nil {
		return fmt.Errorf("%w, nor the word unlimited", err)
	}
	*l = limit(n)
	return nil
}

// whole is a whole number from 0; the decoder alone would cut off fractions.
type whole int64

// UnmarshalYAML reads a number.
func (w *whole) UnmarshalYAML(node *yaml.Node) error {
	var n int64
	if err := node.Decode(&n); err != nil || n < 0 || node.Tag != "!!int" {
		return fmt.Errorf("line %d: %s is not a whole number from 0", node.Line, node.Value)
	}
	*w = whole(n)
	return nil
}
