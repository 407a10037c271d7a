package api

import (
	"time"

	"github.com/einvoiced/einvoiced/storage/webhook"
	"unicode/utf8"
)

// deliveryView is an entry of the log of deliveries: the delivery with its last attempt, and the attempts before it in short.
type deliveryView struct {
	ID          string        `json:"id"`
	Webhook     string        `json:"webhook"`
	EventID     string        `json:"eventId"`
	Event       string        `json:"event"`
	Status      webhook.State `json:"status"`
	Created     time.Time     `json:"created"`
	Attempt     int           `json:"attempt"`              // number of the last one; 0 before the first
	LatencyMs   int64         `json:"latencyMs"`            // of the last attempt
	Request     requestView   `json:"request"`              // of the last attempt, or the one to come
	Response    *responseView `json:"response,omitzero"`    // to the last attempt
	Error       string        `json:"error,omitzero"`       // why there is no response
	NextAttempt time.Time     `json:"nextAttempt,omitzero"` // when it is due
	Attempts    []attemptView `json:"attempts"`             // the last first
}

// requestView is a request as it was sent.
type requestView struct {
	URL     string            `json:"url,omitzero"`
	Headers map[string]string `json:"headers,omitzero"`
	Body    string            `json:"body"` // byte for byte
}

// responseView is what a receiver has answered.
type responseView struct {
	Status int    `json:"status"` // of HTTP
	Body   string `json:"body"`   // its beginning
}

// attemptView is a line of the log.
type attemptView struct {
	Attempt     int           `json:"attempt"`
	Started     time.Time     `json:"started"`
	LatencyMs   int64         `json:"latencyMs"`
	Response    *responseView `json:"response,omitzero"`
	Error       string        `json:"error,omitzero"`
	NextAttempt time.Time     `json:"nextAttempt,omitzero"` // as it was planned
}

// shortResponse is how much of a response a line of the log shows, in bytes: as many characters are read, which are no fewer.
const shortResponse = webhook.ShortResponse

func viewOfDelivery(d webhook.Delivery) deliveryView {
	v := deliveryView{
		ID: d.ID, Webhook: d.Endpoint, EventID: d.EventID, Event: d.Event, Status: d.State, Created: d.Created,
		Request: requestView{Body: string(d.Payload)}, NextAttempt: d.Next, Attempts: []attemptView{},
	}
	for i, a := range d.Attempts {
		response := responseOf(a)
		if i == 0 {
			v.Attempt, v.LatencyMs, v.Response, v.Error = a.Number, a.Latency.Milliseconds(), response, publicReason(a.Reason)
			v.Request.URL, v.Request.Headers = a.URL, a.Header
		}
		v.Attempts = append(v.Attempts, attemptView{a.Number, a.Started, a.Latency.Milliseconds(), shortened(response), publicReason(a.Reason), a.Next})
	}
	return v
}

func responseOf(a webhook.Attempt) *responseView {
	if a.Status == 0 {
		return nil
	}
	return &responseView{a.Status, a.Response}
}

// shortened cuts the body between two characters.
func shortened(r *responseView) *responseView {
	if r == nil || len(r.Body) <= shortResponse {
		return r
	}
	end := shortResponse
	for !utf8.RuneStart(r.Body[end]) {
		end--
	}
	return &responseView{r.Status, r.Body[:end]}
}

// shownReasons are those that the owner of a webhook may know. What is found out about addresses is not told. Webhooks would
// else be a way to explore the network that the service stands in.
var shownReasons = map[string]bool{"": true, "timeout": true, "tls": true, "connect": true, "url": true, "scheme": true, "userinfo": true, "host": true, "port": true}

func publicReason(reason string) string {
	switch {
	case shownReasons[reason]:
		return reason
	case reason == "secret":
		return "internal"
	}
	return "address"
}
