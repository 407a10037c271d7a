package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"mime"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/invoice"
)

// loadContract reads openapi.yaml the way a client gets it.
var loadContract = sync.OnceValues(func() (*openapi3.T, error) {
	source, err := OpenAPI()
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(source)
})

func contract(t testing.TB) *openapi3.T {
	t.Helper()
	return must(loadContract())(t)
}

// TestOpenAPI_IsValid ensures that the description is well-formed OpenAPI and that its examples follow their own schemas.
func TestOpenAPI_IsValid(t *testing.T) {
	if err := contract(t).Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestOpenAPI_DescribesEveryRoute ensures that router and description have the same operations under the same names.
func TestOpenAPI_DescribesEveryRoute(t *testing.T) {
	described := map[string]string{}
	for path, item := range contract(t).Paths.Map() {
		for method, op := range item.Operations() {
			described[method+" "+path] = op.OperationID
		}
	}
	for _, rt := range routes {
		key := rt.method + " " + rt.path
		if described[key] != rt.name {
			t.Errorf("route %s is %q in the router and %q in openapi.yaml", key, rt.name, described[key])
		}
		delete(described, key)
	}
	for key, name := range described {
		t.Errorf("openapi.yaml describes %s (%s), which no route answers", key, name)
	}
}

// TestOpenAPI_TellsWhichRoutesAreOpen ensures that exactly the public routes are described without security.
func TestOpenAPI_TellsWhichRoutesAreOpen(t *testing.T) {
	for _, rt := range routes {
		op := contract(t).Paths.Value(rt.path).GetOperation(rt.method)
		if open := op.Security != nil && len(*op.Security) == 0; open != rt.policy.open {
			t.Errorf("%s: described as open: %v, open in the router: %v", rt.name, open, rt.policy.open)
		}
	}
}

// TestOpenAPI_HasExamples ensures that every request body has an example, and that the one of generate is the request that
// the documentation and the first start show.
func TestOpenAPI_HasExamples(t *testing.T) {
	for path, item := range contract(t).Paths.Map() {
		for method, op := range item.Operations() {
			if op.RequestBody == nil {
				continue
			}
			content := op.RequestBody.Value.Content[typeJSON]
			if content == nil {
				content = op.RequestBody.Value.Content["multipart/form-data"]
			}
			if len(content.Examples) == 0 {
				t.Errorf("%s %s has no example of a request", method, path)
			}
		}
	}
	body := contract(t).Paths.Value("/api/v1/invoice/{countryCode}/{format}/generate").Post.RequestBody.Value
	shown := must(json.Marshal(body.Content[typeJSON].Examples["german"].Value.Value))(t)
	want := must(os.ReadFile("../docs/example.json"))(t)
	if diff := cmp.Diff(decoded(t, want), decoded(t, shown)); diff != "" {
		t.Errorf("the example of openapi.yaml is not docs/example.json:\n%s", diff)
	}
}

func decoded(t testing.TB, text []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, text)
	}
	return v
}

// schemaNames maps Go types to the schemas with another name.
var schemaNames = map[string]string{
	"StandardItemID": "StandardItemId", "EarlyDiscount": "EarlyPaymentDiscount", "DirectDebit": "DirectDebitMandate", "Type": "DocumentType",
}

// TestOpenAPI_DescribesTheWholeInvoice ensures that every member of the invoice object is described with its kind, and that
// nothing is described that does not exist.
func TestOpenAPI_DescribesTheWholeInvoice(t *testing.T) {
	seen := map[reflect.Type]bool{}
	compareSchema(t, reflect.TypeFor[invoice.Invoice](), seen)
	if len(seen) < 30 {
		t.Errorf("only %d types were compared", len(seen))
	}
}

