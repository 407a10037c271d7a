package command

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"

	"github.com/prometheus/client_golang/prometheus"

	core "github.com/einvoiced/einvoiced/core/verifactu"

	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/kinds"
	"github.com/einvoiced/einvoiced/scheduler"
	"github.com/einvoiced/einvoiced/storage/chain"
	"github.com/einvoiced/einvoiced/worker/outbound"
	"github.com/einvoiced/einvoiced/worker/verifactu"
)

// taxOffice is what sends VeriFactu records.
type taxOffice struct {
	chains    *chain.Store
	installed *core.Installation // nil where none is configured
	client    *outbound.Client   // nil in processes that do no jobs, and where nothing is sent
	office    *verifactu.Office  // the same
}

// openTaxOffice builds the parts. The certificate is read where jobs are done, and nowhere else.
func (h *daemon) openTaxOffice() (*taxOffice, error) {
	t := &taxOffice{chains: chain.New(nil, h.database), installed: h.settings.installed}
	if !t.installed.Sends(true) || !h.rooms.worker {
		return t, nil
	}
	at := t.installed.TaxOffice
	certificate, err := clientCertificate(at)
	if err != nil {
		return nil, verifactuFailure(err)
	}
	var authorities *x509.CertPool
	if at.Authorities != "" {
		if authorities, err = moreAuthorities(at.Authorities); err != nil {
			return nil, verifactuFailure(err)
		}
	}
	t.client, err = outbound.New(outbound.Config{Allow: h.settings.AllowNetwork, Proxy: h.settings.Proxy, RootCAs: authorities, Certs: []tls.Certificate{certificate},
		Listeners: h.webhooks.listeners, Timeout: verifactu.Timeout, Logger: h.log})
	if err != nil {
		return nil, err
	}
	t.office = verifactu.New(t.client, at, h.log)
	h.registry.MustRegister(t)
	return t, nil
}

// clientCertificate reads the certificate with its key.
func clientCertificate(at core.TaxOffice) (certificate tls.Certificate, err error) {
	public, err := readFile(at.Certificate, mostSetting)
	if err != nil {
		return certificate, fmt.Errorf("read taxOffice.certificate: %w", err)
	}
	private := public
	if at.Key != "" {
		if private, err = readFile(at.Key, mostSetting); err != nil {
			return certificate, fmt.Errorf("read taxOffice.key: %w", err)
		}
	}
	if certificate, err = tls.X509KeyPair(public, private); err != nil {
		return certificate, fmt.Errorf("read the certificate for the tax office: %w", err)
	}
	return certificate, nil
}

// kind is the kind of jobs that send.
func (t *taxOffice) kind() job.Kind {
	if t.office == nil {
		return kinds.Submit(t.chains, nil)
	}
	return kinds.Submit(t.chains, t.office)
}

// chores is what the scheduler does; nothing where nothing is sent.
func (t *taxOffice) chores(jobs kinds.Accepter) []scheduler.Chore {
	if !t.installed.Sends(true) {
		return nil
	}
	submissions := kinds.Submissions{Chains: t.chains, Jobs: jobs}
	return scheduler.VeriFactu(submissions.Order)
}

var submittedDesc = prometheus.NewDesc("einvoiced_verifactu_records_total", "Records sent to the tax office, by what came of them; failed are those of submissions without an answer.", []string{"outcome"}, nil)

// Describe implements prometheus.Collector.
func (t *taxOffice) Describe(descs chan<- *prometheus.Desc) { descs <- submittedDesc }

// Collect implements prometheus.Collector.
func (t *taxOffice) Collect(metrics chan<- prometheus.Metric) {
	for outcome, n := range t.office.Counts() {
		metrics <- prometheus.MustNewConstMetric(submittedDesc, prometheus.CounterValue, float64(n), outcome)
	}
}
