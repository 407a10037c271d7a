package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"einvoiced/api"
)

// serveCommand is einvoiced serve.
type serveCommand struct {
	Listen   string `env:"EINVOICED_LISTEN" default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address of the API; default ${default}."`
	LogLevel string `env:"EINVOICED_LOG_LEVEL" enum:"debug,info,warn,error" default:"info" help:"Least level of the log on standard error: debug, info, warn or error; default ${default}."`
	adminFlag
	dataFlag
	webhookFlags
	rulebooksFlag
	operationFlags
}

// How long a stop may take: together less than the 30 s that supervisors usually grant.
const (
	drainHTTP = 10 * time.Second // for requests that are being answered
	drainJobs = 15 * time.Second // for jobs that are being done; the others are taken up after the next start
)

// Run serves until ctx ends, then stops in order: readiness, requests, jobs, stores.
func (c *serveCommand) Run(m *Main, ctx context.Context) error {
	log := newLog(m.Stderr, c.LogLevel)
	reloads, stop := hangups()
	defer stop()
	house, err := openHouse(ctx, c, log)
	if err != nil {
		return err
	}
	defer house.close(log)
	servers, err := c.listen(house, log)
	if err != nil {
		return err
	}
	if err := c.welcome(ctx, m, house, servers.api.address()); err != nil {
		return errors.Join(err, servers.close())
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	if err := house.webhooks.listen(servers.api.address(), servers.admin.address()); err != nil {
		return errors.Join(err, servers.close())
	}
	house.start(fail, reloads)
	servers.start(fail)
	log.Info("serving", "address", servers.api.address(), "admin", servers.admin.address(), "data", c.Data, "version", house.version.Version,
		"rulebooks", len(house.rulebooks.Current().Books()), "generation", house.rulebooks.Current().Number)
	if admin := servers.admin.address(); admin != "" && !loopback(admin) {
		log.Warn("metrics and profiles can be reached from other machines, without authentication", "admin", admin)
	}
	if m.Started != nil {
		m.Started(servers.api.address(), servers.admin.address())
	}
	<-ctx.Done()
	return errors.Join(c.stop(house, servers, log), broken(ctx))
}

// broken gives what ended ctx, unless it was the caller.
func broken(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil
}

// stop ends the service in its order; the stores are closed after it.
func (c *serveCommand) stop(house *house, servers *servers, log *slog.Logger) error {
	log.Info("stopping")
	house.api.Drain()
	ctx, cancel := context.WithTimeout(context.Background(), drainHTTP)
	defer cancel()
	err := servers.api.shutdown(ctx)
	house.stop()
	return errors.Join(err, servers.close())
}

// newLog writes lines of JSON.
func newLog(w io.Writer, level string) *slog.Logger {
	var least slog.Level
	_ = least.UnmarshalText([]byte(level)) // the command line allows valid ones only
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: least}))
}

// servers are the two listeners.
type servers struct{ api, admin *server }

// listen opens both addresses, so that a taken one is reported before anything is promised.
func (c *serveCommand) listen(house *house, log *slog.Logger) (*servers, error) {
	public, err := newServer(c.Listen, house.api, log, "--listen (EINVOICED_LISTEN)")
	if err != nil {
		return nil, err
	}
	s := &servers{api: public, admin: &server{}}
	if c.AdminListen == "off" {
		return s, nil
	}
	if s.admin, err = newServer(c.AdminListen, adminHandler(house.registry, house.follow), log, "--admin-listen (EINVOICED_ADMIN_LISTEN)"); err != nil {
		return nil, errors.Join(err, public.close())
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
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, &failure{code: exitInternal, cause: err, hint: "choose another address with " + flag}
	}
	return &server{l, api.HTTPServer(h, log)}, nil
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