func compareSchema(t *testing.T, typ reflect.Type, seen map[reflect.Type]bool) {
	if seen[typ] {
		return
	}
	seen[typ] = true
	name := typ.Name()
	if other, ok := schemaNames[name]; ok {
		name = other
	}
	ref := contract(t).Components.Schemas[name]
	if ref == nil {
		t.Errorf("openapi.yaml has no schema %s for %s", name, typ)
		return
	}
	var members []string
	for field := range fields(typ) {
		member := memberName(field)
		members = append(members, member)
		compareMember(t, name+"."+member, ref.Value.Properties[member], field.Type, seen)
	}
	for member := range ref.Value.Properties {
		if !slices.Contains(members, member) {
			t.Errorf("openapi.yaml describes %s.%s, which does not exist", name, member)
		}
	}
}

func fields(typ reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range typ.NumField() {
			if !yield(typ.Field(i)) {
				return
			}
		}
	}
}

func memberName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// TestOpenAPI_RequiresWhatTheInvoiceRequires ensures that CompleteInvoice asks for exactly the members that are marked as
// required, and for the country of seller and buyer.
func TestOpenAPI_RequiresWhatTheInvoiceRequires(t *testing.T) {
	compareRequired(t, "invoice", []*openapi3.SchemaRef{contract(t).Components.Schemas["CompleteInvoice"]}, reflect.TypeFor[invoice.Invoice](), 0)
}

// furtherRequired are members whose need depends on where the type is used.
var furtherRequired = map[string][]string{
	"invoice.seller": {"countryCode"}, "invoice.buyer": {"countryCode"}, "invoice.seller.identifiers": {"id"}, "invoice.buyer.identifiers": {"id"},
}

func compareRequired(t *testing.T, path string, asked []*openapi3.SchemaRef, typ reflect.Type, depth int) {
	want := slices.Clone(furtherRequired[path])
	for field := range fields(typ) {
		if strings.HasPrefix(field.Tag.Get("check"), "required") {
			want = append(want, memberName(field))
		}
		inner, parts := field.Type, propertyOf(asked, memberName(field))
		if inner.Kind() == reflect.Slice {
			inner, parts = inner.Elem(), itemsOf(parts)
		}
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && jsonKinds[inner.String()] == "" && depth < 4 && inner.Name() != "ElectronicAddress" {
			compareRequired(t, path+"."+memberName(field), parts, inner, depth+1)
		}
	}
	var got []string
	for _, ref := range asked {
		got = append(got, ref.Value.Required...)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: openapi.yaml requires %v, the code requires %v", path, got, want)
	}
}

func propertyOf(list []*openapi3.SchemaRef, name string) (parts []*openapi3.SchemaRef) {
	for _, ref := range list {
		if p := ref.Value.Properties[name]; p != nil {
			parts = append(parts, p)
		}
	}
	return parts
}

func itemsOf(list []*openapi3.SchemaRef) (parts []*openapi3.SchemaRef) {
	for _, ref := range list {
		if ref.Value.Items != nil {
			parts = append(parts, ref.Value.Items)
		}
	}
	return parts
}

// jsonKinds gives the JSON type of members that are no objects of ours.
var jsonKinds = map[string]string{
	"string": "string", "invoice.Date": "string", "invoice.Base64": "string", "decimal.Decimal": "number", "int": "integer", "bool": "boolean",
}

