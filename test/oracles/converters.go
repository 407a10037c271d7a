package oracles

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Converters is one running Java process with en16931-cii2ubl, which converts CII to UBL, and with Mustang, which reads CII. It is not safe
// for concurrent use.
type Converters struct{ java *Java }

// StartConverters fetches both where they are not there yet and starts the process.
func StartConverters(ctx context.Context) (*Converters, error) {
	folder, err := fetched(ctx, "converters", "converters/pom.xml")
	if err != nil {
		return nil, err
	}
	java, err := StartJava(ctx, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(folder, "lib", "*"),
		filepath.Join(folder, "converters", "Convert.java"))
	if err != nil {
		return nil, err
	}
	return &Converters{java}, nil
}

// Close ends the process.
func (c *Converters) Close() error { return c.java.Close() }

// UBL converts a CII document to a file. The error tells what the converter refuses.
func (c *Converters) UBL(from, to string) error {
	answer, err := c.ask("ubl\t" + from + "\t" + to)
	if err != nil {
		return fmt.Errorf("convert %s: %w", from, err)
	}
	if answer != "ok" {
		return fmt.Errorf("convert %s: %s", from, answer)
	}
	return nil
}

// Read gives what Mustang reads from a CII document, as JSON. The error tells what it refuses.
func (c *Converters) Read(from string) ([]byte, error) {
	answer, err := c.ask("read\t" + from)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", from, err)
	}
	return []byte(answer), nil
}

func (c *Converters) ask(question string) (string, error) {
	line, err := c.java.Ask(question)
	if err != nil {
		return "", err
	}
	answer := strings.TrimSpace(string(line))
	if why, failed := strings.CutPrefix(answer, "error "); failed {
		return "", errors.New(why)
	}
	return answer, nil
}
