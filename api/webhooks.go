package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/webhook"
)

// Webhooks keeps webhooks and the log of their deliveries; *webhook.Store does.
type Webhooks interface {
	Create(ctx context.Context, accountID string, mode account.Mode, c webhook.Change, along ...webhook.Along) (webhook.Endpoint, string, error)
	Get(ctx context.Context, accountID string, mode account.Mode, endpointID string) (webhook.Endpoint, error)
	List(ctx context.Context, accountID string, mode account.Mode, p db.Page) ([]webhook.Endpoint, bool, error)
	Update(ctx context.Context, accountID string, mode account.Mode, endpointID string, c webhook.Change) (webhook.Endpoint, error)
	Delete(ctx context.Context, accountID string, mode account.Mode, endpointID string) error
	Secret(ctx context.Context, accountID string, mode account.Mode, endpointID string) (webhook.Secrets, error)
	Rotate(ctx context.Context, accountID string, mode account.Mode, endpointID string, along ...webhook.Along) (webhook.Endpoint, webhook.Secrets, error)
	Test(ctx context.Context, accountID string, mode account.Mode, endpointID string) (webhook.Delivery, error)
	Deliveries(ctx context.Context, accountID string, mode account.Mode, endpointID string, p db.Page) ([]webhook.Delivery, bool, error)
	Redeliver(ctx context.Context, accountID string, mode account.Mode, deliveryID string) (webhook.Delivery, error)
}

var _ Webhooks = (*webhook.Store)(nil)

var webhookRoutes = []route{
	{"createWebhook", http.MethodPost, webhooksPath, adminWebhooks, (*Server).createWebhook},
	{"listWebhooks", http.MethodGet, webhooksPath, adminWebhooks, (*Server).listWebhooks},
	{"getWebhook", http.MethodGet, webhooksPath + "/{id}", adminWebhooks, (*Server).getWebhook},
	{"updateWebhook", http.MethodPatch, webhooksPath + "/{id}", adminWebhooks, (*Server).updateWebhook},
	{"deleteWebhook", http.MethodDelete, webhooksPath + "/{id}", adminWebhooks, (*Server).deleteWebhook},
	{"rotateWebhook", http.MethodPost, webhooksPath + "/{id}/rotate", adminWebhooks, (*Server).rotateWebhook},
	{"testWebhook", http.MethodPost, webhooksPath + "/{id}/test", adminWebhooks, (*Server).testWebhook},
	{"getWebhookSecret", http.MethodGet, webhooksPath + "/{id}/secret", adminWebhooks, (*Server).getWebhookSecret},
	{"listDeliveries", http.MethodGet, webhooksPath + "/{id}/deliveries", adminWebhooks, (*Server).listDeliveries},
	{"redeliver", http.MethodPost, webhooksPath + "/deliveries/{id}/redeliver", adminWebhooks, (*Server).redeliver},
}

const webhooksPath = "/api/v1/webhooks"

var adminWebhooks = administer("admin:webhooks")

// webhookView is a webhook as the API shows it.
type webhookView struct {
	ID             string       `json:"id"`
	URL            string       `json:"url"`
	Events         []string     `json:"events"` // empty: all
	Description    string       `json:"description"`
	Enabled        bool         `json:"enabled"`
	DisabledReason string       `json:"disabledReason,omitzero"` // gone: it answered 410
	Mode           account.Mode `json:"mode"`
	Created        time.Time    `json:"created"`
	Updated        time.Time    `json:"updated"`
	secretsView
}

// secretsView is what the requests to a webhook are signed with.
type secretsView struct {
	Secret              string    `json:"secret,omitzero"`
	PreviousSecret      string    `json:"previousSecret,omitzero"`
	PreviousSecretUntil time.Time `json:"previousSecretUntil,omitzero"`
}

