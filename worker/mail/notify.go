package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/einvoiced/einvoiced/storage/webhook"
)

// Owed keeps the mail that is owed; *webhook.Store does.
type Owed interface {
	DueMails(ctx context.Context, limit int) ([]webhook.Mail, error)
	MailSent(ctx context.Context, m webhook.Mail) error
}

var _ Owed = (*webhook.Store)(nil)

// Notifier sends the mail that is owed: each once, or once more where the process dies between sending it and noting so; then both
// have the same Message-ID.
type Notifier struct {
	mailer  *Mailer
	owed    Owed
	address func(ctx context.Context, accountID string) (string, error)
	log     *slog.Logger
}

// NewNotifier prepares a Notifier. address gives where an account wants to be told; empty where it does not.
func NewNotifier(mailer *Mailer, owed Owed, address func(ctx context.Context, accountID string) (string, error), log *slog.Logger) *Notifier {
	return &Notifier{mailer, owed, address, log}
}

// page is how many mails are taken on at a time; with the time limit of each, they are sent before they are due again.
const page = 2

// SendDue sends what is owed, page by page. It is a chore of the scheduler. The error joins those of single mails, which are due again
// later.
func (n *Notifier) SendDue(ctx context.Context) error {
	var errs []error
	for ctx.Err() == nil {
		mails, err := n.owed.DueMails(ctx, page)
		if err != nil || len(mails) == 0 {
			return errors.Join(append(errs, err)...)
		}
		for _, m := range mails {
			errs = append(errs, n.send(ctx, m))
		}
	}
	return errors.Join(append(errs, ctx.Err())...)
}

// send tells the log, and the account where it can be told.
func (n *Notifier) send(ctx context.Context, m webhook.Mail) error {
	to, err := n.address(ctx, m.Account)
	if err != nil {
		return fmt.Errorf("find address of account %s: %w", m.Account, err)
	}
	told := "by mail"
	switch {
	case !n.mailer.Enabled():
		told = "nobody: there is no mail server"
	case to == "":
		told = "nobody: the account has no notification address"
	default:
		err = n.mailer.Send(ctx, messageOf(m, to))
	}
	if errors.Is(err, ErrRecipient) {
		told, err = "nobody: the account's notification address is none", nil
	}
	if err != nil {
		return err
	}
	n.log.Warn("webhook delivery failed", "delivery_id", m.Delivery, "webhook_id", m.Endpoint, "account_id", m.Account, "mode", m.Mode,
		"event", m.Event, "attempts", m.Attempts, "outcome", m.Outcome, "told", told)
	return n.owed.MailSent(ctx, m)
}

// messageOf writes the mail.
func messageOf(m webhook.Mail, to string) Message {
	text := fmt.Sprintf(`A webhook of your account did not take an event.

Webhook:      %s (%s mode)
URL:          %s
Event:        %s
Delivery:     %s
Attempts:     %d, the last on %s
Last outcome: %s

The webhook stays enabled; later events are sent to it. When it works again, have the delivery sent
once more:

  POST /api/v1/webhooks/deliveries/%s/redeliver
`, m.Endpoint, m.Mode, m.URL, m.Event, m.Delivery, m.Attempts, m.Failed().Format("2 January 2006, 15:04 MST"), m.Outcome, m.Delivery)
	return Message{
		ID: fmt.Sprintf("%s.%d", m.Delivery, m.Round), To: to, Subject: "Webhook delivery failed: " + m.Event, Text: text, Date: m.Failed(),
	}
}
