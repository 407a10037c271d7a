package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/core/rulebook"
	"github.com/einvoiced/einvoiced/scheduler"
)

// adminFlag says where the service shows what operators need.
type adminFlag struct {
	AdminListen string `env:"EINVOICED_ADMIN_LISTEN" default:"127.0.0.1:8081" placeholder:"ADDR" help:"Address of metrics, profiles and the reload of rulebooks, which have no authentication: keep it local; off switches them off; default ${default}."`
}

// rulebooksReload is einvoiced rulebooks reload.
type rulebooksReload struct {
	adminFlag
	JSON bool `name:"json" help:"Print the answer of the service as one line of JSON."`
}

// reloadPath is where the admin listener takes the order to load the rulebooks anew.
const reloadPath = "/rulebooks/reload"

// reloadTime is how long a load of rulebooks may take.
const reloadTime = 5 * time.Minute

// reloadAnswer is what came of a load.
type reloadAnswer struct {
	Generation int64  `json:"generation,omitzero"` // number of the rulebooks that are in use now
	Digest     string `json:"digest,omitzero"`
	Rulebooks  int    `json:"rulebooks,omitzero"`

	Reason  rulebook.Reason `json:"reason,omitzero"`  // why those before stay in use; empty where nobody is to blame but the service
	Message string          `json:"message,omitzero"` // the same for people
}

// Run tells the running service to load its folder anew, and what came of it.
func (c *rulebooksReload) Run(m *Main, ctx context.Context) error {
	if c.AdminListen == "off" {
		return &failure{code: exitUsage, cause: errors.New("the admin listener is off"), hint: "send the process SIGHUP instead"}
	}
	answer, status, err := c.order(ctx)
	if err != nil {
		return &failure{code: exitInternal, cause: fmt.Errorf("ask the service: %w", err),
			hint: "--admin-listen (EINVOICED_ADMIN_LISTEN) is that of the running service; where it has none, send the process SIGHUP"}
	}
	if c.JSON {
		err = printJSON(m.Stdout, answer)
	} else if status == http.StatusOK {
		_, err = fmt.Fprintf(m.Stdout, "generation %d with %d rulebooks, digest %s\n", answer.Generation, answer.Rulebooks, answer.Digest)
	}
	switch {
	case err != nil || status == http.StatusOK:
		return err
	case answer.Reason != "":
		return &failure{code: exitInvalid, cause: fmt.Errorf("%s: %s", answer.Reason, answer.Message), hint: "the rulebooks before stay in use", listed: c.JSON}
	}
	return &failure{code: exitInternal, cause: fmt.Errorf("the service answers %d: %s", status, answer.Message), hint: "the log of the service tells more", listed: c.JSON}
}

// order asks the service.
func (c *rulebooksReload) order(ctx context.Context) (answer reloadAnswer, status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, reloadTime)
	defer cancel()
	status, body, err := ask(ctx, http.MethodPost, "http://"+local(c.AdminListen)+reloadPath)
	if err == nil {
		err = json.Unmarshal(body, &answer)
	}
	return answer, status, err
}

// reloader loads the rulebooks when it is asked to, over HTTP from this machine only: there is no authentication. A page in a
// browser cannot ask, because browsers tell where a page comes from.
func reloader(rulebooks *scheduler.Rulebooks) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !fromHere(r) || r.Header.Get("Origin") != "" {
			answerReload(w, http.StatusForbidden, reloadAnswer{Message: "only a command on this machine may reload rulebooks"})
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), reloadTime)
		defer cancel()
		switch g, err := rulebooks.Reload(ctx); {
		case err == nil:
			answerReload(w, http.StatusOK, reloadAnswer{Generation: g.Number, Digest: g.Digest, Rulebooks: len(g.Books())})
		case rulebook.ReasonOf(err) != "":
			answerReload(w, http.StatusUnprocessableEntity, reloadAnswer{Reason: rulebook.ReasonOf(err), Message: err.Error()})
		default:
			answerReload(w, http.StatusInternalServerError, reloadAnswer{Message: err.Error()})
		}
	}
}

// fromHere tells whether a request comes from this machine: from a loopback address, or from the one that it was sent to.
func fromHere(r *http.Request) bool {
	if loopback(r.RemoteAddr) {
		return true
	}
	to, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	from, _, errFrom := net.SplitHostPort(r.RemoteAddr)
	here, _, errHere := net.SplitHostPort(to.String())
	return errFrom == nil && errHere == nil && from == here
}

func answerReload(w http.ResponseWriter, status int, answer reloadAnswer) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = printJSON(w, answer) // who does not wait for the answer does not get it
}

// hangups are the orders to reload that come as a signal.
func hangups() (signals <-chan os.Signal, stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGHUP)
	return c, func() { signal.Stop(c) }
}

// reloadOn reloads at each signal until ctx ends. What comes of it is logged by Rulebooks.
func reloadOn(ctx context.Context, signals <-chan os.Signal, rulebooks *scheduler.Rulebooks) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			_, _ = rulebooks.Reload(ctx)
		}
	}
}
