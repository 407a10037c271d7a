package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gorilla/mux"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/format"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/ledger"
)

// route is one operation of the interface. Its name is the operationId of openapi.yaml.
type route struct {
	name   string
	method string
	path   string
	policy policy
	handle func(*Server, *call) (*answer, error)
}

// routes is the whole public interface.
var routes = slices.Concat(invoiceRoutes, jobRoutes, keyRoutes, accountRoutes, webhookRoutes, templateRoutes, peppolRoutes, rulebookRoutes, verifactuRoutes, serviceRoutes)

var invoiceRoutes = []route{
	{"generate", http.MethodPost, "/api/v1/invoice/{countryCode}/{format}/generate", createFormat, (*Server).order},
	{"embed", http.MethodPost, "/api/v1/invoice/{countryCode}/{format}/embed", createFormat, (*Server).order},
	{"embedUpload", http.MethodPost, "/api/v1/invoice/{countryCode}/{format}/embed/upload", createFormat, (*Server).order},
	{"parse", http.MethodPost, "/api/v1/invoice/{countryCode}/{format}/parse", parseFormat, (*Server).order},
	{"parseAuto", http.MethodPost, "/api/v1/invoice/parse", parseDetected, (*Server).order},
	{"convert", http.MethodPost, "/api/v1/invoice/convert", convertSome, (*Server).order},
	{"render", http.MethodPost, "/api/v1/invoice/render", printSome, (*Server).order},
	{"fill", http.MethodPost, "/api/v1/pdf/generate", printSome, (*Server).order},
	{"validate", http.MethodPost, "/api/v1/invoice/{countryCode}/{format}/validate", createFormat, (*Server).order},
	{"validateCountry", http.MethodPost, "/api/v1/invoice/{countryCode}/validate", createSome, (*Server).order},
	{"listFormats", http.MethodGet, "/api/v1/invoice/formats", anyKey, (*Server).formats},
	{"listCountryFormats", http.MethodGet, "/api/v1/invoice/{countryCode}/formats", anyKey, (*Server).countryFormats},
}

var jobRoutes = []route{
	{"createJobs", http.MethodPost, "/api/v1/jobs", ownJobs, (*Server).createJobs},
	{"listJobs", http.MethodGet, "/api/v1/jobs", ownJobs, (*Server).listJobs},
	{"getJob", http.MethodGet, "/api/v1/jobs/{id}", ownJobs, (*Server).getJob},
	{"deleteJob", http.MethodDelete, "/api/v1/jobs/{id}", ownJobs, (*Server).deleteJob},
	{"getJobArtifact", http.MethodGet, "/api/v1/jobs/{id}/artifact", ownJobs, (*Server).getArtifact},
}

var keyRoutes = []route{
	{"createKey", http.MethodPost, "/api/v1/keys", adminKeys, (*Server).createKey},
	{"listKeys", http.MethodGet, "/api/v1/keys", adminKeys, (*Server).listKeys},
	{"getKey", http.MethodGet, "/api/v1/keys/{id}", adminKeys, (*Server).getKey},
	{"deleteKey", http.MethodDelete, "/api/v1/keys/{id}", adminKeys, (*Server).deleteKey},
	{"rotateKey", http.MethodPost, "/api/v1/keys/{id}/rotate", adminKeys, (*Server).rotateKey},
}

var accountRoutes = []route{
	{"getAccount", http.MethodGet, "/api/v1/account", adminAccount, (*Server).getAccount},
	{"updateAccount", http.MethodPatch, "/api/v1/account", adminAccount, (*Server).updateAccount},
	{"getUsage", http.MethodGet, "/api/v1/usage", adminUsage, (*Server).getUsage},
}

var rulebookRoutes = []route{
	{"listRulebooks", http.MethodGet, "/api/v1/rulebooks", anyKey, (*Server).listRulebooks},
	{"diffRulebooks", http.MethodGet, "/api/v1/rulebooks/diff", anyKey, (*Server).diffRulebooks},
}

var serviceRoutes = []route{
	{"getVersion", http.MethodGet, "/api/v1/version", public, (*Server).version},
	{"getHealth", http.MethodGet, "/healthz", public, (*Server).health},
	{"getReadiness", http.MethodGet, "/readyz", public, (*Server).readiness},
	{"getInterface", http.MethodGet, "/openapi.json", public, (*Server).openAPI},
}

// policy says who may use a route. Each route needs one; the zero policy lets nobody pass and fails New.
type policy struct {
	name string
	open bool // no key needed

	// need gives the entitlement that the path asks for. Nil means that any key will do, or that the handler decides as soon as
	// it knows what the request is about.
	need func(c *call) string

	// alone tells that the policy takes one entitlement, its name, whatever the path.
	alone bool

	// some asks for at least one entitlement of a kind, before it is known which one it will have to be.
	some func(c *call) string
}

