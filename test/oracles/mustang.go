package oracles

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// Mustang is one running Java process with the validator of Mustang, which judges hybrids: the PDF by veraPDF, the invoice in it by the rules of
// Factur-X. It is not safe for concurrent use.
type Mustang struct{ java *Java }

// StartMustang fetches the validator where it is not there yet and starts the process.
func StartMustang(ctx context.Context) (*Mustang, error) {
	folder, err := fetched(ctx, "mustang", "mustang/pom.xml")
	if err != nil {
		return nil, err
	}
	java, err := StartJava(ctx, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(folder, "lib", "*"),
		filepath.Join(folder, "mustang", "Mustang.java"))
	if err != nil {
		return nil, err
	}
	return &Mustang{java}, nil
}

// Close ends the process.
func (m *Mustang) Close() error { return m.java.Close() }

// message is an error of a report, with what it says.
var message = regexp.MustCompile(`<(?:error|exception)[^>]*>([^<]*)`)

// Faults gives what the validator has against a hybrid, nothing where it is valid, and the profile that the invoice in it was taken for. The error
// says that the file could not be judged.
func (m *Mustang) Faults(path string) (faults []string, profile string, err error) {
	file, err := filepath.Abs(path)
	if err != nil {
		return nil, "", fmt.Errorf("find the file: %w", err)
	}
	line, err := m.java.Ask(file)
	if err != nil {
		return nil, "", fmt.Errorf("judge %s: %w", path, err)
	}
	verdict, report, _ := strings.Cut(string(line), "\t")
	_, profile, _ = strings.Cut(report, "<profile>")
	profile, _, _ = strings.Cut(profile, "</profile>")
	for _, found := range message.FindAllStringSubmatch(report, -1) {
		faults = append(faults, strings.TrimSpace(found[1]))
	}
	if verdict == "invalid" && len(faults) == 0 {
		faults = []string{report}
	}
	return faults, profile, nil
}