func viewOfWebhook(e webhook.Endpoint, s webhook.Secrets) webhookView {
	return webhookView{
		ID: e.ID, URL: e.URL, Events: e.Events, Description: e.Description, Enabled: e.Enabled, DisabledReason: e.DisabledReason, Mode: e.Mode,
		Created: e.Created, Updated: e.Updated, secretsView: secretsView{s.Current, s.Previous, e.PreviousUntil},
	}
}

// webhookChange reads what a client may set of a webhook; other members are ignored.
func (s *Server) webhookChange(c *call) (webhook.Change, error) {
	var body struct {
		URL         *string   `json:"url"`
		Events      *[]string `json:"events"`
		Description *string   `json:"description"`
		Enabled     *bool     `json:"enabled"`
	}
	err := s.readMembers(c, &body)
	return webhook.Change(body), err
}

// refusalOfWebhook gives the public half of an error of the store.
func refusalOfWebhook(err error) error {
	refuse := func(kind finding.Kind, format string, args ...any) error {
		return &finding.Refusal{Kind: kind, Message: fmt.Sprintf(format, args...), Cause: err}
	}
	invalid, isInvalid := errors.AsType[*webhook.InvalidError](err)
	switch {
	case isInvalid:
		code := finding.InvalidValue
		if invalid.Message == webhook.Required {
			code = finding.MissingField
		}
		message := invalid.Error()
		return &finding.Refusal{Kind: finding.BadRequest, Message: message, Field: invalid.Field, Cause: invalid.Cause,
			Errors: []finding.Finding{{Code: code, Message: message, Field: invalid.Field}}}
	case errors.Is(err, webhook.ErrNotFound):
		return refuse(finding.NotFound, "Webhook or delivery does not exist")
	case errors.Is(err, webhook.ErrTooMany):
		return refuse(finding.Conflict, "The account has as many webhooks in this mode as it may have; delete one first")
	case errors.Is(err, webhook.ErrUnended):
		return refuse(finding.Conflict, "The delivery is still being attempted; it can be sent again when it has ended")
	}
	return err
}

// createWebhook is POST /api/v1/webhooks. The answer shows the secret.
func (s *Server) createWebhook(c *call) (*answer, error) {
	change, err := s.webhookChange(c)
	if err != nil {
		return nil, err
	}
	var a *answer
	if _, _, err := s.Webhooks.Create(c.r.Context(), c.key.AccountID, c.key.Mode, change, s.keepWebhook(c, &a)); err != nil {
		return nil, refusalOfWebhook(err)
	}
	return a, nil
}

// keepWebhook makes and keeps the answer that shows a webhook with its new secret.
func (s *Server) keepWebhook(c *call, a **answer) webhook.Along {
	return func(tx *db.Tx, e webhook.Endpoint, secrets webhook.Secrets) error {
		*a = jsonAnswer(http.StatusOK, viewOfWebhook(e, secrets))
		return s.keep(c, tx, *a)
	}
}

// getWebhook is GET /api/v1/webhooks/{id}.
func (s *Server) getWebhook(c *call) (*answer, error) {
	e, err := s.Webhooks.Get(c.r.Context(), c.key.AccountID, c.key.Mode, c.id())
	if err != nil {
		return nil, refusalOfWebhook(err)
	}
	return jsonAnswer(http.StatusOK, viewOfWebhook(e, webhook.Secrets{})), nil
}

// listWebhooks is GET /api/v1/webhooks.
func (s *Server) listWebhooks(c *call) (*answer, error) {
	return listing[webhook.Endpoint, webhookView]{
		path: webhooksPath,
		list: func(p db.Page) ([]webhook.Endpoint, bool, error) {
			return s.Webhooks.List(c.r.Context(), c.key.AccountID, c.key.Mode, p)
		},
		id:   func(e webhook.Endpoint) string { return e.ID },
		show: func(e webhook.Endpoint) (webhookView, bool) { return viewOfWebhook(e, webhook.Secrets{}), true },
	}.answer(c.r.URL.Query())
}

