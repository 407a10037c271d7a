package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/einvoiced/einvoiced/test/oracles"
)

//go:embed Saxon.java
var driver []byte

// saxon is a running Java process with Saxon-HE.
type saxon struct{ java *oracles.Java }

// startSaxon starts the process with the jars that the oracles use.
func startSaxon(ctx context.Context, folder string) (*saxon, error) {
	jars, err := oracles.Jars(ctx)
	if err != nil {
		return nil, err
	}
	source := filepath.Join(folder, "Saxon.java")
	if err := os.WriteFile(source, driver, 0o600); err != nil {
		return nil, fmt.Errorf("write the driver of Saxon: %w", err)
	}
	java, err := oracles.StartJava(ctx, "-XX:+UseSerialGC", "-Xmx4g", "-cp", filepath.Join(jars, "*"), source)
	if err != nil {
		return nil, err
	}
	return &saxon{java}, nil
}

func (s *saxon) close() {
	_ = s.java.Close() // it has answered all it was asked
}

// ask sends a line and gives the answer.
func (s *saxon) ask(words ...string) (string, error) {
	answer, err := s.java.Ask(strings.Join(words, "\t"))
	if err != nil {
		return "", err
	}
	line := strings.TrimSpace(string(answer))
	if why, failed := strings.CutPrefix(line, "failed "); failed {
		return "", errors.New("saxon: " + why)
	}
	return line, nil
}

// load makes a stylesheet the one that documents are judged by.
func (s *saxon) load(stylesheet string) error {
	_, err := s.ask("rules", stylesheet)
	return err
}

// time gives the median time of some runs; 0 where the stylesheet does not come to its end.
func (s *saxon) time(document string, runs int) time.Duration {
	answer, err := s.ask("time", strconv.Itoa(runs), document)
	if err != nil {
		return 0
	}
	nanoseconds, err := strconv.ParseInt(answer, 10, 64)
	if err != nil {
		return 0
	}
	return time.Duration(nanoseconds)
}

// warming is how long documents are judged before a measurement, so that the Java machine has compiled what it will.
const warming = 3 * time.Second

// ordinary measures documents after warming up on them.
func (s *saxon) ordinary(documents []string) []time.Duration {
	for spent := time.Duration(0); spent < warming; {
		before := spent
		for _, d := range documents {
			spent += 5 * s.time(d, 5)
		}
		if spent == before {
			break // none comes to its end
		}
	}
	all := make([]time.Duration, len(documents))
	for i, d := range documents {
		all[i] = s.time(d, 7)
	}
	return all
}
