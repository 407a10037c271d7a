package api

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/einvoiced/einvoiced/core/catalogue"
	"github.com/einvoiced/einvoiced/core/engine/decimal"
	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/hybrid"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/internal/await"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/job/registration"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/chain"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/db/dbtest"
	"github.com/einvoiced/einvoiced/storage/ledger"
	"github.com/einvoiced/einvoiced/storage/peppol"
	"github.com/einvoiced/einvoiced/storage/plan"
	"github.com/einvoiced/einvoiced/storage/queue"
	"github.com/einvoiced/einvoiced/storage/queue/names"
	"github.com/einvoiced/einvoiced/storage/seal"
	"github.com/einvoiced/einvoiced/storage/templates"
	"github.com/einvoiced/einvoiced/storage/webhook"
	"github.com/einvoiced/einvoiced/worker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(dbtest.OnEach(m)) }

// fakeOperations answers without any knowledge of invoices. What it does is told by the body: the words that it looks for
// stand in the table below.
type fakeOperations struct{}

// words are what a fake operation does when its input contains the word.
var words = map[string]error{
	"FAKE-REFUSE": &finding.Refusal{Kind: finding.Unprocessable, Message: "type: proforma is not permitted", Code: "TYPE_NOT_PERMITTED", Field: "type",
		Cause: errors.New("private cause")},
	"FAKE-FAULTS": &finding.Refusal{Kind: finding.BadRequest, Message: "currency: is missing", Field: "currency", Errors: []finding.Finding{
		{Code: "MISSING_FIELD", Message: "currency: is missing", Field: "currency"},
		{Code: "MISSING_FIELD", Message: "total: is missing", Field: "total"},
	}},
	"FAKE-LINES": &finding.Refusal{Kind: finding.BadRequest, Word: "TOO_MANY_LINE_ITEMS", Message: "items: 26 lines, allowed are 25", Field: "items",
		Extra: []finding.Extra{{Name: "lineItems", Value: map[string]int{"count": 26, "limit": 25}}, {Name: "error", Value: "never shown"}}},
	"FAKE-UNKNOWN":    &finding.Refusal{Kind: finding.BadRequest, Word: "FORMAT_NOT_DETECTED", Message: "data: no known format", Field: "data"},
	"FAKE-UNREADABLE": &finding.Refusal{Kind: finding.Unprocessable, Word: "PARSE_FAILED", Message: "data: ends too early", Field: "data"},
	"FAKE-BROKEN":     errors.New("disk on fire at table secrets"),
	"FAKE-INTERNAL":   &finding.Refusal{Kind: finding.Internal, Message: "secret reason"},
	"FAKE-TEMPLATE":   &finding.Refusal{Kind: finding.NotFound, Message: "Template with ID 7 not found"},
	"FAKE-CONFLICT":   &finding.Refusal{Kind: finding.Conflict, Word: "IDEMPOTENCY_CONFLICT", Message: "The key was used with another body"},
}

func wordIn(input []byte) error {
	if bytes.Contains(input, []byte("FAKE-PANIC")) {
		panic("a value with invoice content")
	}
	for word, err := range words {
		if bytes.Contains(input, []byte(word)) {
			return err
		}
	}
	return nil
}

// Generate gives the body back as the document.
func (fakeOperations) Generate(ctx context.Context, req operation.GenerateRequest) (*operation.GenerateAnswer, error) {
	if err := wordIn(req.Body); err != nil {
		return nil, err
	}
	if bytes.Contains(req.Body, []byte("FAKE-LONG")) && isShort(ctx) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	a := &operation.GenerateAnswer{
		Success: true, Infos: req.Infos, Format: req.Format, Filename: "R-1.xml", MimeType: "application/xml",
		Data: fmt.Appendf(nil, "<%s>%s</%s>", req.Country, req.Body, req.Country), Summary: operation.Summary{
			InvoiceNumber: "R-1", Currency: "EUR", Subtotal: decimal.MustParse("100.00"), Total: decimal.MustParse("119.00"),
			TaxSummary: []invoice.TaxSummary{{TaxRate: decimal.MustParse("19"), NetAmount: decimal.MustParse("100"), TaxAmount: decimal.MustParse("19")}}},
	}
	a.Hash = hashOf(a.Data)
	if req.Calculate {
		a.Warnings = append(a.Warnings, finding.Finding{Code: "VALUE_CALCULATED", Message: "total: calculated", Field: "total"})
	}
	return a, nil
}

