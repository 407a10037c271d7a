package deliver_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/webhook"
	"github.com/einvoiced/einvoiced/worker/deliver"
	"github.com/einvoiced/einvoiced/worker/deliver/signature"
	"github.com/einvoiced/einvoiced/worker/outbound"
)

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// waiting has one delivery; a service has a *webhook.Store.
type waiting struct{}

var to = webhook.Recipient{Account: "acc_1", Endpoint: "whk_1"}

func (waiting) RecipientOf(context.Context, string) (webhook.Recipient, error) { return to, nil }

func (waiting) Claim(_ context.Context, deliveryID string) (webhook.Sending, error) {
	return webhook.Sending{Recipient: to, ID: deliveryID, URL: "https://shop.example/einvoiced", Event: "invoice.created", Attempt: 1,
		Payload: []byte(`{"type": "invoice.created"}`), Secrets: webhook.Secrets{Current: secret}}, nil
}

func (waiting) Settle(_ context.Context, s webhook.Sending, r webhook.Result) (webhook.Settlement, error) {
	fmt.Println("settled", s.ID, r.Status)
	return webhook.Settlement{State: webhook.Delivered}, nil
}

func (waiting) Release(context.Context, webhook.Sending) error { return nil }

// shop receives what a service sends by an *outbound.Client, and checks who it is from.
type shop struct{}

func (shop) Post(_ context.Context, url string, header http.Header, body []byte, _ int64) (outbound.Response, error) {
	verdicts, err := signature.Verify(secret, header, body, noon, 5*time.Minute)
	for _, v := range verdicts {
		fmt.Println(url, v.Name, v.Valid)
	}
	return outbound.Response{Status: http.StatusOK}, err
}

// A message of the queue names a delivery: it is claimed, sent once with both signatures, and what came of it is written down.
func Example() {
	deliverer, err := deliver.New(deliver.Config{Clock: clock.NewHand(noon)}, waiting{}, shop{})
	if err != nil {
		log.Fatal(err)
	}
	deliverer.Handle(context.Background(), "webhook", "dlv_1")
	fmt.Println(deliverer.Outcomes()["delivered"])
	// Output:
	// https://shop.example/einvoiced X-Service-Signature true
	// https://shop.example/einvoiced Webhook-Signature true
	// settled dlv_1 200
	// 1
}
