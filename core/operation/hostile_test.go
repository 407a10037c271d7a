package operation

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// markup is text that would break a careless writer: the ends of CDATA and comments, references, marks that turn the direction
// of writing, and characters outside the basic plane.
const markup = `]]> <![CDATA[ --> & &amp; < > " ' ` + "\u200F\u202E \U0001F600 \u00e4\u0323"

// TestEveryTextComesThroughAsItIs puts markup in each text member and finds it unchanged in the document, or warned of.
func TestEveryTextComesThroughAsItIs(t *testing.T) {
	s := newService(t)
	p := xrechnung(t, s)
	notWritten := onlyWarned(t)
	tried := 0
	for i, leaf := range invoice.LeafPaths() {
		if silent[leaf] != "" || notWritten[ofLine(leaf)] != "" || special[ofLine(leaf)].value != nil || leftOut(i) {
			continue
		}
		inv, _ := withSentinel(t, leaf)
		v := at(reflect.ValueOf(inv).Elem(), leaf)
		if v.Type() != reflect.TypeFor[string]() {
			continue
		}
		tried++
		v.SetString(markup)
		found, _ := generateSentinel(t, s, p, inv, markup)
		if !slices.ContainsFunc(found, func(field string) bool { return leadsTo(p, leaf, field) }) {
			t.Errorf("%s does not hold the text unchanged; it stands at %q", leaf, found)
		}
	}
	if tried < 100 && !testing.Short() {
		t.Errorf("only %d texts were tried", tried)
	}
}

// TestLargeTextsInSmallPlacesAreReadQuickly parses a megabyte where a few characters are usual.
func TestLargeTextsInSmallPlacesAreReadQuickly(t *testing.T) {
	s := newService(t)
	source := string(document(t, "basic-default.xml"))
	long := strings.Repeat("9", 1<<20)
	for _, place := range []string{"cbc:IssueDate", "cbc:ID", "cbc:PayableAmount", "cbc:Percent", "cbc:CompanyID"} {
		name := strings.TrimPrefix(place, "cbc:")
		_, rest, found := strings.Cut(source, name)
		from := len(source) - len(rest) + strings.Index(rest, ">") + 1
		to := from + strings.IndexByte(source[from:], '<')
		if !found {
			t.Fatalf("the document has no %s", place)
		}
		answer, err := s.Parse(context.Background(), ParseRequest{Document: []byte(source[:from] + long + source[to:])})
		if err != nil {
			t.Errorf("%s: %v", place, err)
			continue
		}
		for _, w := range answer.Warnings {
			if len(w.Message) > 2_000 {
				t.Errorf("%s: a warning of %d bytes", place, len(w.Message))
			}
		}
	}
}

// TestManyUnknownElementsAreCountedNotListed parses a document with more unknown leaves than an answer lists.
func TestManyUnknownElementsAreCountedNotListed(t *testing.T) {
	s := newService(t)
	unknown := strings.Repeat("<cbc:UUID xmlns:cbc=\"urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2\">1</cbc:UUID>", 20_000)
	generated, err := s.Generate(context.Background(), GenerateRequest{Country: "de", Format: "xrechnung", Body: generateRequest(1)})
	if err != nil {
		t.Fatal(err)
	}
	source := strings.Replace(string(generated.Data), "</Invoice>", unknown+"</Invoice>", 1)
	answer, err := s.Parse(context.Background(), ParseRequest{Document: []byte(source)})
	if err != nil {
		t.Fatal(err)
	}
	last := answer.Warnings[len(answer.Warnings)-1]
	if len(answer.Warnings) != warningLimit+1 || last.Field != "" || !strings.Contains(last.Message, fmt.Sprint(20_000-warningLimit)) {
		t.Errorf("%d warnings, the last %+v", len(answer.Warnings), last)
	}
}

// TestNestedDocumentIsRefused keeps depth within what recursion can bear.
func TestNestedDocumentIsRefused(t *testing.T) {
	s := newService(t)
	source := strings.Repeat("<a>", 100_000)
	_, err := s.Parse(context.Background(), ParseRequest{Document: []byte(source)})
	var refusal *finding.Refusal
	if !errors.As(err, &refusal) || refusal.Kind != finding.Unprocessable {
		t.Errorf("error %v, want a refusal of depth", err)
	}
}
