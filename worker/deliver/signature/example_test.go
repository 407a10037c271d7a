package signature_test

import (
	"fmt"
	"log"
	"time"

	"github.com/einvoiced/einvoiced/worker/deliver/signature"
)

// What a receiver does with a request: verify both signatures, and believe neither an old one nor a changed body.
func ExampleVerify() {
	const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	sent := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	body := []byte(`{"type":"invoice.created"}`)
	header, err := signature.Header(signature.Message{Delivery: "dlv_1", Event: "invoice.created", Time: sent, Body: body}, secret, "")
	if err != nil {
		log.Fatal(err)
	}
	for _, received := range [][]byte{body, []byte(`{"type":"invoice.changed"}`)} {
		verdicts, err := signature.Verify(secret, header, received, sent.Add(time.Minute), 5*time.Minute)
		if err != nil {
			log.Fatal(err)
		}
		for _, v := range verdicts {
			fmt.Println(v.Name, v.Valid)
		}
	}
	// Output:
	// X-Service-Signature true
	// Webhook-Signature true
	// X-Service-Signature false
	// Webhook-Signature false
}
