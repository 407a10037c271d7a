package outbound_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/worker/outbound"
)

// Addresses that are not on the public internet are refused before anything is sent, unless the operator allows them.
func ExampleClient_Check() {
	client, err := outbound.New(outbound.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	err = client.Check(context.Background(), "https://169.254.169.254/latest/meta-data")
	var failure *outbound.Failure
	if errors.As(err, &failure) {
		fmt.Println(failure.Reason)
	}
	// Output: link_local
}