var (
	public        = policy{name: "public", open: true}
	anyKey        = policy{name: "any key"}
	createFormat  = policy{name: "create", need: func(c *call) string { return job.CreateEntitlement(c.country, c.format) }}
	parseFormat   = policy{name: "parse", need: func(c *call) string { return job.ParseEntitlement(c.country, c.format) }}
	createSome    = policy{name: "create some format", some: func(c *call) string { return job.CreateEntitlement(c.country, "*") }}
	parseDetected = policy{name: "parse what is detected", some: func(*call) string { return job.ParseEntitlement("*", "*") }}
	convertSome   = policy{name: "create some format, from one that may be parsed", some: func(*call) string { return job.CreateEntitlement("*", "*") }}
	printSome     = policy{name: "make some PDF", some: func(*call) string { return job.CreateEntitlement("*", "pdf") }}
	ownJobs       = policy{name: "own jobs, by their operation"} // decided with the job at hand
	adminKeys     = administer("admin:keys")
	adminAccount  = administer("admin:account")
	adminUsage    = administer("admin:usage")
)

// administer is the policy of routes that take one entitlement, whatever they are about.
func administer(entitlement string) policy {
	return policy{name: entitlement, alone: true, need: func(*call) string { return entitlement }}
}

// call is one request that has found its route.
type call struct {
	w       http.ResponseWriter
	r       *http.Request
	x       *exchange
	route   *route
	key     *account.Key // nil on public routes
	country string       // lower case; known to be supported
	format  string       // lower case; as given in the path

	infos  []operation.Info // on names in the request that are not known, where the answer has no infos of its own
	ticket *ledger.Ticket   // of a POST that orders no operation
	kept   bool             // the ticket was settled along with what the answer tells
	answer *lease           // of memory for the answer, until it is sent; nil for a small one
	read   func()           // gives the turn to read back; nil without one
}

// release gives back what the call holds until its answer is sent.
func (c *call) release() {
	if c.answer != nil {
		c.answer.release()
	}
}

// newRouter builds the router of a table.
func (s *Server) newRouter(table []route) (*mux.Router, error) {
	// Cleaning would redirect, which clients do not follow; encoded slashes must not make segments.
	m := mux.NewRouter().SkipClean(true).UseEncodedPath()
	for i := range table {
		rt := &table[i]
		if rt.policy.name == "" {
			return nil, fmt.Errorf("route %s %s has no policy", rt.method, rt.path)
		}
		m.Path(pattern(rt.path)).Methods(methodsOf(rt)...).Name(rt.name).Handler(s.serve(rt))
	}
	docs := s.docsPage()
	for _, path := range []*mux.Route{m.Path("/docs"), m.PathPrefix("/docs/")} {
		path.Methods(http.MethodGet, http.MethodHead).Handler(docs)
	}
	s.addPages(m)
	m.NotFoundHandler = s.failing(func(*http.Request) error { return errNoEndpoint })
	m.MethodNotAllowedHandler = s.failing(func(r *http.Request) error { return notAllowed(m, r) })
	return m, nil
}

// pattern is the path of a route for the router. The country that is a part of it has no case (supplement §1, rule 1).
func pattern(path string) string { return strings.Replace(path, "/es/", "/{es:[eE][sS]}/", 1) }

// methodsOf lets HEAD go where GET goes.
func methodsOf(rt *route) []string {
	if rt.method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{rt.method}
}

// serve answers the requests of one route.
func (s *Server) serve(rt *route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{w: w, r: r, x: exchangeOf(r.Context()), route: rt}
		c.x.route = rt.path
		defer c.release()
		a, err := s.answer(c)
		if err == nil {
			c.inform(a)
		}
		s.send(w, r, a, err)
	})
}

// answer takes a request through the checks to its handler.
func (s *Server) answer(c *call) (*answer, error) {
	for _, check := range []func(*call) error{s.admitKey, s.limitRate, s.resolvePath, s.authorise} {
		if err := check(c); err != nil {
			return nil, err
		}
	}
	if c.key != nil {
		if !s.capacity.open.Take(c.key.AccountID, 1, 0) {
			return nil, errBusy()
		}
		defer s.capacity.open.Give(c.key.AccountID, 1)
		c.r = c.r.WithContext(db.ByAccount(c.r.Context(), c.key.AccountID))
		if err := s.toRead(c); err != nil {
			return nil, err
		}
		defer c.doneReading()
	}
	if orderings[c.route.name].read == nil {
		c.infos = unknownParameters(c.r.URL.Query(), queries[c.route.name])
	}
	if c.route.method == http.MethodPost && !readsItself[c.route.name] {
		return s.once(c, (*Server).readPlain)
	}
	return c.route.handle(s, c)
}