// PrintDeclaration gives a PDF that is none.
func (fakeOperations) PrintDeclaration(context.Context) (*operation.PagesAnswer, error) {
	return &operation.PagesAnswer{Filename: "declaracion-pdf.pdf", MimeType: "application/pdf", Data: []byte("%PDF-"), Hash: hashOf([]byte("%PDF-"))}, nil
}

// CheckRequest refuses what Generate refuses.
func (fakeOperations) CheckRequest(_ context.Context, req operation.GenerateRequest) error {
	return wordIn(req.Body)
}

// Embed gives the carrier with the invoice behind it.
func (fakeOperations) Embed(_ context.Context, req operation.EmbedRequest) (*operation.EmbedAnswer, error) {
	if err := wordIn(req.Body); err != nil {
		return nil, err
	}
	a := &operation.EmbedAnswer{Success: true, Infos: req.Infos, Format: req.Format, Filename: "R-1.pdf", MimeType: "application/pdf", PayloadHash: hashOf(req.Body),
		Carrier: hybrid.Carrier{PDFA3Declared: true}, Data: slices.Concat(req.Carrier, req.Body), EmbeddedXML: "<x/>"}
	if req.Validate {
		valid := true
		a.Validation = &operation.Validation{Valid: &valid, Status: "passed"}
	}
	if len(req.Carrier) > operation.MaxRechecked {
		a.Warnings = []finding.Finding{{Code: finding.ResultNotRechecked, Message: "not opened again"}}
	}
	if bytes.Contains(req.Body, []byte("FAKE-FONTS")) {
		a.Carrier.Warnings = []hybrid.Warning{{Code: finding.CarrierFontsNotChecked, Message: "not checked"}}
	}
	a.Hash = hashOf(a.Data)
	return a, nil
}

