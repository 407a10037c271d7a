package api

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/operation"
)

// formats is GET /api/v1/invoice/formats.
func (s *Server) formats(c *call) (*answer, error) {
	return jsonAnswer(http.StatusOK, struct {
		Countries []operation.Country `json:"countries"`
	}{s.Operations.Countries(c.r.Context())}), nil
}

// countryFormats is GET /api/v1/invoice/{countryCode}/formats.
func (s *Server) countryFormats(c *call) (*answer, error) {
	country, err := s.Operations.Country(c.r.Context(), c.country)
	if err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, country), nil
}

// version is GET /api/v1/version.
func (s *Server) version(*call) (*answer, error) { return jsonAnswer(http.StatusOK, s.Version), nil }

// status is the answer of the health routes.
type status struct {
	Status string            `json:"status"` // ok
	Checks map[string]string `json:"checks,omitzero"`
}

// health is GET /healthz: the process is alive and serves.
func (s *Server) health(*call) (*answer, error) {
	return jsonAnswer(http.StatusOK, status{Status: "ok"}), nil
}

// readiness is GET /readyz: requests may be sent here. Each condition that fails is an entry of errors[], whose public
// message is only its name; the reason is for the log. One that the service can do without is told as degraded.
func (s *Server) readiness(c *call) (*answer, error) {
	select {
	case <-s.draining:
		return nil, &finding.Refusal{Kind: finding.Unavailable, Message: "The service is shutting down"}
	default:
	}
	passed := status{Status: "ok", Checks: map[string]string{}}
	refusal := &finding.Refusal{Kind: finding.Unavailable, Message: "The service is not ready"}
	var causes []error
	found := s.ask(c.r.Context())
	for i, check := range s.Ready {
		switch err := found[i]; {
		case err == nil:
			passed.Checks[check.Name] = "ok"
		case check.Serves:
			passed.Checks[check.Name] = "degraded"
		default:
			refusal.Errors = append(refusal.Errors, finding.Finding{Code: "NOT_READY", Message: check.Name + " is not ready", Field: check.Name})
			causes = append(causes, err)
		}
	}
	if refusal.Cause = errors.Join(causes...); refusal.Cause != nil {
		return nil, refusal
	}
	return jsonAnswer(http.StatusOK, passed), nil
}

// readyWithin is how long a condition may take to answer.
const readyWithin = 1500 * time.Millisecond

// ask asks all conditions of readiness beside each other.
func (s *Server) ask(ctx context.Context) []error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	found := make([]error, len(s.Ready))
	var asking sync.WaitGroup
	for i, check := range s.Ready {
		asking.Go(func() { found[i] = check.Err(ctx) })
	}
	asking.Wait()
	return found
}
