package peppol

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	core "github.com/einvoiced/einvoiced/core/peppol"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

// NetworkConfig sets up a Network.
type NetworkConfig struct {
	Zone  string           // of the SML, e.g. edelivery.tech.ec.europa.eu; required
	DNS   string           // host:port of the name server that is asked. Default: the first of the machine.
	Roots *x509.CertPool   // who may issue the certificates of service metadata publishers; required
	Now   func() time.Time // Default: time.Now.
	Known time.Duration    // how long an answer is remembered. Default: 10 min; that there is none for a minute at most.
	Most  int              // answers that are remembered. Default: 10,000.
}

// Network asks SML and SMP. It is safe for concurrent use.
type Network struct {
	cfg       NetworkConfig
	client    Client
	names     *names
	addresses cache[string]        // of SMPs, by participant
	answers   cache[core.Metadata] // by participant and document type
}

var _ Recipients = (*Network)(nil)

// NewNetwork prepares a Network.
func NewNetwork(cfg NetworkConfig, client Client) (*Network, error) {
	if cfg.Zone == "" || cfg.Roots == nil || client == nil {
		return nil, errors.New("look-up: zone, roots and client are required")
	}
	if err := CheckZone(cfg.Zone); err != nil {
		return nil, err
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Known, cfg.Most = cmp.Or(cfg.Known, 10*time.Minute), cmp.Or(cfg.Most, 10_000)
	names, err := newNames(cfg.DNS)
	if err != nil {
		return nil, err
	}
	n := &Network{cfg: cfg, client: client, names: names}
	n.addresses.limit(cfg)
	n.answers.limit(cfg)
	return n, nil
}

// mostMetadata is the most bytes of an answer of an SMP.
const mostMetadata = 1 << 20

// LookUp implements Recipients.
func (n *Network) LookUp(ctx context.Context, p core.Participant) (core.Entry, error) {
	smp, err := n.address(ctx, p)
	if err != nil {
		return core.Entry{}, err
	}
	data, err := n.get(ctx, smp+core.GroupPath(p))
	if err != nil {
		return core.Entry{}, err
	}
	types, err := core.ParseGroup(data)
	return core.Entry{SMP: smp, DocumentTypes: types}, err
}

// Takes implements Recipients.
func (n *Network) Takes(ctx context.Context, p core.Participant, d core.DocumentType, process core.Process) error {
	key := strings.ToLower(p.String()) + " " + d.URI()
	m, err := n.answers.get(key, func() (core.Metadata, error) {
		smp, err := n.address(ctx, p)
		if err != nil {
			return core.Metadata{}, err
		}
		return n.metadata(ctx, smp+core.MetadataPath(p, d))
	})
	if err != nil {
		return err
	}
	return m.Takes(p, d, process, n.cfg.Now())
}

// metadata asks for one document type, and follows one redirection to another SMP.
func (n *Network) metadata(ctx context.Context, address string) (m core.Metadata, err error) {
	for range 2 {
		data, err := n.get(ctx, address)
		if err != nil {
			return m, err
		}
		signed, err := core.CheckSignature(data, n.cfg.Roots, n.cfg.Now())
		if err != nil {
			return m, err
		}
		if m, err = core.ParseMetadata(signed); err != nil || m.Redirect == "" {
			return m, err
		}
		address = m.Redirect
	}
	return m, fmt.Errorf("%w: it redirects more than once", core.ErrMetadata)
}

// address is that of the participant's SMP, without a slash at its end.
func (n *Network) address(ctx context.Context, p core.Participant) (string, error) {
	return n.addresses.get(strings.ToLower(p.String()), func() (string, error) {
		address, err := n.names.find(ctx, p, n.cfg.Zone)
		return strings.TrimRight(address, "/"), err
	})
}

// get asks an SMP. 404 means that it does not know the participant, or not this document type.
func (n *Network) get(ctx context.Context, address string) ([]byte, error) {
	res, err := n.client.GetWith(ctx, address, nil, mostMetadata)
	if f, ok := errors.AsType[*outbound.Failure](err); ok && f.Reason == outbound.ReasonScheme {
		if secure, ok := overTLS(address); ok {
			res, err = n.client.GetWith(ctx, secure, nil, mostMetadata)
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("ask the service metadata publisher: %w", err)
	case res.Status == 404:
		return nil, fmt.Errorf("the recipient %w with this document type", core.ErrUnregistered)
	case res.Status != 200:
		return nil, fmt.Errorf("%w: its status is %d", core.ErrMetadata, res.Status)
	case res.Cut:
		return nil, fmt.Errorf("%w: it has more than %d bytes", core.ErrMetadata, mostMetadata)
	}
	return res.Body, nil
}

// overTLS is the same address over https: older entries of the SML name http, which is not asked.
func overTLS(address string) (string, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" || u.Port() != "" {
		return "", false
	}
	u.Scheme = "https"
	return u.String(), true
}
