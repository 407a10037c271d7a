package job

import (
	"cmp"
	"context"
	"fmt"
)

// Kind describes a kind of job: all that the API and the workers have to know of it.
type Kind struct {
	// Name is the operation: the first part of the kind of a job, and how paths, metrics and answers name it.
	Name string

	// Parameters gives a pointer to the parameters of an order, all at their defaults. They have a form in JSON, in which they lie in
	// the inputs of jobs; inputs that were accepted by earlier programs must stay readable.
	Parameters func() any

	// Entitlement is what an order takes, by country and format in lower case. Either may be *, for some of them.
	Entitlement func(country, format string) string

	// Open looks into the body of an order, before that is done or becomes a job, for what neither path nor query tell: it sets country
	// and format of the order, and gives the entitlements that it takes. What it opens it leaves in the order. Nil: there is nothing to
	// look for.
	Open func(ctx context.Context, o *Order) []string

	// Detected gives the entitlement that only the answer can tell, such as that of what was detected; empty where the answer tells
	// none. The error says that the answer cannot be read.
	Detected func(o *Order, answer []byte) (string, error)

	// Charge gives the entitlement whose quota a live order uses by one unit when it succeeds; empty where it uses none. What it
	// prepares for the run it leaves in the order. Nil: orders are free.
	Charge func(ctx context.Context, o *Order) string

	// Check refuses an order that Run would refuse as no such request at all, without doing it; it is asked where the quota does not allow
	// the order, because that refusal goes first. Nil: the quota goes first.
	Check func(ctx context.Context, o *Order) error

	// Units gives how many units an order uses. Default: 1.
	Units func(o *Order) int

	// Bare tells of an answer whether its document may be given in place of it, and which header fields say the rest. Default: where Clean says
	// so, with none.
	Bare func(answer []byte) (header map[string]string, ok bool)

	// Unasked says that the document is the answer where the client does not ask for JSON. Default: JSON is, where it does not ask for the document.
	Unasked bool
	// Run does an order. A *finding.Refusal (by errors.As) blames the input.
	Run func(ctx context.Context, run Run, o *Order) (*Outcome, error)

	Events    []string  // types of the events that a run may bring about
	Inline    bool      // an order may be done while its client waits, without a job
	Isolation Isolation // when it is done by a process of its own. Default: Never
	Attempts  int       // failures inside the service after which a job has failed. Default: those of the ledger
}

// Isolation says which orders of a kind are done by processes of their own.
type Isolation int

// The isolations.
const (
	Never  Isolation = iota
	Large            // jobs with large requests
	Always           // all, also those that have no job
)

// Kinds are the kinds of jobs that a process knows.
type Kinds []Kind

// Find gives the kind of the name; nil for one that is unknown.
func (k Kinds) Find(name string) *Kind {
	for i := range k {
		if k[i].Name == name {
			return &k[i]
		}
	}
	return nil
}

// Order gives an order with the parameters of its kind at their defaults. The error says that there is no such kind.
func (k Kinds) Order(operation, country, format string) (Order, error) {
	kind := k.Find(operation)
	if kind == nil {
		return Order{}, fmt.Errorf("there is no operation %q", operation)
	}
	return Order{Operation: operation, Country: country, Format: format, Parameters: kind.Parameters()}, nil
}

// Perform does what was ordered, in this process. A *finding.Refusal (by errors.As) blames the input.
func (k Kinds) Perform(ctx context.Context, run Run, o *Order) (*Outcome, error) {
	kind := k.Find(o.Operation)
	if kind == nil {
		return nil, fmt.Errorf("there is no operation %q", o.Operation)
	}
	if o.Parameters == nil {
		o.Parameters = kind.Parameters()
	}
	return kind.Run(ctx, run, o)
}

// Cost is how many units an order uses that Charge names an entitlement for.
func (k *Kind) Cost(o *Order) int {
	if k.Units == nil {
		return 1
	}
	return k.Units(o)
}

// Alone tells of an answer with a document whether that may be given in place of it, and with which header fields.
func (k *Kind) Alone(answer []byte) (header map[string]string, ok bool) {
	if k.Bare == nil {
		return nil, Clean(answer)
	}
	return k.Bare(answer)
}

// Isolation gives when jobs of a kind (see Order.Kind) are done by a process of their own.
func (k Kinds) Isolation(kind string) Isolation {
	operation, _, _ := SplitKind(kind)
	if known := k.Find(operation); known != nil {
		return known.Isolation
	}
	return Never
}

// Attempts gives how many failures inside the service end a job of a kind (see Order.Kind); 0 where the kind does not say.
func (k Kinds) Attempts(kind string) int {
	operation, _, _ := SplitKind(kind)
	if known := k.Find(operation); known != nil {
		return known.Attempts
	}
	return 0
}

// Needs gives the entitlement that an order takes as far as country and format tell; empty where the format is for the answer to tell.
func (k *Kind) Needs(country, format string) string {
	if country == "" || format == "" {
		return ""
	}
	return k.Entitlement(country, format)
}

// Some gives the pattern of the entitlements of which an order takes at least one, where Needs gives none.
func (k *Kind) Some(country string) string { return k.Entitlement(cmp.Or(country, "*"), "*") }
