package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"os"
)

// Reason names why a request was not made or brought no answer. It is stable, for logs and as the label of a metric.
type Reason string

// The reasons that lie in the URL.
const (
	ReasonURL      Reason = "url"      // not a URL, too long, or with a fragment
	ReasonScheme   Reason = "scheme"   // not https
	ReasonUserinfo Reason = "userinfo" // a user name or password
	ReasonHost     Reason = "host"     // no name of the DNS with two labels, no address in its one usual form, or with a zone
	ReasonPort     Reason = "port"     // another port than 443 that the operator has not allowed
)

// The reasons that lie in an address; each is the reason of one or more rows of Classes but for the first three.
const (
	ReasonUnresolved    Reason = "unresolved" // the name has no address
	ReasonOwn           Reason = "own"        // this service's own listener, or another port of the machine that it listens on
	ReasonSpecial       Reason = "special"    // no row of ours, but of the special-purpose registries in use
	ReasonThisNetwork   Reason = "this_network"
	ReasonLoopback      Reason = "loopback"
	ReasonPrivate       Reason = "private"
	ReasonLinkLocal     Reason = "link_local"
	ReasonShared        Reason = "shared"
	ReasonProtocol      Reason = "protocol_assignment"
	ReasonDocumentation Reason = "documentation"
	ReasonBenchmark     Reason = "benchmark"
	ReasonMulticast     Reason = "multicast"
	ReasonReserved      Reason = "reserved"
	ReasonAnycast       Reason = "anycast_service"
	ReasonEmbedded      Reason = "embedded_ipv4" // an IPv6 address that stands for an IPv4 one
	ReasonDiscard       Reason = "discard"
	ReasonSiteLocal     Reason = "site_local"
	ReasonSegment       Reason = "segment_routing"
)

// The reasons that lie in what came of the connection.
const (
	ReasonTimeout  Reason = "timeout"  // no answer within the time
	ReasonTLS      Reason = "tls"      // the certificate is not valid for the host, or no common version
	ReasonConnect  Reason = "connect"  // no connection, or it broke
	ReasonRedirect Reason = "redirect" // the answer sends elsewhere; nothing is followed
	ReasonTooLarge Reason = "too_large"
	ReasonStatus   Reason = "status" // the answer of a Get is no 200
	ReasonStopped  Reason = "stopped"
)

// publicTexts say what a client may know. What is found out about addresses is one text, so that a URL cannot be used to ask what
// stands in our DNS or network.
var publicTexts = map[Reason]string{
	ReasonURL:      "must be an absolute URL of at most 2,048 characters without a fragment",
	ReasonScheme:   "must begin with https://",
	ReasonUserinfo: "must not contain a user name or a password",
	ReasonHost:     "must name a host by its full DNS name (in ASCII, without a dot at the end) or by an address in its usual form",
	ReasonPort:     "must use port 443",
	ReasonTimeout:  "did not answer in time",
	ReasonTLS:      "has no certificate that is valid for the host",
	ReasonConnect:  "could not be reached",
	ReasonRedirect: "answered with a redirect, which is not followed",
	ReasonTooLarge: "answered with more than is accepted",
	ReasonStatus:   "did not answer with 200",
	ReasonStopped:  "was not asked to the end because the service stopped",
}

// Public says in a clause what a client may know of the reason; its subject is the URL.
func (r Reason) Public() string {
	if text, ok := publicTexts[r]; ok {
		return text
	}
	return "must lead to a host on the public internet"
}

// Failure is why there is no answer. Error is for clients; the log gets reason and detail.
type Failure struct {
	Reason Reason
	Detail string // for the log alone; may name addresses
	Cause  error  // may be nil
}

// Error says what a client may know.
func (f *Failure) Error() string { return f.Reason.Public() }

// Unwrap gives the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// LogValue tells the log everything.
func (f *Failure) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("reason", string(f.Reason))}
	if f.Detail != "" {
		attrs = append(attrs, slog.String("detail", f.Detail))
	}
	if f.Cause != nil {
		attrs = append(attrs, slog.String("cause", f.Cause.Error()))
	}
	return slog.GroupValue(attrs...)
}

func refused(r Reason, detail string) *Failure { return &Failure{Reason: r, Detail: detail} }

// failureOf names what went wrong on the way.
func failureOf(ctx context.Context, err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok {
		return f
	}
	return &Failure{Reason: reasonOf(ctx, err), Cause: err}
}

func reasonOf(ctx context.Context, err error) Reason {
	var (
		unknown x509.UnknownAuthorityError
		invalid x509.CertificateInvalidError
		host    x509.HostnameError
		record  tls.RecordHeaderError
		alert   tls.AlertError
		verify  *tls.CertificateVerificationError
		network net.Error
	)
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() == context.Canceled:
		return ReasonStopped
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return ReasonTimeout
	case errors.As(err, &unknown), errors.As(err, &invalid), errors.As(err, &host), errors.As(err, &record), errors.As(err, &alert), errors.As(err, &verify):
		return ReasonTLS
	}
	return ReasonConnect
}
