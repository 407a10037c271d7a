package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/einvoiced/einvoiced/api"
)

// How long a stop may take: together less than the 30 s that supervisors usually grant.
const (
	drainHTTP = 10 * time.Second // for requests that are being answered
	drainJobs = 15 * time.Second // for jobs that are being done; the others are taken up after the next start
)

// serve runs the rooms until ctx ends, then stops in order: readiness, requests, jobs, stores.
func serve(ctx context.Context, m *Main, s settings, r rooms) error {
	if err := errors.Join(s.check(r), r.check(&s.storeFlags)); err != nil {
		return err
	}
	s.self, s.program = m.Self, m.Self
	log := newLog(m.Stderr, s.LogLevel)
	reloads, stop := hangups()
	defer stop()
	daemon, err := openDaemon(ctx, s, r, log)
	if err != nil {
		return err
	}
	defer daemon.close()
	servers, err := listen(daemon)
	if err != nil {
		return err
	}
	if err := daemon.webhooks.listen(servers.api.address(), servers.admin.address()); err != nil {
		return errors.Join(err, servers.close())
	}
	if err := daemon.welcome(ctx, m, servers.api.address()); err != nil {
		return errors.Join(err, servers.close())
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	forgetStart()
	defer runtime.KeepAlive(floorHeap(r))
	daemon.lowerPriority()
	daemon.start(fail, reloads)
	servers.start(fail)
	daemon.announce(servers)
	if m.Started != nil {
		m.Started(servers.api.address(), servers.admin.address())
	}
	<-ctx.Done()
	return errors.Join(daemon.shutdown(servers), broken(ctx))
}

// forgetStart gives the memory back that only the start needed: the migrations of the database keep 24 MB of buffers in a pool, which two
// collections empty.
func forgetStart() {
	runtime.GC()
	debug.FreeOSMemory()
}

// announce logs what runs where.
func (h *daemon) announce(servers *servers) {
	admin := servers.admin.address()
	h.log.Info("serving", "rooms", h.rooms.String(), "address", servers.api.address(), "admin", admin, "data", h.settings.Data, "version", h.version.Version,
		"rulebooks", len(h.rulebooks.Current().Books()), "generation", h.rulebooks.Current().Number)
	if admin != "" && !loopback(admin) {
		h.log.Warn("metrics and profiles can be reached from other machines, without authentication", "admin", admin)
	}
}

// broken gives what ended ctx, unless it was the caller.
func broken(ctx context.Context) error {
	cause := context.Cause(ctx)
	if _, told := errors.AsType[signalled](cause); told || errors.Is(cause, context.Canceled) {
		return nil
	}
	return cause
}

// shutdown ends the service in its order; the stores are closed after it.
func (h *daemon) shutdown(servers *servers) error {
	h.log.Info("stopping")
	if h.api != nil {
		h.api.Drain()
		ctx, cancel := context.WithTimeout(context.Background(), drainHTTP)
		defer cancel()
		if err := servers.api.shutdown(ctx); err != nil { // nothing was promised to them
			h.log.Warn("connections were closed before their requests had ended", "error", err)
		}
	}
	h.stop()
	return servers.close()
}

// newLog writes lines of JSON.
func newLog(w io.Writer, level string) *slog.Logger {
	var least slog.Level
	_ = least.UnmarshalText([]byte(level)) // the command line allows valid ones only
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: least}))
}

// servers are the two listeners; one that is off is the zero server.
type servers struct{ api, admin *server }

// listen opens the addresses of a process, so that a taken one is reported before anything is promised.
func listen(h *daemon) (*servers, error) {
	s := &servers{api: &server{}, admin: &server{}}
	var err error
	if h.api != nil {
		if s.api, err = newServer(h.settings.Listen, h.api, h.log, "--listen (EINVOICED_LISTEN)"); err != nil {
			return nil, err
		}
	}
	if h.settings.AdminListen == "off" {
		return s, nil
	}
	if s.admin, err = newServer(h.settings.AdminListen, adminHandler(h), h.log, "--admin-listen (EINVOICED_ADMIN_LISTEN)"); err != nil {
		return nil, errors.Join(err, s.api.close())
	}
	return s, nil
}

func (s *servers) start(fail context.CancelCauseFunc) {
	s.api.start(fail)
	s.admin.start(fail)
}

func (s *servers) close() error { return errors.Join(s.api.close(), s.admin.close()) }

// server is one listener with its HTTP server; the zero server is off.
type server struct {
	listener net.Listener
	http     *http.Server
}

func newServer(address string, h http.Handler, log *slog.Logger, flag string) (*server, error) {
	if address == "" { // which would be every address of the machine, at a port by chance
		return nil, &failure{code: exitUsage, cause: fmt.Errorf("%s is empty: expected an address such as 127.0.0.1:8080", flag)}
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, &failure{code: exitInternal, cause: err, hint: "choose another address with " + flag}
	}
	return &server{api.Listener(l), api.HTTPServer(h, log)}, nil
}

func (s *server) address() string {
	if s.listener == nil {
		return ""
	}
	return s.listener.Addr().String()
}

func (s *server) start(fail context.CancelCauseFunc) {
	if s.listener == nil {
		return
	}
	go func() {
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			fail(fmt.Errorf("serve %s: %w", s.listener.Addr(), err))
		}
	}()
}

// shutdown lets requests finish until ctx ends.
func (s *server) shutdown(ctx context.Context) error {
	if err := s.http.Shutdown(ctx); err != nil {
		return fmt.Errorf("drain requests: %w", errors.Join(err, s.http.Close()))
	}
	return nil
}

func (s *server) close() error {
	if s.listener == nil {
		return nil
	}
	err := s.http.Close()
	if closed := s.listener.Close(); !errors.Is(closed, net.ErrClosed) {
		err = errors.Join(err, closed)
	}
	return err
}
