package command

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/einvoiced/einvoiced/scheduler"
	"github.com/einvoiced/einvoiced/storage/queue"
	"github.com/einvoiced/einvoiced/storage/queue/names"
	"github.com/einvoiced/einvoiced/storage/seal"
	"github.com/einvoiced/einvoiced/storage/webhook"
	"github.com/einvoiced/einvoiced/worker/deliver"
	"github.com/einvoiced/einvoiced/worker/mail"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

// webhookFlags say what webhooks may reach and where mail is handed in.
type webhookFlags struct {
	AllowNetwork []string `env:"EINVOICED_ALLOW_NETWORK" placeholder:"PLACE" help:"What requests to the outside may reach beyond https on port 443 of the public internet: a network (10.0.0.0/8), an address, host:port, or http://127.0.0.1:PORT for trials. May be repeated."`
	Proxy        string   `env:"EINVOICED_PROXY" placeholder:"URL" help:"HTTP proxy for requests to the outside: http://host:port. HTTPS_PROXY and its like are not looked at."`
	SMTP         string   `name:"smtp" env:"EINVOICED_SMTP" placeholder:"URL" help:"Where mail is handed in: smtp://user:password@host:587?from=einvoiced@example.com, or smtps://…:465. Without it, what would be mailed is a line of the log."`
}

// webhooks is everything that sends events.
type webhooks struct {
	store     *webhook.Store
	client    *outbound.Client
	deliverer *deliver.Deliverer
	notifier  *mail.Notifier
	listening atomic.Pointer[[]netip.AddrPort] // the service's own addresses
}

// openWebhooks builds the parts on the stores and accounts of the daemon.
func (h *daemon) openWebhooks(sealer *seal.Sealer) (*webhooks, error) {
	f, log, w := &h.settings.webhookFlags, h.log, &webhooks{}
	var err error
	// How many deliveries go to a host is bounded by the places of the deliverer, and there by account.
	cfg := outbound.Config{Allow: f.AllowNetwork, Proxy: f.Proxy, Listeners: w.listeners, PerHost: outbound.NoLimit, Logger: log}
	if w.client, err = outbound.New(cfg); err != nil {
		hint := "--allow-network (EINVOICED_ALLOW_NETWORK) takes 10.0.0.0/8, 10.1.2.3, host:port or http://127.0.0.1:PORT; --proxy (EINVOICED_PROXY) takes http://host:port"
		return nil, &failure{code: exitUsage, cause: err, hint: hint}
	}
	mailer, err := mail.New(mail.Config{SMTP: f.SMTP})
	if err != nil {
		return nil, &failure{code: exitUsage, cause: err, hint: "--smtp (EINVOICED_SMTP) takes smtp://user:password@host:587?from=einvoiced@example.com"}
	}
	if w.store, err = webhook.New(webhook.Config{Retention: h.settings.Retention, Stored: h.stored, Logger: log}, h.database, sealer, h.queue, w.client); err != nil {
		return nil, err
	}
	if w.deliverer, err = deliver.New(deliver.Config{UserAgent: "einvoiced/" + h.version.Version, Logger: log}, w.store, w.client); err != nil {
		return nil, err
	}
	w.notifier = mail.NewNotifier(mailer, w.store, func(ctx context.Context, accountID string) (string, error) {
		a, err := h.accounts.Get(ctx, accountID)
		return a.NotificationEmail, err
	}, log)
	return w, nil
}

// listen notes the addresses that the service itself listens on; requests to them are refused.
func (w *webhooks) listen(addresses ...string) error {
	var list []netip.AddrPort
	var errs []error
	for _, a := range addresses {
		if a == "" {
			continue
		}
		parsed, err := netip.ParseAddrPort(a)
		if err != nil {
			errs = append(errs, fmt.Errorf("note own address %s: %w", a, err))
		}
		list = append(list, parsed)
	}
	w.listening.Store(&list)
	return errors.Join(errs...)
}

func (w *webhooks) listeners() []netip.AddrPort {
	if list := w.listening.Load(); list != nil {
		return *list
	}
	return nil
}

// consumer is where the queue hands deliveries to.
func (w *webhooks) consumer() queue.Consumer {
	return queue.Consumer{Queues: map[string]int{names.Webhook: 1}, Concurrency: w.deliverer.Places(), Handle: w.deliverer.Handle}
}

// chores is what the scheduler does for webhooks.
func (w *webhooks) chores() []scheduler.Chore {
	return scheduler.Webhooks(w.store, w.notifier.SendDue)
}

var (
	attemptsDesc = prometheus.NewDesc("einvoiced_webhook_attempts_total", "Attempts of deliveries, by what came of them.", []string{"outcome"}, nil)
	outboundDesc = prometheus.NewDesc("einvoiced_outbound_failures_total", "Requests to the outside that were refused or brought no answer, by reason.", []string{"reason"}, nil)
)

// Describe implements prometheus.Collector.
func (w *webhooks) Describe(descs chan<- *prometheus.Desc) {
	descs <- attemptsDesc
	descs <- outboundDesc
}

// Collect implements prometheus.Collector.
func (w *webhooks) Collect(metrics chan<- prometheus.Metric) {
	for outcome, n := range w.deliverer.Outcomes() {
		metrics <- prometheus.MustNewConstMetric(attemptsDesc, prometheus.CounterValue, float64(n), outcome)
	}
	for reason, n := range w.client.Failures() {
		metrics <- prometheus.MustNewConstMetric(outboundDesc, prometheus.CounterValue, float64(n), string(reason))
	}
}
