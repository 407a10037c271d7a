package api

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/job/answers"
	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/peppol"
)

// hidden stands in place of secrets; in a PUT it leaves them as they are.
const hidden = "***"

// settingsView is what is configured, without its secrets.
type settingsView struct {
	core.Settings
	Mode         account.Mode `json:"mode"`
	CallbackPath string       `json:"callbackPath"` // where the provider calls back
	Updated      time.Time    `json:"updated"`
}

func (s *Server) viewOfSettings(c *call, settings core.Settings, stored peppol.Settings) settingsView {
	headers := map[string]string{}
	for name := range settings.Provider.Headers {
		headers[name] = hidden
	}
	settings.Provider.Headers = headers
	if settings.Provider.Callback.Secret != "" {
		settings.Provider.Callback.Secret = hidden
	}
	return settingsView{settings, c.key.Mode, peppolPath + "/callbacks/" + stored.CallbackID, stored.Updated}
}

// getPeppolSettings is GET /api/v1/peppol/settings. Secrets are not shown.
func (s *Server) getPeppolSettings(c *call) (*answer, error) {
	stored, err := s.Peppol.Transmissions.Settings(c.r.Context(), c.key.AccountID, c.key.Mode)
	if err != nil {
		return nil, refusalOfTransmission(err)
	}
	var settings core.Settings
	if err := json.Unmarshal(stored.Data, &settings); err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, s.viewOfSettings(c, settings, stored)), nil
}

// updatePeppolSettings is PUT /api/v1/peppol/settings.
func (s *Server) updatePeppolSettings(c *call) (*answer, error) {
	var settings core.Settings
	if err := s.readMembers(c, &settings); err != nil {
		return nil, err
	}
	if err := s.keepSecrets(c, &settings); err != nil {
		return nil, err
	}
	if err := s.checkSettings(c, settings); err != nil {
		return nil, err
	}
	stored, err := s.Peppol.Transmissions.Configure(c.r.Context(), c.key.AccountID, c.key.Mode, answers.JSON(settings))
	if err != nil {
		return nil, err
	}
	return jsonAnswer(http.StatusOK, s.viewOfSettings(c, settings, stored)), nil
}

// keepSecrets puts the secrets that there are in place of what hides them.
func (s *Server) keepSecrets(c *call, settings *core.Settings) error {
	before, err := s.peppolSettings(c)
	if err != nil && !errors.Is(err, peppol.ErrNotConfigured) {
		return err
	}
	headers := maps.Clone(settings.Provider.Headers)
	for name, value := range headers {
		if value == hidden {
			headers[name] = before.Provider.Headers[name]
		}
	}
	settings.Provider.Headers = headers
	if settings.Provider.Callback.Secret == hidden {
		settings.Provider.Callback.Secret = before.Provider.Callback.Secret
	}
	return nil
}

// checkSettings gives the 400 for settings that are none, or whose URLs may not be asked.
func (s *Server) checkSettings(c *call, settings core.Settings) error {
	err := settings.Check()
	if wrong, ok := errors.AsType[*core.SettingsError](err); ok {
		return badField(clip(wrong.Field), finding.InvalidValue, wrong.Error())
	}
	if err != nil || s.Peppol.CheckURL == nil {
		return err
	}
	for field, url := range map[string]string{"provider.url": settings.Provider.URL, "provider.statusUrl": settings.Provider.StatusURL} {
		if url == "" {
			continue
		}
		if err := s.Peppol.CheckURL(c.r.Context(), core.Words{}.InURL(url)); err != nil {
			return badField(field, finding.InvalidValue, field+": "+err.Error())
		}
	}
	return nil
}

// maxCallback is the most bytes of a call-back.
const maxCallback = 64 << 10

// peppolCallback is POST /api/v1/peppol/callbacks/{id}: the provider tells what became of a message. It takes no API key but the shared secret.
func (s *Server) peppolCallback(c *call) (*answer, error) {
	body, err := io.ReadAll(io.LimitReader(c.r.Body, maxCallback+1)) // the deadline of the request's header bounds the time
	if err != nil {
		return nil, newProblem(http.StatusRequestTimeout, "The body did not come in time")
	}
	if len(body) > maxCallback {
		return nil, tooLarge(maxCallback)
	}
	caller, settings, err := s.caller(c)
	if err != nil {
		return nil, err
	}
	leave, err := s.process(c.r.Context(), caller.Account)
	if err != nil {
		return nil, gone(c.r.Context(), err)
	}
	defer leave()
	callback := settings.Provider.Callback
	digest, err := callback.Verify(c.r.Header.Get(callback.HeaderName()), body, s.Peppol.Transmissions.Now())
	if err != nil {
		return nil, s.deniedCallback(c, err)
	}
	messageID, outcome, err := outcomeOfCallback(settings.Provider, body)
	if err != nil {
		return nil, badField("body", finding.InvalidValue, "body: "+err.Error())
	}
	err = s.Peppol.Transmissions.TakeCallback(c.r.Context(), caller, digest, messageID, outcome)
	if errors.Is(err, peppol.ErrReplayed) {
		return nil, &finding.Refusal{Kind: finding.Conflict, Message: "The call-back was taken before", Cause: err}
	}
	if err != nil {
		return nil, refusalOfTransmission(err)
	}
	return jsonAnswer(http.StatusOK, struct {
		Taken bool `json:"taken"`
	}{true}), nil
}

// caller finds the settings of the path. One that there is not is answered as a wrong secret is.
func (s *Server) caller(c *call) (caller peppol.Caller, settings core.Settings, err error) {
	caller, err = s.Peppol.Transmissions.Caller(c.r.Context(), c.id())
	if errors.Is(err, peppol.ErrNotFound) {
		return caller, settings, s.deniedCallback(c, err)
	}
	if err == nil {
		err = json.Unmarshal(caller.Data, &settings)
	}
	return caller, settings, err
}

// deniedCallback is the 401 of a call-back, or the 429 of an address that keeps failing.
func (s *Server) deniedCallback(c *call, cause error) error {
	if !s.throttle.allow(c.r.RemoteAddr) {
		return &finding.Refusal{Kind: finding.RateLimited, Message: "Too many call-backs with a wrong secret from this address"}
	}
	return &finding.Refusal{Kind: finding.Unauthorized, Message: "The call-back does not prove where it comes from", Cause: cause}
}

// outcomeOfCallback reads what a call-back says. A delivery needs a receipt where receipts are signed.
func outcomeOfCallback(p core.Provider, body []byte) (messageID string, o peppol.Outcome, err error) {
	mapping := p.Answer
	if p.Callback.Answer != nil {
		mapping = *p.Callback.Answer
	}
	if mapping.MessageID == "" {
		mapping.MessageID = "messageId"
	}
	told, err := mapping.Read(body)
	if err != nil {
		return "", o, err
	}
	o = peppol.Outcome{State: peppol.State(told.State), Reason: told.Message, Receipt: told.Receipt}
	switch {
	case o.State == peppol.Failed:
		o.Code = finding.PeppolSendFailed
	case o.State == peppol.Sent:
		o.AskAfter = p.FirstQuestion()
	case o.State == peppol.Delivered && p.Certificate != "":
		err = core.VerifyReceipt(told.Receipt, p.Certificate, told.MessageID, nil)
	case o.State == peppol.Delivered && o.Receipt == "":
		o.Receipt = string(body)
	}
	return told.MessageID, o, err
}
