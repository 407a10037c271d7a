package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"strings"
	"sync"
	"time"

	"github.com/einvoiced/einvoiced/worker/deliver/signature"
)

// webhooksCommand is einvoiced webhooks.
type webhooksCommand struct {
	Listen webhooksListen `cmd:"" help:"Print deliveries as they come, with what is to be thought of their signatures; for trials on this machine."`
	Verify webhooksVerify `cmd:"" help:"Check the signatures of a delivery that was written to a file."`
}

// secretFlag is the secret of a webhook.
type secretFlag struct {
	Secret string `env:"EINVOICED_WEBHOOK_SECRET" placeholder:"WHSEC" help:"Secret of the webhook, whsec_…; GET /api/v1/webhooks/{id}/secret shows it."`
}

// verify judges the signatures of a request. A secret that is none is wrong usage.
func (f *secretFlag) verify(header http.Header, body []byte, now time.Time, tolerance time.Duration) ([]signature.Verdict, error) {
	verdicts, err := signature.Verify(f.Secret, header, body, now, tolerance)
	if err != nil {
		return nil, &failure{code: exitUsage, cause: err, hint: "--secret (EINVOICED_WEBHOOK_SECRET) takes the secret as it is shown, with whsec_"}
	}
	return verdicts, nil
}

// believable tells whether a request may be believed: it has a signature, and none that is wrong.
func believable(verdicts []signature.Verdict) bool {
	present := false
	for _, v := range verdicts {
		if v.Present && !v.Valid {
			return false
		}
		present = present || v.Present
	}
	return present
}

// describe writes the verdicts in one line.
func describe(verdicts []signature.Verdict) string {
	var parts []string
	for _, v := range verdicts {
		what := "valid"
		if !v.Valid {
			what = v.Why
		}
		parts = append(parts, v.Name+" "+what)
	}
	return strings.Join(parts, "; ")
}

// webhooksListen is einvoiced webhooks listen.
type webhooksListen struct {
	secretFlag
	Listen string `default:"127.0.0.1:9090" placeholder:"ADDR" help:"Address to listen on; default ${default}. The service sends to http://ADDR only if it was started with --allow-network http://ADDR."`
	Answer int    `default:"200" placeholder:"STATUS" help:"Status to answer with where the signatures are valid; default ${default}."`
}

// listenTolerance is how old a delivery may be that is believed, as Standard Webhooks recommends.
const listenTolerance = 5 * time.Minute

// listenMost is the most bytes of a body: many times what the service sends.
const listenMost = 1 << 20

// Run prints deliveries until ctx ends.
func (c *webhooksListen) Run(m *Main, ctx context.Context) error {
	if c.Answer < 200 || c.Answer > 599 {
		return &failure{code: exitUsage, cause: fmt.Errorf("%d is no final status of HTTP", c.Answer), hint: "--answer takes 200 to 599"}
	}
	if c.Secret != "" {
		if _, err := c.verify(http.Header{}, nil, time.Now(), 0); err != nil {
			return err
		}
	}
	var mu sync.Mutex
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, listenMost+1))
		if err != nil || len(body) > listenMost {
			http.Error(w, "the body is too large or did not come whole", http.StatusRequestEntityTooLarge)
			return
		}
		status, verdict := c.take(r, body)
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(m.Stdout, "%s %s %s: %s\n%s\n", time.Now().Format(time.TimeOnly), printable(r.Header.Get(signature.Event)), printable(r.Header.Get(signature.Delivery)), verdict, printable(string(body)))
		w.WriteHeader(status)
	})
	log := newLog(m.Stderr, "warn")
	s, err := newServer(c.Listen, handler, log, "--listen")
	if err != nil {
		return err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	s.start(fail)
	fmt.Fprintf(m.Stderr, "listening on http://%s; the service reaches it with --allow-network http://%s\n", s.address(), s.address())
	if m.Started != nil {
		m.Started(s.address(), "")
	}
	<-ctx.Done()
	return errors.Join(broken(ctx), s.close())
}

// take gives the status to answer a request with, and the verdict in words.
func (c *webhooksListen) take(r *http.Request, body []byte) (status int, verdict string) {
	if r.Method != http.MethodPost {
		return http.StatusMethodNotAllowed, "no POST"
	}
	if c.Secret == "" {
		return c.Answer, "signatures not checked, for want of --secret"
	}
	verdicts, err := c.verify(r.Header, body, time.Now(), listenTolerance)
	if err != nil || !believable(verdicts) {
		return http.StatusUnauthorized, describe(verdicts)
	}
	return c.Answer, describe(verdicts)
}

// printable is text without characters that steer a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// webhooksVerify is einvoiced webhooks verify.
type webhooksVerify struct {
	secretFlag
	Header    []string      `short:"H" sep:"none" placeholder:"'NAME: VALUE'" help:"A header field of the delivery, as curl writes it. May be repeated."`
	Tolerance time.Duration `placeholder:"TIME" help:"How far the signed time may be from now, such as 5m. By default it may be any."`
	File      string        `arg:"" placeholder:"FILE" help:"The body, byte for byte; - is standard input."`
}

// Run prints the verdicts.
func (c *webhooksVerify) Run(m *Main) error {
	header, err := c.header()
	if err != nil {
		return err
	}
	body, err := c.body(m)
	if err != nil {
		return err
	}
	verdicts, err := c.verify(header, body, time.Now(), c.Tolerance)
	if err != nil {
		return err
	}
	fmt.Fprintln(m.Stdout, strings.ReplaceAll(describe(verdicts), "; ", "\n"))
	switch {
	case believable(verdicts):
		return nil
	case !verdicts[0].Present && !verdicts[1].Present:
		return &failure{code: exitUsage, cause: errors.New("no signature to check"), hint: "--header 'X-Service-Signature: …' and the Webhook- fields of the delivery"}
	}
	return &failure{code: exitInvalid, cause: errors.New("the signature is not valid"), told: true}
}

// header reads the fields.
func (c *webhooksVerify) header() (http.Header, error) {
	header := http.Header{}
	for _, h := range c.Header {
		name, value, ok := strings.Cut(h, ":")
		name = textproto.TrimString(name)
		if !ok || name == "" {
			return nil, &failure{code: exitUsage, cause: fmt.Errorf("%q is no header field", h), hint: "--header 'Webhook-Id: dlv_…'"}
		}
		header.Add(name, textproto.TrimString(value))
	}
	return header, nil
}

// body reads the file.
func (c *webhooksVerify) body(m *Main) ([]byte, error) {
	if c.File == "-" {
		return readUpTo(m.Stdin, listenMost, 0)
	}
	body, err := readFile(c.File, listenMost)
	if err != nil {
		return nil, &failure{code: exitUsage, cause: err}
	}
	return body, nil
}
