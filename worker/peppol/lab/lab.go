// Package lab is a Peppol network on the loopback, to try sending without one: a name server with the records of an SML, a service metadata
// publisher and an access point, with certificates that are made at the start and thrown away. Nothing of it reaches a network.
//
// The access point speaks HTTPS with signed receipts (not AS4). What goes wrong is told by the end of the recipient's id: see Faults.
package lab

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/miekg/dns"

	core "github.com/einvoiced/einvoiced/core/peppol"
)

// Zone is the DNS zone of the laboratory.
const Zone = "lab.test"

// Config sets up a Lab.
type Config struct {
	Folder string    // where its certificates are written, made where it is not there; required
	HTTPS  string    // address of publisher and access point. Default: 127.0.0.1 and a free port.
	DNS    string    // address of the name server. Default: the same.
	Output io.Writer // gets a line for each step. Default: none is written.
	Now    func() time.Time
	Slow   time.Duration // how long the fault slow takes. Default: 2 s.
}

// Lab is a running laboratory.
type Lab struct {
	cfg    Config
	pki    *pki
	token  string
	secret string
	https  net.Listener
	names  net.PacketConn
	server *http.Server
	dns    *dns.Server
	box    *inbox
	work   sync.WaitGroup
	stop   context.CancelFunc

	mu     sync.Mutex // guards Output and callback
	target string     // where call-backs go; empty: nowhere
}

// Start starts a laboratory. It runs until Close. The error wraps ErrListen where it lies with an address.
func Start(cfg Config) (*Lab, error) {
	if cfg.Folder == "" {
		return nil, errors.New("laboratory: a folder for its certificates is required")
	}
	for field, value := range map[*string]string{&cfg.HTTPS: "127.0.0.1:0", &cfg.DNS: "127.0.0.1:0"} {
		if *field == "" {
			*field = value
		}
	}
	if cfg.Output == nil {
		cfg.Output = io.Discard
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Slow == 0 {
		cfg.Slow = 2 * time.Second
	}
	keys, err := newPKI(cfg.Now())
	if err != nil {
		return nil, fmt.Errorf("laboratory: make certificates: %w", err)
	}
	l := &Lab{cfg: cfg, pki: keys, token: random(), secret: random(), box: newInbox()}
	if err := l.write("root.pem", keys.rootPEM); err != nil {
		return nil, fmt.Errorf("laboratory: write its certificates: %w", err)
	}
	if err := l.listen(); err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %w", ErrListen, err), l.closeListeners())
	}
	l.serve()
	return l, nil
}

func random() string {
	b := make([]byte, 24)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// ErrListen says that an address is taken, or none of the loopback.
var ErrListen = errors.New("laboratory: listen")

func (l *Lab) write(name string, data []byte) error {
	if err := os.MkdirAll(l.cfg.Folder, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(l.cfg.Folder, name), data, 0o600)
}

func (l *Lab) listen() (err error) {
	for _, address := range []string{l.cfg.HTTPS, l.cfg.DNS} {
		if host, _, err := net.SplitHostPort(address); err != nil || !net.ParseIP(host).IsLoopback() {
			return fmt.Errorf("%s is no address of the loopback", address)
		}
	}
	if l.https, err = net.Listen("tcp", l.cfg.HTTPS); err != nil {
		return err
	}
	l.names, err = net.ListenPacket("udp", l.cfg.DNS)
	return err
}

func (l *Lab) closeListeners() error {
	var errs []error
	if l.https != nil {
		errs = append(errs, l.https.Close())
	}
	if l.names != nil {
		errs = append(errs, l.names.Close())
	}
	return errors.Join(errs...)
}

// serve answers in goroutines of its own.
func (l *Lab) serve() {
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.server = &http.Server{Handler: l.routes(ctx), ReadHeaderTimeout: 5 * time.Second, TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{l.pki.server}}}
	l.dns = &dns.Server{PacketConn: l.names, Handler: dns.HandlerFunc(l.answerName)}
	ready := make(chan struct{})
	l.dns.NotifyStartedFunc = func() { close(ready) }
	l.work.Go(func() { _ = l.dns.ActivateAndServe() })
	l.work.Go(func() { _ = l.server.ServeTLS(l.https, "", "") })
	<-ready
}

// Close ends the laboratory.
func (l *Lab) Close() error {
	l.stop()
	err := errors.Join(l.server.Close(), l.dns.Shutdown())
	l.work.Wait()
	return err
}

// say writes a line about a step.
func (l *Lab) say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.cfg.Output, l.cfg.Now().UTC().Format("15:04:05.000 ")+format+"\n", args...)
}

// Place is host and port of publisher and access point: what the service has to be allowed to reach.
func (l *Lab) Place() string { return l.https.Addr().String() }

// NameServer is host and port of the name server.
func (l *Lab) NameServer() string { return l.names.LocalAddr().String() }

// Flags are those of the service.
func (l *Lab) Flags() []string {
	root := filepath.Join(l.cfg.Folder, "root.pem")
	return []string{"--peppol-sml=" + Zone, "--peppol-dns=" + l.NameServer(), "--peppol-trust=" + root, "--peppol-ca=" + root, "--allow-network=" + l.Place()}
}

// Settings are those for PUT /api/v1/peppol/settings.
func (l *Lab) Settings() core.Settings {
	base := "https://" + l.Place()
	return core.Settings{SenderID: "0088:7315458756324", Provider: core.Provider{
		URL: base + "/ap/messages", StatusURL: base + "/ap/messages/{messageId}", Headers: map[string]string{"Authorization": "Bearer " + l.token, "X-Message-Id": "{messageId}"},
		Answer: core.Mapping{State: "state", Sent: []string{"accepted"}, Delivered: []string{"delivered"}, Failed: []string{"rejected"},
			Message: "message", Receipt: "receipt", MessageID: "messageId"},
		Certificate: string(l.pki.receiptPEM), Callback: core.Callback{Secret: l.secret}, LookUp: true,
	}}
}

// CallBack says where late receipts go: the URL of the service with the path that its settings show.
func (l *Lab) CallBack(url string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.target = url
}
