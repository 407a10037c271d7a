package oracles

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Profiles is one running Java process with veraPDF, which judges PDF files. It is not safe for concurrent use.
type Profiles struct{ java *Java }

// StartProfiles fetches veraPDF where it is not there yet and starts the process.
func StartProfiles(ctx context.Context) (*Profiles, error) {
	folder, err := fetched(ctx, "verapdf", "verapdf/pom.xml")
	if err != nil {
		return nil, err
	}
	java, err := StartJava(ctx, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(folder, "lib", "*"),
		filepath.Join(folder, "Profiles.java"))
	if err != nil {
		return nil, err
	}
	return &Profiles{java}, nil
}

// Close ends the process.
func (p *Profiles) Close() error { return p.java.Close() }

// Failed gives the rules of a profile (3b for PDF/A-3b, ua1 for PDF/UA-1) that a file breaks, each as clause-test, and how many things were
// looked at. The error says that the file could not be judged.
func (p *Profiles) Failed(profile, path string) (rules []string, looked int, err error) {
	file, err := filepath.Abs(path)
	if err != nil {
		return nil, 0, fmt.Errorf("find the file: %w", err)
	}
	line, err := p.java.Ask(profile + "\t" + file)
	if err != nil {
		return nil, 0, fmt.Errorf("judge %s: %w", path, err)
	}
	words := strings.Fields(string(line))
	if len(words) == 0 {
		return nil, 0, fmt.Errorf("judge %s: no answer", path)
	}
	if looked, err = strconv.Atoi(words[0]); err != nil {
		return nil, 0, fmt.Errorf("judge %s: %s", path, line)
	}
	return words[1:], looked, nil
}