// updateWebhook is PATCH /api/v1/webhooks/{id}; what is left out stays as it is.
func (s *Server) updateWebhook(c *call) (*answer, error) {
	change, err := s.webhookChange(c)
	if err != nil {
		return nil, err
	}
	e, err := s.Webhooks.Update(c.r.Context(), c.key.AccountID, c.key.Mode, c.id(), change)
	if err != nil {
		return nil, refusalOfWebhook(err)
	}
	return jsonAnswer(http.StatusOK, viewOfWebhook(e, webhook.Secrets{})), nil
}

// deleteWebhook is DELETE /api/v1/webhooks/{id}. The answer is the webhook as it was.
func (s *Server) deleteWebhook(c *call) (*answer, error) {
	e, err := s.Webhooks.Get(c.r.Context(), c.key.AccountID, c.key.Mode, c.id())
	if err == nil {
		err = s.Webhooks.Delete(c.r.Context(), c.key.AccountID, c.key.Mode, e.ID)
	}
	if err != nil {
		return nil, refusalOfWebhook(err)
	}
	e.Enabled = false
	return jsonAnswer(http.StatusOK, viewOfWebhook(e, webhook.Secrets{})), nil
}

// rotateWebhook is POST /api/v1/webhooks/{id}/rotate. The answer shows the new secret and the one before.
func (s *Server) rotateWebhook(c *call) (*answer, error) {
	var a *answer
	if _, _, err := s.Webhooks.Rotate(c.r.Context(), c.key.AccountID, c.key.Mode, c.id(), s.keepWebhook(c, &a)); err != nil {
		return nil, refusalOfWebhook(err)
	}
	return a, nil
}

// getWebhookSecret is GET /api/v1/webhooks/{id}/secret.
func (s *Server) getWebhookSecret(c *call) (*answer, error) {
	secrets, err := s.Webhooks.Secret(c.r.Context(), c.key.AccountID, c.key.Mode, c.id())
	if err != nil {
		return nil, refusalOfWebhook(err)
	}
	return jsonAnswer(http.StatusOK, secretsView{secrets.Current, secrets.Previous, secrets.Until}), nil
}

// testWebhook is POST /api/v1/webhooks/{id}/test.
func (s *Server) testWebhook(c *call) (*answer, error) {
	d, err := s.Webhooks.Test(c.r.Context(), c.key.AccountID, c.key.Mode, c.id())
	if err != nil {
		return nil, refusalOfWebhook(err)
	}
	return jsonAnswer(http.StatusAccepted, viewOfDelivery(d)), nil
}

// redeliver is POST /api/v1/webhooks/deliveries/{id}/redeliver.
func (s *Server) redeliver(c *call) (*answer, error) {
	d, err := s.Webhooks.Redeliver(c.r.Context(), c.key.AccountID, c.key.Mode, c.id())
	if err != nil {
		return nil, refusalOfWebhook(err)
	}
	return jsonAnswer(http.StatusAccepted, viewOfDelivery(d)), nil
}

// listDeliveries is GET /api/v1/webhooks/{id}/deliveries.
func (s *Server) listDeliveries(c *call) (*answer, error) {
	endpointID := c.id()
	a, err := listing[webhook.Delivery, deliveryView]{
		path: webhooksPath + "/" + endpointID + "/deliveries",
		list: func(p db.Page) ([]webhook.Delivery, bool, error) {
			return s.Webhooks.Deliveries(c.r.Context(), c.key.AccountID, c.key.Mode, endpointID, p)
		},
		id:   func(d webhook.Delivery) string { return d.ID },
		show: func(d webhook.Delivery) (deliveryView, bool) { return viewOfDelivery(d), true },
	}.answer(c.r.URL.Query())
	if err != nil {
		return nil, refusalOfWebhook(err)
	}
	return a, nil
}
