package main

import (
	"os"
	"testing"
	"time"

	"einvoiced/core/operation"
)

func TestDevFields(t *testing.T) {
	f := rulebooksFlag{Rulebooks: os.Getenv("DEVBOOKS")}
	r, err := f.registry(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s, err := operation.New(operation.Config{Rulebooks: r.In, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	holdFields(t, s)
}
