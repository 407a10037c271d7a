package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// healthCommand is einvoiced health: the health check of a container, which has no other program to ask with.
type healthCommand struct{ adminFlag }

// Run asks the process on this machine how it is.
func (c *healthCommand) Run(m *Main, ctx context.Context) error {
	if c.AdminListen == "off" {
		return &failure{code: exitUsage, cause: errors.New("the admin listener is off"), hint: "--admin-listen (EINVOICED_ADMIN_LISTEN) is that of the running process"}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	status, text, err := ask(ctx, http.MethodGet, "http://"+local(c.AdminListen)+"/healthz")
	switch {
	case err != nil:
		return &failure{code: exitInternal, cause: fmt.Errorf("ask the process: %w", err), hint: "--admin-listen (EINVOICED_ADMIN_LISTEN) is that of the running process"}
	case status != http.StatusOK:
		return &failure{code: exitInvalid, cause: errors.New(strings.TrimSpace(string(text)))}
	}
	_, err = m.Stdout.Write(text)
	return err
}

// local is where a process on this machine reaches a listener: one on all addresses is on loopback, too.
func local(address string) string {
	if strings.HasPrefix(address, ":") {
		return "127.0.0.1" + address
	}
	return strings.NewReplacer("0.0.0.0:", "127.0.0.1:", "[::]:", "[::1]:").Replace(address)
}

// ask makes one request to a process on this machine, without a proxy.
func ask(ctx context.Context, method, url string) (status int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, url, nil)
	if err != nil {
		return 0, nil, err
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	res, err := transport.RoundTrip(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return res.StatusCode, body, err
}
