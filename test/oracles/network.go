package oracles

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Network is one running Java process with peppol-commons (com.helger.peppol), which reads envelopes and identifiers of the Peppol network, makes the
// DNS names of participants, and asks service metadata publishers. It is not safe for concurrent use.
type Network struct{ java *Java }

// StartNetwork fetches peppol-commons where it is not there yet and starts the process.
func StartNetwork(ctx context.Context) (*Network, error) {
	folder, err := fetched(ctx, "network", "network/pom.xml")
	if err != nil {
		return nil, err
	}
	java, err := StartJava(ctx, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", filepath.Join(folder, "lib", "*"),
		filepath.Join(folder, "network", "Network.java"))
	if err != nil {
		return nil, err
	}
	return &Network{java}, nil
}

// Close ends the process.
func (n *Network) Close() error { return n.java.Close() }

// A NetworkRefusal is what peppol-commons does not accept.
type NetworkRefusal struct{ Code, Message string }

// Error says what is not accepted.
func (r *NetworkRefusal) Error() string { return r.Code + ": " + r.Message }

// Envelope reads an envelope: sender, receiver, document type and process with their schemes, country, instance, standard, version, type, and the name of
// the document element inside. The error is a *NetworkRefusal where it is not accepted.
func (n *Network) Envelope(path string) ([]string, error) { return n.ask("envelope", path) }

// Participant reads the identifier of a participant: with its scheme, percent-encoded, then the zone of the network for tests, and the participant's DNS names in it,
// that of U-NAPTR records and the older one. The error is a *NetworkRefusal for what is none.
func (n *Network) Participant(id string) ([]string, error) { return n.ask("participant", id) }

// Document reads the identifier of a document type: with its scheme, and percent-encoded. The error is a *NetworkRefusal for what is none.
func (n *Network) Document(id string) ([]string, error) { return n.ask("document", id) }

// Process reads the identifier of a process: with its scheme, and percent-encoded. The error is a *NetworkRefusal for what is none.
func (n *Network) Process(id string) ([]string, error) { return n.ask("process", id) }

// Group asks a publisher for a participant: its identifier, and the document types that it lists. The error is a *NetworkRefusal.
func (n *Network) Group(publisher, participant string) ([]string, error) {
	return n.ask("group", publisher, participant)
}

// Service asks a publisher where a participant takes a document type in a process by AS4, and checks the signature against the certificates in a file (PEM). It gives
// the address and the certificate (base64 of DER) of the access point. The error is a *NetworkRefusal.
func (n *Network) Service(publisher, participant, document, process, trusted string) ([]string, error) {
	return n.ask("service", publisher, participant, document, process, trusted)
}

func (n *Network) ask(words ...string) ([]string, error) {
	line, err := n.java.Ask(strings.Join(words, "\t"))
	if err != nil {
		return nil, err
	}
	answer := strings.Split(strings.TrimRight(string(line), "\r\n"), "\t")
	switch {
	case answer[0] == "ok":
		return answer[1:], nil
	case answer[0] == "bad" && len(answer) > 2:
		return nil, &NetworkRefusal{answer[1], strings.Join(answer[2:], " ")}
	}
	return nil, fmt.Errorf("peppol-commons: %w", errors.New(string(line)))
}
