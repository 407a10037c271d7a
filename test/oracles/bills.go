package oracles

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// Bills is one running Java process with qrbill-generator, which judges payloads of Swiss QR codes. It is not safe for concurrent use.
type Bills struct{ java *Java }

// StartBills fetches qrbill-generator where it is not there yet and starts the process.
func StartBills(ctx context.Context) (*Bills, error) {
	folder, err := fetched(ctx, "swiss", "swiss/pom.xml")
	if err != nil {
		return nil, err
	}
	java, err := StartJava(ctx, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(folder, "lib", "*"),
		filepath.Join(folder, "Bills.java"))
	if err != nil {
		return nil, err
	}
	return &Bills{java}, nil
}

// Close ends the process.
func (b *Bills) Close() error { return b.java.Close() }

// Wrong says what is wrong with the payload in a file; empty where nothing is. The error says that the file could not be judged.
func (b *Bills) Wrong(path string) (string, error) {
	file, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find the file: %w", err)
	}
	line, err := b.java.Ask(file)
	if err != nil {
		return "", fmt.Errorf("judge %s: %w", path, err)
	}
	said := strings.TrimSpace(string(line))
	if said == "valid" {
		return "", nil
	}
	return said, nil
}