func compareMember(t *testing.T, path string, ref *openapi3.SchemaRef, typ reflect.Type, seen map[reflect.Type]bool) {
	if ref == nil {
		t.Errorf("openapi.yaml does not describe %s", path)
		return
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ.Kind() == reflect.Slice {
		if !ref.Value.Type.Is("array") {
			t.Errorf("%s is a list, described as %v", path, ref.Value.Type)
			return
		}
		ref, typ = ref.Value.Items, typ.Elem()
	}
	switch kind, simple := jsonKinds[typ.String()]; {
	case simple && !ref.Value.Type.Is(kind):
		t.Errorf("%s is a %s, described as %v", path, kind, ref.Value.Type)
	case !simple && typ.Kind() == reflect.Struct:
		compareSchema(t, typ, seen)
	}
}

// TestOpenAPI_ListsTheWordsOfTheInvoice ensures that the enumerations are the constants of package invoice.
func TestOpenAPI_ListsTheWordsOfTheInvoice(t *testing.T) {
	words := map[string][]string{
		"DocumentType": texts(invoice.TypeInvoice, invoice.TypeCreditNote, invoice.TypeProforma, invoice.TypeCorrection, invoice.TypePartial,
			invoice.TypePartialConstruction, invoice.TypePartialFinalConstruction, invoice.TypeFinalConstruction, invoice.TypeSelfBilled),
		"Profile":         texts(invoice.ProfileXRechnung, invoice.ProfileXRechnungExtension),
		"ServiceCategory": texts(invoice.ServiceConstruction, invoice.ServiceGeneral),
		"LineSubtype":     texts(invoice.LineDetail, invoice.LineInformation, invoice.LineGroup),
		"DiscountType":    texts(invoice.DiscountPercentage, invoice.DiscountAbsolute),
		"PaymentMethodType": texts(invoice.PayBankTransfer, invoice.PayCreditTransfer, invoice.PayDirectDebit, invoice.PayCreditCard,
			invoice.PayPayPal, invoice.PayCash, invoice.PayDanishFIK, invoice.PayGiro, invoice.PayOther),
	}
	for name, want := range words {
		var got []string
		for _, word := range contract(t).Components.Schemas[name].Value.Enum {
			got = append(got, fmt.Sprint(word))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: described are %v, the code has %v", name, got, want)
		}
	}
}

func texts[T ~string](words ...T) []string {
	var list []string
	for _, w := range words {
		list = append(list, string(w))
	}
	return list
}

// checkContract holds an answer against the description: status, required header fields, media type and body.
func checkContract(t testing.TB, method, path string, r reply) {
	t.Helper()
	if r.header.Get("x-request-id") == "" {
		t.Errorf("%s %s: no x-request-id", method, path)
	}
	rt := routeOf(method, path)
	if rt == nil {
		checkBody(t, contract(t).Components.Schemas["Error"], r)
		return
	}
	op := contract(t).Paths.Value(rt.path).GetOperation(rt.method)
	described := op.Responses.Status(r.status)
	if described == nil {
		t.Errorf("%s: openapi.yaml does not describe status %d", rt.name, r.status)
		return
	}
	for name, h := range described.Value.Headers {
		if h.Value.Required && r.header.Get(name) == "" {
			t.Errorf("%s: status %d lacks the header field %s", rt.name, r.status, name)
		}
	}
	mediaType, _, _ := mime.ParseMediaType(r.header.Get("Content-Type"))
	content := described.Value.Content[mediaType]
	if content == nil {
		t.Errorf("%s: openapi.yaml does not describe %s for status %d", rt.name, mediaType, r.status)
		return
	}
	if mediaType == typeJSON && method != http.MethodHead {
		checkBody(t, content.Schema, r)
	}
}

func checkBody(t testing.TB, schema *openapi3.SchemaRef, r reply) {
	t.Helper()
	var value any
	dec := json.NewDecoder(bytes.NewReader(r.body))
	if err := dec.Decode(&value); err != nil {
		t.Errorf("the body is not JSON: %v\n%s", err, r.body)
		return
	}
	if err := schema.Value.VisitJSON(value, openapi3.MultiErrors()); err != nil {
		t.Errorf("the body is not as described: %v\n%s", err, r.body)
	}
}

// routeOf finds the route of a path by its template.
func routeOf(method, path string) *route {
	path, _, _ = strings.Cut(path, "?")
	if method == http.MethodHead {
		method = http.MethodGet
	}
	var found *route
	for i := range routes {
		rt := &routes[i]
		if rt.method == method && fits(rt.path, path) && (found == nil || !strings.Contains(rt.path, "{")) {
			found = rt
		}
	}
	return found
}

func fits(template, path string) bool {
	return slices.EqualFunc(strings.Split(template, "/"), strings.Split(path, "/"), func(t, p string) bool {
		return t == p || strings.HasPrefix(t, "{") && p != ""
	})
}
