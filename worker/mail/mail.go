// Package mail sends the few mails that the service writes: that a delivery has failed for good. Without a mail server they are lines
// of the log.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"slices"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Config sets up a Mailer.
type Config struct {
	// SMTP is where mail is handed in: smtp://user:password@host:587?from=einvoiced@example.com takes STARTTLS and insists on it;
	// smtps://…:465 is TLS from the first byte; smtp://…?tls=off sends in the clear, for a relay on the same machine. Default: nothing is sent.
	SMTP    string
	TLS     *tls.Config   // Default: the machine's authorities, TLS 1.2 and later.
	Timeout time.Duration // for one mail. Default: 30 s.
}

// Mailer hands mail to a server. It is safe for concurrent use.
type Mailer struct {
	server  *url.URL // nil: nothing is sent
	from    *mail.Address
	options []gomail.Option
	timeout time.Duration
}

// New prepares a Mailer. The error says what of the SMTP URL is wrong, without the password.
func New(cfg Config) (*Mailer, error) {
	if cfg.Timeout < 0 {
		return nil, errors.New("mail: Timeout must not be negative")
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 30 * time.Second
	}
	m := &Mailer{timeout: cfg.Timeout}
	if cfg.SMTP == "" {
		return m, nil
	}
	u, err := url.Parse(cfg.SMTP)
	if err != nil {
		return nil, errors.New("mail: the SMTP address is not a URL; it looks like smtp://user:password@host:587?from=einvoiced@example.com")
	}
	if m.from, err = mail.ParseAddress(u.Query().Get("from")); err != nil {
		return nil, fmt.Errorf("mail: from in the SMTP address is no e-mail address: %q", u.Query().Get("from"))
	}
	m.server = u
	m.options, err = optionsOf(u, cfg)
	return m, err
}

// optionsOf reads the URL.
func optionsOf(u *url.URL, cfg Config) ([]gomail.Option, error) {
	if u.Hostname() == "" {
		return nil, errors.New("mail: the SMTP address names no host")
	}
	options := []gomail.Option{gomail.WithTimeout(cfg.Timeout)}
	port := 587
	switch plain := u.Query().Get("tls") == "off"; {
	case u.Scheme == "smtps" && !plain:
		port, options = 465, append(options, gomail.WithSSL())
	case u.Scheme == "smtp" && plain:
		port, options = 25, append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	case u.Scheme == "smtp" && !u.Query().Has("tls"):
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	default:
		return nil, errors.New("mail: the SMTP address begins with smtp:// or smtps://, and tls may only be off, with smtp://")
	}
	if text := u.Port(); text != "" {
		var err error
		if port, err = strconv.Atoi(text); err != nil {
			return nil, errors.New("mail: the port of the SMTP address is not a number")
		}
	}
	options = append(options, gomail.WithPort(port))
	if cfg.TLS != nil {
		options = append(options, gomail.WithTLSConfig(cfg.TLS))
	}
	if password, ok := u.User.Password(); ok {
		options = append(options, gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover), gomail.WithUsername(u.User.Username()), gomail.WithPassword(password))
	}
	return options, nil
}

// Enabled tells whether there is a mail server.
func (m *Mailer) Enabled() bool { return m.server != nil }

// Message is a mail.
type Message struct {
	ID      string // the same each time the mail is sent; letters, digits, dots, hyphens and underscores
	To      string // an e-mail address
	Subject string
	Text    string
	Date    time.Time
}

// Send hands a mail over. The error is ErrRecipient for an address that is none; others are the server's.
func (m *Mailer) Send(ctx context.Context, message Message) error {
	msg := gomail.NewMsg()
	msg.FromMailAddress(m.from)
	if err := msg.To(message.To); err != nil {
		return errors.Join(ErrRecipient, err)
	}
	msg.Subject(message.Subject)
	msg.SetMessageIDWithValue(message.ID + "@" + m.server.Hostname())
	msg.SetDateWithValue(message.Date)
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834 §5: no answers by machines
	msg.SetUserAgent("einvoiced")
	msg.SetBodyString(gomail.TypeTextPlain, message.Text)
	options, hangUp := m.hangingUp()
	defer hangUp()
	client, err := gomail.NewClient(m.server.Hostname(), options...)
	if err != nil {
		return fmt.Errorf("prepare mail: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	if err := client.DialAndSendWithContext(ctx, msg); err != nil {
		return fmt.Errorf("send mail %s: %w", message.ID, err)
	}
	return nil
}

// hangingUp gives the options and what closes the connection at the end: the library leaves it open where the server offers no TLS, or
// refuses the password. One that is TLS from the first byte the library must open itself, to know that it is.
func (m *Mailer) hangingUp() (options []gomail.Option, hangUp func()) {
	if m.server.Scheme == "smtps" {
		return m.options, func() {}
	}
	var opened []net.Conn
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			opened = append(opened, conn)
		}
		return conn, err
	}
	return append(slices.Clip(m.options), gomail.WithDialContextFunc(dial)), func() {
		for _, conn := range opened {
			_ = conn.Close() // closed already after a mail that was taken
		}
	}
}

// ErrRecipient says that the address of a mail is none, so that sending it again is of no use.
var ErrRecipient = errors.New("the recipient is no e-mail address")
