package invoice

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
)

// Options of decoding. The zero value is the default.
type Options struct {
	Limits    Limits
	Calculate bool // amounts that can be calculated may be absent. Default: false.
	// Unknown is told of unknown members that resemble a known one, of each name in one kind of object once: the place, which is relative
	// to the member invoice, and the known name. Default: nobody.
	Unknown func(place, known string)
	// Ended is asked now and then why reading is to stop; nil while it is to go on. Default: it is not asked.
	Ended func() error
}

// Decoder reads JSON texts of one type: an invoice, or a request body with the member invoice. It is immutable and safe for
// concurrent use.
type Decoder[T any] struct{ plan *shape }

// NewDecoder prepares the Decoder of a struct type that is made of the types of this package, strings, decimals, *int, *bool,
// jsontext.Value, and structs and slices of these. It panics on other types.
func NewDecoder[T any]() *Decoder[T] {
	return &Decoder[T]{plan: compile(reflect.TypeFor[T]())}
}

// Decode reads body under the limits and says everything that is wrong with its shape at once: members that are missing or
// doubled, other types, words and dates that are none, numbers and texts beyond the limits. Names are case-sensitive, unknown
// members are ignored, null and "" mean absent, numbers keep their scale.
//
// The findings are sorted by their position in body, and their fields are relative to the member invoice. With findings the
// value is incomplete. The error is a *finding.Refusal: a text beyond the limits on lines, depth and attachments, or one that is
// not JSON; or that of Options.Ended.
//
// The value keeps parts of body (base64 contents and raw members) instead of copies: body must not change afterwards.
func (d *Decoder[T]) Decode(body []byte, o Options) (*T, []finding.Finding, error) {
	o.Limits = o.Limits.withDefaults()
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF")) // a byte order mark says nothing in UTF-8
	scanner := NewScanner(o.Limits)
	scanner.Write(body)
	if refusal := scanner.Refusal(); refusal != nil {
		return nil, nil, refusal
	}
	if reason := encodingFault(body); reason != "" {
		return nil, nil, notJSON("", reason)
	}
	value := new(T)
	r := newReader(body, o)
	r.items = scanner.Counts().Items
	r.root(d.plan, reflect.ValueOf(value).Elem())
	if r.ended != nil {
		return nil, nil, fmt.Errorf("read the JSON text: %w", r.ended)
	}
	if r.refusal != nil {
		return nil, nil, r.refusal
	}
	return value, r.sorted(), nil
}

// reader is the state of one decoding.
type reader struct {
	json    *jsontext.Decoder
	body    []byte
	options Options

	path        []step
	base        int // steps of path that lead to the invoice
	findings    []located
	full        bool // there are as many findings as are listed
	refusal     *finding.Refusal
	ended       error    // why reading has stopped before the end
	unknown     [][]byte // names of unknown members of the objects open
	resembling  map[unknownName]string
	entries     int // of lists that are not lines
	items       int // entries of items that will come
	attachments int // bytes of base64 contents, decoded
	scratch     []byte
}

// step is one step of a path: a member, or an entry where name is empty.
type step struct {
	name  string
	index int
}

// located is a finding with the place in the body that it is about.
type located struct {
	offset int64
	finding.Finding
}

func newReader(body []byte, o Options) *reader {
	return &reader{
		// Names are compared here: the library would keep those of ignored objects, too, without bound.
		json: jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true)),
		body: body, options: o,
	}
}

// root reads the whole text.
func (r *reader) root(s *shape, v reflect.Value) {
	if r.json.PeekKind() == 'n' {
		r.wrongType(s, 'n')
		r.skip()
	} else {
		r.value(s, v)
	}
	if r.stopped() {
		return
	}
	if _, err := r.json.ReadToken(); err == nil {
		r.refusal = notJSON("", "there is more after its end"+position(r.body, r.json.InputOffset()-1))
	} else if !errors.Is(err, io.EOF) {
		r.fail(err)
	}
	if r.attachments > r.options.Limits.MaxAttachmentBytes {
		r.refusal = attachmentsTooLarge(r.attachments, r.options.Limits.MaxAttachmentBytes)
	}
}

// stopped tells that reading on makes no sense.
func (r *reader) stopped() bool { return r.refusal != nil || r.full || r.ended != nil }

// report notes a finding about the value that path leads to; its message begins with the field.
func (r *reader) report(offset int64, code, format string, args ...any) {
	field := r.field()
	subject := field
	if subject == "" {
		subject = "the JSON text"
	}
	r.findings = append(r.findings, located{offset, finding.Finding{
		Code: code, Field: field, Message: subject + " " + fmt.Sprintf(format, args...),
	}})
	r.full = len(r.findings) >= r.options.Limits.MaxFindings
}

// sorted gives the findings in the order of the text, with a note where it was not read to its end because of them.
func (r *reader) sorted() []finding.Finding {
	slices.SortStableFunc(r.findings, func(a, b located) int { return cmp.Compare(a.offset, b.offset) })
	var out []finding.Finding
	for _, f := range r.findings {
		out = append(out, f.Finding)
	}
	if r.full {
		out = append(out, findingsOmitted(len(r.findings)))
	}
	return out
}

// findingsOmitted is the note after the last finding that is listed.
func findingsOmitted(listed int) finding.Finding {
	return finding.Finding{Code: finding.FindingsOmitted, Message: fmt.Sprintf("only the first %d input errors are listed", listed)}
}

// field gives the path relative to the invoice, e.g. items[3].taxRate.
func (r *reader) field() string {
	var b []byte
	for _, s := range r.path[r.base:] {
		b = s.append(b)
	}
	return string(b)
}

func (s step) append(b []byte) []byte {
	if s.name == "" {
		return append(strconv.AppendInt(append(b, '['), int64(s.index), 10), ']')
	}
	if len(b) > 0 {
		b = append(b, '.')
	}
	return append(b, s.name...)
}

func (r *reader) push(s step) { r.path = append(r.path, s) }

func (r *reader) pop() { r.path = r.path[:len(r.path)-1] }