// isShort tells whether work has less time than a job: FAKE-LONG takes longer than that.
func isShort(ctx context.Context) bool {
	end, limited := ctx.Deadline()
	return limited && time.Until(end) < 10*time.Second
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Parse tells the size of the document as the invoice number.
func (fakeOperations) Parse(_ context.Context, req operation.ParseRequest) (*operation.ParseAnswer, error) {
	if err := wordIn(req.Document); err != nil {
		return nil, err
	}
	a := &operation.ParseAnswer{
		Infos: req.Infos, Success: true, Format: "XRECHNUNG_UBL", Hash: strings.Repeat("0b", 32),
		Invoice: &invoice.Invoice{InvoiceNumber: fmt.Sprint(len(req.Document), " bytes"), Notes: req.Filename},
	}
	if req.Country == "" {
		country := "DE"
		a.Detection = &operation.Detection{Format: a.Format, CountryCode: &country, Confidence: 100, FormatMethod: "CUSTOMIZATION_ID",
			CountrySource: "DOCUMENT"}
	}
	return a, nil
}

// Validate tells what it was given as a warning.
func (fakeOperations) Validate(_ context.Context, req operation.ValidateRequest) (*operation.ValidateAnswer, error) {
	if err := wordIn(append(req.Body, req.Document...)); err != nil {
		return nil, err
	}
	valid := true
	a := &operation.ValidateAnswer{Infos: req.Infos, InvoiceNumber: "R-1", Valid: true, Results: []operation.ValidateResult{{Format: req.Format, Valid: &valid}}}
	if req.Document != nil {
		country := "DE"
		a.Detection = &operation.Detection{Format: "XRECHNUNG_UBL", CountryCode: &country, Confidence: 100, FormatMethod: "CUSTOMIZATION_ID",
			CountrySource: "DOCUMENT"}
	}
	if bytes.Contains(req.Body, []byte("FAKE-INVALID")) {
		a.Valid, a.Errors = false, []finding.Finding{{Code: "BR-DE-15", Message: "the buyer reference is missing", Field: "buyerReference"}}
	}
	for _, f := range []string{"xrechnung", "pdf"} {
		if req.Entitled != nil && !req.Entitled(f) {
			a.Results = append(a.Results, operation.ValidateResult{Format: f, Skipped: "not entitled"})
		}
	}
	a.Warnings = append(a.Warnings, finding.Finding{Code: "VALUE_CALCULATED", Field: req.Filename,
		Message: fmt.Sprintf("%d bytes of JSON, %d of a document, as of %q, enforce %t, calculate %t", len(req.Body), len(req.Document), req.AsOf,
			req.EnforcePending, req.Calculate)})
	return a, nil
}

// TokenOf knows the formats that ship.
func (fakeOperations) TokenOf(detection string) string {
	if row := shippedFormats().Detected(detection); row != nil {
		return row.Token
	}
	return ""
}

// shippedFormats are the formats that ship.
var shippedFormats = sync.OnceValue(func() *format.Catalogue {
	formats, err := catalogue.New()
	if err != nil {
		panic(err)
	}
	return formats
})

// Open takes everything for an XRechnung, unless it holds one of the words.
func (fakeOperations) Open(_ context.Context, document []byte) *operation.Opened {
	if err := wordIn(document); err != nil {
		return &operation.Opened{Err: err}
	}
	country := "DE"
	return &operation.Opened{Detection: &operation.Detection{Format: "XRECHNUNG_UBL", CountryCode: &country, Confidence: 100}}
}

// OpenConversion takes everything for an XRechnung, unless it holds one of the words, and makes it a document of Germany where nothing
// else is asked for.
func (fakeOperations) OpenConversion(_ context.Context, req operation.ConvertRequest) *operation.Conversion {
	if req.Options.TargetFormat == "" {
		return &operation.Conversion{Err: &finding.Refusal{Kind: finding.BadRequest, Message: "targetFormat is required", Field: "targetFormat"}}
	}
	target := operation.Place{Country: strings.ToLower(cmp.Or(req.Options.TargetCountry, "DE")), Format: req.Options.TargetFormat}
	if err := wordIn(req.Document); err != nil {
		return &operation.Conversion{Target: target, Err: err}
	}
	return &operation.Conversion{Source: operation.Place{Country: "de", Format: "xrechnung"}, Target: target}
}

// Convert tells what it was given in the result.
func (f fakeOperations) Convert(ctx context.Context, req operation.ConvertRequest) (*operation.ConvertAnswer, error) {
	opened := f.OpenConversion(ctx, req)
	if opened.Err != nil {
		return nil, opened.Err
	}
	country := "DE"
	a := &operation.ConvertAnswer{Success: true, Infos: req.Infos, SourceFormat: "xrechnung", TargetFormat: opened.Target.Format, Format: opened.Target.Format,
		Filename: "R-1.xml", MimeType: "application/xml", Data: fmt.Appendf(nil, "<%s>%s %s</%[1]s>", opened.Target.Country, req.Filename, req.Document),
		Detection: &operation.Detection{Format: "XRECHNUNG_UBL", CountryCode: &country, Confidence: 100, FormatMethod: "CUSTOMIZATION_ID", CountrySource: "DOCUMENT"}}
	a.Hash = hashOf(a.Data)
	if o := req.Options; o.Validate != nil && !*o.Validate {
		a.Warnings = append(a.Warnings, finding.Finding{Code: "SELF_CHECK_INCOMPLETE", Message: "validate is false"})
	}
	if o := req.Options; o.AttachSource != nil && *o.AttachSource {
		a.ConversionWarnings = append(a.ConversionWarnings, finding.Finding{Code: "FIELD_NOT_WRITTEN", Field: "/a", Message: "not carried"})
	}
	return a, nil
}

// OpenRendering finds a German document in everything but FAKE-NOWHERE.
func (f fakeOperations) OpenRendering(ctx context.Context, document []byte) *operation.Opened {
	opened := f.Open(ctx, document)
	if opened.Err == nil && !strings.Contains(string(document), "FAKE-NOWHERE") {
		country := "DE"
		opened.Detection = &operation.Detection{Format: "UBL", CountryCode: &country}
	} else if opened.Err == nil {
		opened.Detection = &operation.Detection{Format: "UBL"}
	}
	return opened
}

// Render tells what it was given in the result.
func (f fakeOperations) Render(ctx context.Context, req operation.RenderRequest) (*operation.PagesAnswer, error) {
	if err := f.OpenRendering(ctx, req.Document).Err; err != nil {
		return nil, err
	}
	return fakePages(fmt.Sprintf("%%PDF- %s %s", req.Language, req.Document), req.Infos), nil
}

// Fill tells what it was given in the result.
func (fakeOperations) Fill(_ context.Context, req operation.FillRequest) (*operation.PagesAnswer, error) {
	if err := wordIn(req.Body); err != nil {
		return nil, err
	}
	return fakePages("%PDF- "+string(req.Body), req.Infos), nil
}

// Preview tells what it was given in the result.
func (fakeOperations) Preview(_ context.Context, req operation.PreviewRequest) (*operation.PagesAnswer, error) {
	if err := wordIn(req.Body); err != nil {
		return nil, err
	}
	return fakePages(fmt.Sprintf("%%PDF- %s %s %s", req.Country, req.Style.Template.Text, req.Body), req.Infos), nil
}

// CheckTemplate refuses by the words.
func (fakeOperations) CheckTemplate(text []byte) ([]operation.Info, error) { return nil, wordIn(text) }

// Languages are two.
func (fakeOperations) Languages() []string { return []string{"de", "en"} }

func fakePages(data string, infos []operation.Info) *operation.PagesAnswer {
	return &operation.PagesAnswer{Success: true, Format: "pdf", Filename: "R-1-pdf.pdf", MimeType: "application/pdf", Data: []byte(data), Hash: hashOf([]byte(data)), Infos: infos}
}

// Lookup finds one of the countries.
func (f fakeOperations) Lookup(code string) (format.Country, error) {
	c, err := f.Country(context.Background(), code)
	if err != nil {
		return format.Country{}, err
	}
	found := format.Country{Code: c.Code, Name: c.Name}
	for _, token := range c.Formats {
		found.Tokens = append(found.Tokens, token.ID)
	}
	return found, nil
}

// ListRulebooks knows three versions of one rulebook.
func (fakeOperations) ListRulebooks(context.Context) ([]operation.ListedRulebook, error) {
	day := "2026-04-10"
	list := make([]operation.ListedRulebook, 3)
	for i, version := range []string{"1", "2", "3"} {
		list[i] = operation.ListedRulebook{ID: "rules", Version: version, ValidFrom: &day, Formats: []string{"ubl"}, Rules: 979}
	}
	return list, nil
}

// DiffRulebooks knows one change, and nothing of a rulebook none.
func (fakeOperations) DiffRulebooks(_ context.Context, from, to string) (*operation.RulebookDiff, error) {
	if from == "none" {
		return nil, &finding.Refusal{Kind: finding.NotFound, Field: "from", Message: "from: rulebook none: is not there"}
	}
	diff := &rulebook.Diff{Added: []string{"A-1"}, Removed: []string{}, Changed: []rulebook.Change{{Rule: "A-2", What: "It is fatal instead of a warning."}}}
	return &operation.RulebookDiff{From: from, To: to, Diff: diff}, nil
}

// Countries knows two countries.
func (fakeOperations) Countries(context.Context) []operation.Country {
	xr := operation.Format{ID: "xrechnung", Name: "XRechnung", Description: "German CIUS", MimeType: "application/xml", Extension: ".xml",
		Versions: []string{"3.0"}, Generate: true, Parse: true}
	pdf := operation.Format{ID: "pdf", Name: "PDF", MimeType: "application/pdf", Extension: ".pdf"}
	fattura := operation.Format{ID: "fatturapa", Name: "FatturaPA", MimeType: "application/xml", Extension: ".xml"}
	return []operation.Country{
		{Code: "DE", Name: "Germany", Formats: []operation.Format{xr, pdf}},
		{Code: "IT", Name: "Italy", Formats: []operation.Format{fattura, pdf}},
	}
}

// Country finds one of them.
func (f fakeOperations) Country(ctx context.Context, code string) (*operation.Country, error) {
	for _, c := range f.Countries(ctx) {
		if strings.EqualFold(c.Code, code) {
			return &c, nil
		}
	}
	return nil, &finding.Refusal{Kind: finding.BadRequest, Message: "Country " + strings.ToUpper(code) + " is not supported"}
}

// fixture is a server on a real port over real stores, with a key for each role.
type fixture struct {
	*Server
	url      string
	keys     map[string]string // secrets by role
	accounts *account.Store
	jobs     *ledger.Ledger
	webhooks *webhook.Store
	saved    *templates.Store
	records  *registration.Registrar
	sends    *peppol.Store
	hosts    *hosts             // that webhooks may lead to
	books    *rulebook.Registry // that jobs are judged by
	letGo    chan struct{}      // closed by a test that lets FAKE-HOLD go
	told     *told              // what webhooks would be told
	database *db.DB
	blobs    *blob.Folder
	queue    *queue.Queue
	log      *lockedBuffer
	runner   job.Runner
	registry *prometheus.Registry
}

// roles are the keys of a fixture.
var roles = map[string]account.NewKey{
	"full":   {Mode: account.Test, Entitlements: everything},
	"live":   {Mode: account.Live, Entitlements: everything},
	"italy":  {Mode: account.Test, Entitlements: []string{"e-invoice:it:*:create", "e-invoice:it:fatturapa:parse"}},
	"german": {Mode: account.Test, Entitlements: []string{"e-invoice:de:xrechnung:create"}},
	"ubl":    {Mode: account.Test, Entitlements: []string{"e-invoice:de:ubl:create"}},
	"nobody": {Mode: account.Test, Entitlements: []string{"admin:keys"}},
}

var everything = []string{"pdf:*:generate", "e-invoice:*:*:create", "e-invoice:*:*:parse", "peppol:send", "admin:*", "verifactu:*"}

func newFixture(t testing.TB, cfg Config, change ...func(*Deps)) *fixture {
	t.Helper()
	f := &fixture{keys: map[string]string{"malformed": "sk_test_short"}, log: &lockedBuffer{}, registry: prometheus.NewRegistry(),
		letGo: make(chan struct{}), told: &told{}}
	f.openStores(t)
	f.sends = must(peppol.New(peppol.Config{Publisher: f.told, Queue: f.queue, Object: TransmissionObject}, f.database, f.blobs, must(sealer())(t)))(t)
	deps := Deps{
		Peppol: Peppol{Transmissions: f.sends, Prepare: func(ctx context.Context, req kinds.SendRequest) (*kinds.Prepared, error) {
			return kinds.PrepareSend(ctx, fakeOperations{}, req)
		}},
		Operations: fakeOperations{}, Keys: f.accounts, Accounts: f.accounts, Jobs: f.jobs, Inline: f.jobs, Usage: f.jobs, Webhooks: f.webhooks, Templates: f.saved, Registrar: f.records, Plans: plans(t), Metrics: NewMetrics(f.registry),
		Log: slog.New(slog.NewJSONHandler(f.log, nil)), Version: Version{Version: "v0", Go: "go", API: "1"},
	}
	for _, c := range change {
		c(&deps)
	}
	f.books = noRulebooks(t)
	if judging, ok := deps.Operations.(judgingOperations); ok {
		f.books = judging.registry
	}
	if deps.Kinds == nil {
		deps.Kinds = append(kinds.All(deps.Operations.(kinds.Operations)), kinds.Send(f.sends, nil))
	}
	f.runner = job.Counted(job.NewLocal(deps.Kinds, f.books, nil), deps.Metrics.Documents)
	f.serve(t, cfg, deps)
	return f
}

// serve opens the port.
func (f *fixture) serve(t testing.TB, cfg Config, deps Deps) {
	t.Helper()
	f.Server = must(New(cfg, deps))(t)
	server := httptest.NewUnstartedServer(f)
	server.Config = HTTPServer(f, deps.Log)
	server.Start()
	t.Cleanup(server.Close)
	f.url = server.URL
}

// judgingOperations are operations that judge by the rulebooks of a registry.
type judgingOperations struct {
	*operation.Service
	registry *rulebook.Registry
}

func noRulebooks(t testing.TB) *rulebook.Registry {
	t.Helper()
	return must(rulebook.NewRegistry(t.Context(), rulebook.Config{}))(t)
}

// told is a Publisher that keeps what it is told, also in transactions that come to nothing.
type told struct {
	mu     sync.Mutex
	events []ledger.Event
	next   ledger.Publisher // is told, too
}

// Ask implements ledger.Publisher.
func (p *told) Ask(tx *db.Tx, accountID string, mode account.Mode) (ledger.Publish, error) {
	publish, err := p.next.Ask(tx, accountID, mode)
	return func(events ...ledger.Event) (ledger.Published, error) {
		p.mu.Lock()
		p.events = append(p.events, events...)
		p.mu.Unlock()
		return publish(events...)
	}, err
}

// take gives what was told since the last time.
func (p *told) take() []ledger.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	events := p.events
	p.events = nil
	return events
}

