package command

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
)

// usePause is how often the times of last use of keys are written.
const usePause = time.Minute

// welcome prints, at each start of a process that answers requests, its address and how to get a key. The first start on a loopback
// address makes an account and a test key and prints, once, how to use them. On another address a key must be made by hand: standard
// output may end in a log there.
func (h *daemon) welcome(ctx context.Context, m *Main, address string) error {
	if h.api == nil {
		return nil
	}
	container := m.Container
	if loopback(address) { // whom the service is for is in the container, too
		container = ""
	}
	g := greeting{base: baseURL(address), create: h.createKeyLine(m, container)}
	if loopback(address) {
		if made, err := h.firstKey(ctx, m, g); made || err != nil {
			return err
		}
	}
	return g.print(m)
}

// firstKey makes an account with a test key that may do everything, where there is no account, and prints it before it is there: a start that
// is killed in between leaves a key that nobody can use, and the next one makes another.
func (h *daemon) firstKey(ctx context.Context, m *Main, g greeting) (made bool, err error) {
	owners, err := h.accounts.Accounts(ctx)
	if err != nil || len(owners) > 0 {
		return false, err
	}
	key := account.NewKey{Mode: account.Test, Name: "first start", Entitlements: first}
	return h.accounts.CreateFirst(ctx, "default", key, func(secret string) error {
		g.secret = secret
		return g.print(m)
	})
}

// greeting is what a start tells people. Its lines can be pasted into a shell.
type greeting struct {
	base   string // address of the API
	secret string // of the first key; empty at later starts
	create string // the command that makes a key
}

// print writes it to standard output.
func (g greeting) print(m *Main) error {
	_, err := m.Stdout.Write(g.text())
	return err
}

func (g greeting) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\neinvoiced is ready: %s/\nDocumentation:      %s/docs/\n\n", g.base, g.base)
	if g.secret == "" {
		fmt.Fprintf(&b, "A test key, made in another terminal:\n\nexport URL=%s KEY=$(%s)\n\n", g.base, g.create)
		return b.Bytes()
	}
	file := "docs/example.json"
	fmt.Fprintf(&b, "A test key that may do everything, shown only now. In another terminal:\n\nexport URL=%s KEY=%s\n", g.base, g.secret)
	if _, err := os.Stat(file); err != nil { // the program stands alone
		file = "example.json"
		fmt.Fprintf(&b, "curl -sS -o %s \"$URL/guides/example.json\"\n", file)
	}
	fmt.Fprintf(&b, "curl -sS -H \"Authorization: Bearer $KEY\" --json @%s \"$URL/api/v1/invoice/de/xrechnung/generate\"\n\n", file)
	fmt.Fprintf(&b, "Another key: %s\n\n", g.create)
	return b.Bytes()
}

// createKeyLine is the command that makes a key of this service, inside its container where it is in one. It names what the environment of
// the service names only where another terminal does not have that, and tells no password.
func (h *daemon) createKeyLine(m *Main, container string) string {
	line, s := m.name()+" keys create", h.settings
	inherits := func(name, value string) bool { return container != "" && os.Getenv(name) == value }
	switch {
	case s.Database != "" && !inherits("EINVOICED_DATABASE", s.Database):
		line += " --database …"
	case s.Database == "" && s.Data != "data" && !inherits("EINVOICED_DATA", s.Data):
		line += " --data " + quote(s.Data)
	}
	if container != "" {
		return "docker exec " + container + " " + line
	}
	return line
}

// containerName is the id of the Docker container that the process is in, which Docker gives it as its host's name; empty outside.
func containerName() string {
	if _, err := os.Stat("/.dockerenv"); err != nil {
		return ""
	}
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// baseURL is where people find the service. An address for all interfaces is one of this machine, too.
func baseURL(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "http://" + address
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// quote makes a shell word.
func quote(s string) string {
	return "'" + string(bytes.ReplaceAll([]byte(s), []byte("'"), []byte(`'\''`))) + "'"
}

// loopback tells whether only this machine can reach the address.
func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}