// toRead waits for the turn of a request that reads: the database has few readers, which one account could keep busy with its lists.
func (s *Server) toRead(c *call) error {
	if c.route.method != http.MethodGet {
		return nil
	}
	read, err := s.capacity.reading.Await(c.r.Context(), c.key.AccountID)
	if err != nil {
		return gone(c.r.Context(), err)
	}
	c.read = read
	return nil
}

// doneReading gives the turn of a request that reads back; it may be called more than once.
func (c *call) doneReading() {
	if c.read != nil {
		c.read()
		c.read = nil
	}
}

// readsItself are the routes whose handlers take the body of the request themselves and answer once for each idempotency key;
// for every other POST that is done here.
var readsItself = func() map[string]bool {
	names := map[string]bool{"createJobs": true, "sendPeppol": true, "peppolCallback": true}
	for name := range orderings {
		names[name] = true
	}
	return names
}()

func (s *Server) admitKey(c *call) error {
	if c.route.policy.open {
		return nil
	}
	return s.authenticate(c)
}

// resolvePath checks the country and gives both segments their one spelling.
func (s *Server) resolvePath(c *call) error {
	code, ok := c.variable("countryCode")
	if !ok {
		return nil
	}
	country, err := s.Operations.Lookup(clip(code))
	if err != nil {
		return err
	}
	token, ok := c.variable("format")
	c.country, c.format = strings.ToLower(country.Code), strings.ToLower(token)
	if ok && !country.Has(c.format) {
		return unknownFormat(c.format, &country)
	}
	return nil
}

// variable gives a segment of the path, decoded.
func (c *call) variable(name string) (string, bool) {
	raw, ok := mux.Vars(c.r)[name]
	if decoded, err := url.PathUnescape(raw); err == nil {
		raw = decoded
	}
	return raw, ok
}

// unknownFormat is the 400 of a token that is not one of the country's. Whether one that is can be generated or parsed today is for the
// operation to say.
func unknownFormat(token string, country *format.Country) error {
	return &finding.Refusal{
		Kind: finding.BadRequest, Field: "format",
		Message: fmt.Sprintf("format: %q is not a format of %s; its formats are %s", clip(token), country.Name, strings.Join(country.All(), ", ")),
	}
}

func (s *Server) authorise(c *call) error {
	switch p := c.route.policy; {
	case p.need != nil:
		return require(c.key, p.need(c))
	case p.some != nil:
		return requireSome(c.key, p.some(c))
	}
	return nil
}

// send writes the answer, or the refusal that err is. A failure of the service after the request's context has ended is told
// as what ended that, which is its cause. To a client that has left nothing is sent: http.ErrAbortHandler has net/http drop
// the connection without an answer.
func (s *Server) send(w http.ResponseWriter, r *http.Request, a *answer, err error) {
	if err == nil {
		writeAnswer(w, a, s.cfg.WriteStall)
		return
	}
	p := problemOf(err)
	switch cause := context.Cause(r.Context()); {
	case cause == nil || p.status < http.StatusInternalServerError:
	case p.status == http.StatusServiceUnavailable && errors.Is(cause, errStopping): // it says more
	case errors.Is(cause, errStopping):
		p = problemOf(errStopping)
	default:
		p = problemOf(errClientGone)
	}
	x := exchangeOf(r.Context())
	x.code, x.cause = p.code(), privateCause(err)
	if p.status == statusClientGone {
		x.status = p.status
		panic(http.ErrAbortHandler)
	}
	writeAnswer(w, refusalAnswer(p), s.cfg.WriteStall)
}

// failing answers every request with the error that why gives.
func (s *Server) failing(why func(*http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.send(w, r, nil, why(r)) })
}

var errNoEndpoint = &finding.Refusal{Kind: finding.NotFound, Message: "Endpoint does not exist"}

// notAllowed is the 405 with the methods that the path has.
func notAllowed(m *mux.Router, r *http.Request) error {
	var allowed []string
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPatch, http.MethodPost, http.MethodPut} {
		probe := &http.Request{Method: method, URL: r.URL, Host: r.Host, Header: http.Header{}}
		var match mux.RouteMatch
		if m.Match(probe, &match) && match.MatchErr == nil {
			allowed = append(allowed, method)
		}
	}
	list := strings.Join(allowed, ", ")
	p := newProblem(http.StatusMethodNotAllowed, fmt.Sprintf("Method %s is not allowed here; allowed: %s", clip(r.Method), list))
	return p.with("Allow", list)
}

// clip makes a piece of a request fit for a message.
func clip(s string) string {
	const most = 64
	if s = strings.ToValidUTF8(s, "\uFFFD"); len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