// testPlans are plans that tests put accounts on.
const testPlans = `
plans:
  small: {lines: 25, rate: {perSecond: 1, burst: 3}}
  metered:
    quotas: [{entitlement: "e-invoice:*:*:create", limit: 3}, {entitlement: "e-invoice:*:*:parse", limit: 2}]
`

var sealer = sync.OnceValues(func() (*seal.Sealer, error) { return seal.Open(seal.Config{Key: seal.NewKey()}) })

func plans(t testing.TB) plan.Set { return must(plan.Load([]byte(testPlans)))(t) }

func (f *fixture) openStores(t testing.TB) {
	t.Helper()
	dir := t.TempDir()
	discard := slog.New(slog.DiscardHandler)
	f.database = dbtest.Open(t)
	f.blobs = must(blob.OpenFolder(filepath.Join(dir, "blobs")))(t)
	f.queue = must(queue.Open(queue.Config{Logger: discard, Poll: 5 * time.Millisecond, Drain: 10 * time.Millisecond}))(t)
	t.Cleanup(func() {
		if err := errors.Join(f.queue.Close(), f.blobs.Close()); err != nil {
			t.Error(err)
		}
	})
	f.accounts = must(account.New(account.Config{Plans: plans(t)}, f.database))(t)
	f.openWebhooks(t, f.database, f.queue)
	f.saved = templates.New(f.database, nil)
	f.records = &registration.Registrar{Database: f.database, Chains: chain.New(nil, f.database), Installation: installation(t)}
	f.jobs = f.ledger(t)
	for name, role := range roles {
		f.addKey(t, "own", name, role)
	}
	f.addKey(t, "other", "stranger", roles["full"])
	revoked := f.addKey(t, "own", "revoked", roles["full"])
	if err := f.accounts.Revoke(t.Context(), revoked.AccountID, revoked.Mode, revoked.ID); err != nil {
		t.Fatal(err)
	}
	f.work(t)
}

