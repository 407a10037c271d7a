package command

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/api"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/scheduler"
	storage "github.com/einvoiced/einvoiced/storage/peppol"
	"github.com/einvoiced/einvoiced/storage/seal"
	"github.com/einvoiced/einvoiced/worker/outbound"
	"github.com/einvoiced/einvoiced/worker/peppol"
)

// peppolFlags say what of the Peppol network is asked, and whom it is believed.
type peppolFlags struct {
	PeppolSML   string `name:"peppol-sml" env:"EINVOICED_PEPPOL_SML" placeholder:"ZONE" help:"DNS zone of the Peppol SML in which recipients are looked up, such as edelivery.tech.ec.europa.eu; by default nobody is looked up."`
	PeppolDNS   string `name:"peppol-dns" env:"EINVOICED_PEPPOL_DNS" placeholder:"HOST:PORT" help:"Name server for that zone; by default the first of the machine."`
	PeppolTrust string `name:"peppol-trust" env:"EINVOICED_PEPPOL_TRUST" placeholder:"FILE" help:"Certificates (PEM) that those of service metadata publishers must lead to; needed with --peppol-sml."`
	PeppolCA    string `name:"peppol-ca" env:"EINVOICED_PEPPOL_CA" placeholder:"FILE" help:"Further certificate authorities (PEM) for the HTTPS of providers and publishers, such as those of einvoiced lab."`
}

// network is everything that sends through Peppol.
type network struct {
	store      *storage.Store
	client     *outbound.Client
	recipients peppol.Recipients // nil where no SML is configured
}

// openPeppol builds the parts on the stores of the daemon.
func (h *daemon) openPeppol(sealer *seal.Sealer) (*network, error) {
	f, n := &h.settings.peppolFlags, &network{}
	var err error
	if n.store, err = storage.New(storage.Config{Retention: h.settings.Retention, Publisher: h.webhooks.store, Queue: h.queue, Object: api.TransmissionObject}, h.database, h.blobs, sealer); err != nil {
		return nil, err
	}
	authorities, err := f.authorities()
	if err != nil {
		return nil, err
	}
	n.client, err = outbound.New(outbound.Config{Allow: h.settings.AllowNetwork, Proxy: h.settings.Proxy, RootCAs: authorities, Listeners: h.webhooks.listeners,
		Timeout: peppol.Timeout, Logger: h.log})
	if err != nil {
		return nil, err
	}
	n.recipients, err = f.recipients(n.client)
	return n, err
}

// recipients asks SML and SMP as the settings say; nil where no SML is configured. What the settings name is looked at all the same, so that a mistake is told at the start.
func (f *peppolFlags) recipients(client *outbound.Client) (peppol.Recipients, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if f.PeppolTrust != "" {
		if _, err := certificatesIn(f.PeppolTrust, roots); err != nil {
			return nil, &failure{code: exitUsage, cause: err, hint: "--peppol-trust (EINVOICED_PEPPOL_TRUST) names a file with the certificates that publishers' lead to"}
		}
	}
	if f.PeppolSML == "" {
		return nil, nil
	}
	n, err := peppol.NewNetwork(peppol.NetworkConfig{Zone: f.PeppolSML, DNS: f.PeppolDNS, Roots: roots}, client)
	if err != nil {
		return nil, &failure{code: exitUsage, cause: err, hint: "--peppol-dns (EINVOICED_PEPPOL_DNS) names the server that is asked for --peppol-sml (EINVOICED_PEPPOL_SML)"}
	}
	return n, nil
}

// check looks at zone and name server, which take no file.
func (f *peppolFlags) check() error {
	if f.PeppolSML != "" {
		err, hint := peppol.CheckZone(f.PeppolSML), "--peppol-sml (EINVOICED_PEPPOL_SML) takes a DNS zone, such as edelivery.tech.ec.europa.eu"
		if err == nil && f.PeppolTrust == "" {
			err, hint = errors.New("look-up: nobody is trusted"), "--peppol-sml (EINVOICED_PEPPOL_SML) needs --peppol-trust (EINVOICED_PEPPOL_TRUST), a file with the certificates that publishers' lead to"
		}
		if err != nil {
			return &failure{code: exitUsage, cause: err, hint: hint}
		}
	}
	if f.PeppolDNS == "" {
		return nil
	}
	if err := peppol.CheckNameServer(f.PeppolDNS); err != nil {
		return &failure{code: exitUsage, cause: err, hint: "--peppol-dns (EINVOICED_PEPPOL_DNS) takes host:port"}
	}
	return nil
}

// authorities are those of the machine and those of the file; nil for those of the machine alone.
func (f *peppolFlags) authorities() (*x509.CertPool, error) {
	if f.PeppolCA == "" {
		return nil, nil
	}
	pool, err := moreAuthorities(f.PeppolCA)
	if err != nil {
		return nil, &failure{code: exitUsage, cause: err, hint: "--peppol-ca (EINVOICED_PEPPOL_CA) names a file with certificates in PEM"}
	}
	return pool, nil
}

// moreAuthorities are those of the machine and those of a file in PEM.
func moreAuthorities(file string) (*x509.CertPool, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	return certificatesIn(file, pool)
}

// certificatesIn adds the certificates of a file in PEM.
func certificatesIn(file string, pool *x509.CertPool) (*x509.CertPool, error) {
	data, err := os.ReadFile(file)
	if err == nil && !pool.AppendCertsFromPEM(data) {
		err = errors.New("there is no certificate in PEM in it")
	}
	if err != nil {
		return nil, fmt.Errorf("read certificates from %q: %w", file, err)
	}
	return pool, nil
}

// sender hands documents over to the providers that accounts have configured.
func (n *network) sender() kinds.Sender { return n.provider() }

func (n *network) provider() *peppol.Provider {
	return peppol.NewProvider(n.client, n.store, n.recipients)
}

// routes is what the routes of Peppol stand on. The runner prepares what is to be sent.
func (n *network) routes(runner job.Runner) api.Peppol {
	p := api.Peppol{Transmissions: n.store, CheckURL: n.client.Check,
		Prepare: func(ctx context.Context, req kinds.SendRequest) (*kinds.Prepared, error) {
			return kinds.PrepareBy(ctx, runner, req)
		}}
	if n.recipients != nil {
		p.LookUp = func(ctx context.Context, who core.Participant) (core.Entry, error) {
			ctx, cancel := context.WithTimeout(ctx, lookUpTime)
			defer cancel()
			return n.recipients.LookUp(ctx, who)
		}
	}
	return p
}

// lookUpTime is how long a client waits for a look-up.
const lookUpTime = 20 * time.Second

// chores is what the scheduler does for transmissions.
func (n *network) chores() []scheduler.Chore {
	return scheduler.Peppol(n.store, func(ctx context.Context) error { return n.provider().Follow(ctx, n.store) })
}
