package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/worker/peppol/lab"
)

// labCommand is einvoiced lab.
type labCommand struct {
	Folder  string `placeholder:"DIR" help:"Where its certificates are written; by default a new folder, which is removed in the end."`
	HTTPS   string `name:"https" default:"127.0.0.1:8843" placeholder:"ADDRESS" help:"Address of publisher and access point; default ${default}."`
	DNS     string `name:"dns" default:"127.0.0.1:8853" placeholder:"ADDRESS" help:"Address of the name server; default ${default}."`
	Service string `placeholder:"URL" help:"Service that is told the settings of the laboratory as soon as it runs, with --key; call-backs go there. By default the settings are printed."`
	Key     string `env:"EINVOICED_KEY" placeholder:"KEY" help:"Live API key of the service with admin:peppol; einvoiced keys create --mode live --entitlement admin:peppol makes one."`
}

// Run starts the laboratory, prints what to configure and each step, and runs until ctx ends.
func (c *labCommand) Run(m *Main, ctx context.Context) (err error) {
	folder := c.Folder
	if folder == "" {
		if folder, err = os.MkdirTemp("", "einvoiced-lab-"); err != nil {
			return fmt.Errorf("make a folder for certificates: %w", err)
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	}
	l, err := lab.Start(lab.Config{Folder: folder, HTTPS: c.HTTPS, DNS: c.DNS, Output: m.Stdout})
	if errors.Is(err, lab.ErrListen) {
		return &failure{code: exitInternal, cause: err, hint: "choose other addresses of the loopback with --https and --dns"}
	}
	if err != nil {
		return &failure{code: exitInternal, cause: err, hint: "--folder names a folder that can be written to"}
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if err := c.introduce(m, ctx, l); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

// introduce prints what to configure, or configures the service.
func (c *labCommand) introduce(m *Main, ctx context.Context, l *lab.Lab) error {
	settings, err := json.Marshal(l.Settings(), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	fmt.Fprintf(m.Stdout, "The laboratory runs. Start the service with\n\n  %s serve %s\n\n", m.name(), strings.Join(l.Flags(), " "))
	if c.Service == "" {
		fmt.Fprintf(m.Stdout, "and put these settings to /api/v1/peppol/settings with a live key (--service URL --key KEY does that, and lets late receipts come):\n\n%s\n\n", settings)
	} else if err := configureLab(ctx, l, c.Service, c.Key, settings); err != nil {
		return err
	}
	fmt.Fprintln(m.Stdout, "Recipients are all participants but those whose id ends in -unknown; -unsupported take nothing. What goes wrong with an id that ends in:")
	for _, f := range lab.Faults {
		fmt.Fprintf(m.Stdout, "  %-16s %s\n", "-"+f.Name, f.What)
	}
	fmt.Fprintf(m.Stdout, "https://%s/ap/messages shows what has come. Ctrl-C ends it.\n", l.Place())
	return nil
}

// awaited sends a request until it is answered: the service needs the certificates of the laboratory, so it is started after that.
func awaited(ctx context.Context, req *http.Request) (*http.Response, error) {
	for {
		again := req.Clone(ctx)
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		again.Body = body
		if res, err := http.DefaultClient.Do(again); err == nil {
			return res, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(time.Second):
		}
	}
}

// configureLab puts the settings of a laboratory to a service, and takes over where call-backs go.
func configureLab(ctx context.Context, l *lab.Lab, service, key string, settings []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, service+"/api/v1/peppol/settings", bytes.NewReader(settings))
	if err != nil {
		return &failure{code: exitUsage, cause: err, hint: "--service takes the address of a running service, such as http://127.0.0.1:8080"}
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	res, err := awaited(ctx, req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("read the answer of the service: %w", err)
	}
	var said struct {
		Message      string `json:"message"`
		CallbackPath string `json:"callbackPath"`
	}
	if err := json.Unmarshal(body, &said); err != nil || res.StatusCode != http.StatusOK {
		return &failure{code: exitInvalid, cause: fmt.Errorf("the service has answered %d: %s", res.StatusCode, said.Message), hint: "--key takes a live key with admin:peppol"}
	}
	l.CallBack(service + said.CallbackPath)
	return nil
}