// ledger opens the ledger as a process does.
func (f *fixture) ledger(t testing.TB) *ledger.Ledger {
	t.Helper()
	return must(ledger.New(ledger.Config{
		Logger: slog.New(slog.DiscardHandler), Seal: must(sealer())(t), Plans: plans(t), Publisher: f.told, Registrar: f.records, JobEvent: JobEvent,
	}, f.database, f.blobs, f.queue))(t)
}

// again is another process on the same stores: its server has a ledger of its own, and no worker.
func (f *fixture) again(t testing.TB, cfg Config) *fixture {
	t.Helper()
	other := *f
	other.jobs, other.registry = f.ledger(t), prometheus.NewRegistry()
	deps := f.Deps
	deps.Jobs, deps.Inline, deps.Usage, deps.Metrics = other.jobs, other.jobs, other.jobs, NewMetrics(other.registry)
	other.serve(t, cfg, deps)
	return &other
}

// work lets a worker run beside the test; it asks f for the runner, which comes later.
func (f *fixture) work(t testing.TB) {
	w := must(worker.New(worker.Config{Logger: slog.New(slog.DiscardHandler)}, f.jobs, lateRunner{f}))(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- f.queue.Serve(ctx, queue.Consumer{Queues: map[string]int{names.Interactive: 1, names.Default: 1, names.Embed: 1}, Handle: w.Handle})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

type lateRunner struct{ f *fixture }

// Run runs the runner of the fixture; FAKE-WAIT is held until the test ends, FAKE-HOLD until the test lets it go.
func (l lateRunner) Run(ctx context.Context, run job.Run, request ledger.Content) (ledger.Output, error) {
	data, err := ledger.ReadAll(ctx, request)
	if err != nil {
		return ledger.Output{}, err
	}
	if bytes.Contains(data, []byte("FAKE-HOLD")) {
		select {
		case <-l.f.letGo:
		case <-ctx.Done():
			return ledger.Output{}, ctx.Err()
		}
	}
	if bytes.Contains(data, []byte("FAKE-WAIT")) {
		<-ctx.Done()
		return ledger.Output{}, ctx.Err()
	}
	return l.f.runner.Run(ctx, run, request)
}

func (f *fixture) addKey(t testing.TB, owner, name string, key account.NewKey) account.Key {
	t.Helper()
	list := must(f.accounts.Accounts(t.Context()))(t)
	for _, a := range list {
		if a.Name == owner {
			key.AccountID = a.ID
		}
	}
	if key.AccountID == "" {
		key.AccountID = must(f.accounts.CreateAccount(t.Context(), owner))(t).ID
	}
	made, secret, err := f.accounts.Create(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	f.keys[name] = secret
	return made
}

// must gives v, or ends the test.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// reply is an answer that was read to its end.
type reply struct {
	status int
	header http.Header
	body   []byte
	closed bool // the server closes the connection
}

// ask sends a request with the key of the role and reads the answer.
func (f *fixture) ask(t testing.TB, role, method, path, body string, header ...string) reply {
	t.Helper()
	req := must(http.NewRequestWithContext(t.Context(), method, f.url+path, strings.NewReader(body)))(t)
	if role != "" {
		req.Header.Set("Authorization", "Bearer "+f.keys[role])
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return f.send(t, req)
}

func (f *fixture) send(t testing.TB, req *http.Request) reply {
	t.Helper()
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	client := http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res := must(client.Do(req))(t)
	defer res.Body.Close()
	return reply{res.StatusCode, res.Header, must(io.ReadAll(res.Body))(t), res.Close}
}

// lockedBuffer is a log that tests can read while the server writes.
type lockedBuffer = await.Buffer

// eventually waits until the condition holds.
var eventually = await.True
