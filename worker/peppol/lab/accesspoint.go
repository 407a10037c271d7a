package lab

import (
	"bytes"
	"context"
	"crypto"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	core "github.com/einvoiced/einvoiced/core/peppol"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/envelope/sbdh"
)

// Fault is something that goes wrong with the messages to recipients whose id ends in its name.
type Fault struct{ Name, What string }

// Faults are those that there are. All but the last strike only when a message comes for the first time.
var Faults = []Fault{
	{"no-receipt", "the message is taken, and the connection ends without an answer"},
	{"late-receipt", "the message is taken; the receipt comes later, by a call-back"},
	{"wrong-signature", "the receipt is signed by somebody else"},
	{"slow", "the answer takes its time"},
	{"500", "the answer is 500, and the message is not taken"},
	{"duplicate", "the receipt comes with the answer and by two call-backs"},
	{"rejected", "the recipient refuses the message"},
}

// message is what the access point has taken.
type message struct {
	Receipt string `json:"-"`
	State   string `json:"state"`
	Times   int    `json:"times"` // that it came
}

// Report is what an access point has taken.
type Report struct {
	Distinct int                 `json:"distinct"` // message ids
	Repeats  int                 `json:"repeats"`  // messages that came again
	Messages map[string]*message `json:"messages"`
}

// inbox keeps what has come, by message id.
type inbox struct {
	mu       sync.Mutex
	messages map[string]*message
	struck   map[string]bool // message ids that a fault has struck without their being taken
}

func newInbox() *inbox { return &inbox{messages: map[string]*message{}, struck: map[string]bool{}} }

// take notes a message and tells whether it came for the first time.
func (b *inbox) take(id, receipt, state string) (m message, first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := b.messages[id]
	if first = known == nil; first {
		known = &message{Receipt: receipt, State: state}
		b.messages[id] = known
	}
	known.Times++
	return *known, first
}

// strike tells whether a fault that keeps a message from being taken strikes: once for each message.
func (b *inbox) strike(id string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := !b.struck[id]
	b.struck[id] = true
	return first
}

// Report tells what has come.
func (l *Lab) Report() Report {
	l.box.mu.Lock()
	defer l.box.mu.Unlock()
	r := Report{Distinct: len(l.box.messages), Messages: map[string]*message{}}
	for id, m := range maps.All(l.box.messages) {
		copied := *m
		r.Messages[id] = &copied
		r.Repeats += m.Times - 1
	}
	return r
}

func (l *Lab) routes(ctx context.Context) http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /smp/", l.publish)
	m.HandleFunc("POST /ap/messages", l.authorised(func(w http.ResponseWriter, r *http.Request) { l.receive(ctx, w, r) }))
	m.HandleFunc("GET /ap/messages", func(w http.ResponseWriter, _ *http.Request) { l.json(w, http.StatusOK, l.Report()) })
	m.HandleFunc("GET /ap/messages/{id}", l.authorised(l.status))
	m.HandleFunc("PUT /ap/callback", l.authorised(func(w http.ResponseWriter, r *http.Request) {
		target, err := io.ReadAll(io.LimitReader(r.Body, 2048))
		if err == nil {
			l.CallBack(string(target))
		}
		w.WriteHeader(http.StatusNoContent)
	}))
	return m
}

func (l *Lab) authorised(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+l.token)) != 1 {
			l.json(w, http.StatusUnauthorized, map[string]string{"message": "the token is wrong"})
			return
		}
		next(w, r)
	}
}

func (l *Lab) json(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// answered is what the access point says of a message.
type answered struct {
	MessageID string `json:"messageId"`
	State     string `json:"state"` // accepted, delivered or rejected
	Receipt   string `json:"receipt,omitempty"`
	Message   string `json:"message,omitempty"`
	Repeated  bool   `json:"repeated,omitempty"` // it had come before
}

// status tells what is known of a message.
func (l *Lab) status(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	l.box.mu.Lock()
	m, ok := l.box.messages[id]
	l.box.mu.Unlock()
	if !ok {
		l.json(w, http.StatusNotFound, map[string]string{"message": "no such message"})
		return
	}
	l.say("ap    %s is asked for: %s", id, m.State)
	l.json(w, http.StatusOK, answered{MessageID: id, State: m.State, Receipt: m.Receipt})
}

// mostMessage is the most bytes of a message.
const mostMessage = 64 << 20

// receive takes a message, checks its envelope, and answers with a receipt, or as the fault of its recipient says.
func (l *Lab) receive(ctx context.Context, w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostMessage))
	if err != nil {
		return
	}
	id, recipient, fault := envelopeOf(body)
	if fault != "" || id != r.Header.Get("X-Message-Id") {
		l.say("ap    refused: %s", fault)
		l.json(w, http.StatusUnprocessableEntity, answered{State: "rejected", Message: "the envelope is wrong: " + fault})
		return
	}
	l.answer(ctx, w, id, recipient, body)
}

func (l *Lab) answer(ctx context.Context, w http.ResponseWriter, id, recipient string, body []byte) {
	fault := faultOf(recipient)
	if fault == "500" && l.box.strike(id) {
		l.say("ap    %s to %s: 500", id, recipient)
		l.json(w, http.StatusInternalServerError, map[string]string{"message": "the access point is broken"})
		return
	}
	receipt, err := core.SignReceipt(core.Receipt{MessageID: id, SHA256: core.Digest(body), Received: l.cfg.Now().UTC()}, l.pki.receipts.PrivateKey.(crypto.Signer))
	if err != nil {
		l.json(w, http.StatusInternalServerError, map[string]string{"message": err.Error()})
		return
	}
	state := "delivered"
	if fault == "rejected" {
		state, receipt = "rejected", ""
	}
	m, first := l.box.take(id, receipt, state)
	l.say("ap    %s to %s: taken, for the first time %t, fault %q", id, recipient, first, fault)
	out := answered{MessageID: id, State: m.State, Receipt: m.Receipt, Repeated: !first}
	if first {
		l.strike(ctx, fault, &out, body)
	}
	if state == "rejected" {
		out.Message = "the recipient does not want it"
	}
	l.json(w, http.StatusOK, out)
}

// strike does what the fault says to an answer. The end of the connection is a panic that net/http knows.
func (l *Lab) strike(ctx context.Context, fault string, out *answered, body []byte) {
	switch fault {
	case "no-receipt":
		panic(http.ErrAbortHandler)
	case "wrong-signature":
		out.Receipt, _ = core.SignReceipt(core.Receipt{MessageID: out.MessageID, SHA256: core.Digest(body)}, l.pki.wrong)
	case "slow":
		select {
		case <-ctx.Done():
		case <-time.After(l.cfg.Slow):
		}
	case "late-receipt":
		late := *out
		out.State, out.Receipt = "accepted", ""
		l.work.Go(func() { l.callBack(ctx, late, 1) })
	case "duplicate":
		late := *out
		l.work.Go(func() { l.callBack(ctx, late, 2) })
	}
}

// callDelay is the pause before a call-back, and before another try of it.
const callDelay = 200 * time.Millisecond

// callTries is how often a call-back is tried that was not taken.
const callTries = 100

// callBack tells the service of a message, so many times, each until it is taken.
func (l *Lab) callBack(ctx context.Context, out answered, times int) {
	body, err := json.Marshal(out)
	if err != nil {
		return
	}
	header := ""
	for range times {
		for range callTries {
			select {
			case <-ctx.Done():
				return
			case <-time.After(callDelay):
			}
			if header == "" || times == 1 {
				header = core.Callback{Secret: l.secret}.Sign(body, l.cfg.Now())
			}
			if l.call(ctx, out.MessageID, header, body) {
				break
			}
		}
	}
}

// call makes one call-back and tells whether it has ended: taken, or refused as one that was taken.
func (l *Lab) call(ctx context.Context, id, header string, body []byte) bool {
	l.mu.Lock()
	target := l.target
	l.mu.Unlock()
	if target == "" {
		return false
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, target, bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Header.Set("X-Signature", header)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.say("call  %s: %v", id, err)
		return false
	}
	_ = res.Body.Close()
	l.say("call  %s: %d", id, res.StatusCode)
	return res.StatusCode == http.StatusOK || res.StatusCode == http.StatusConflict
}

func faultOf(recipient string) string {
	i := slices.IndexFunc(Faults, func(f Fault) bool { return strings.HasSuffix(recipient, "-"+f.Name) })
	if i < 0 {
		return ""
	}
	return Faults[i].Name
}

// envelopeOf checks an envelope and gives message id and recipient, or what is wrong.
func envelopeOf(body []byte) (id, recipient, fault string) {
	doc, err := xmltree.Parse(body, xmltree.Options{})
	if err != nil {
		return "", "", err.Error()
	}
	defer doc.Release()
	if faults := sbdh.Check(doc); len(faults) > 0 {
		return "", "", fmt.Sprintf("%s: %s", faults[0].Rule, faults[0].Message)
	}
	h, err := sbdh.Read(doc)
	if err != nil {
		return "", "", err.Error()
	}
	return h.Instance, h.Receiver.String(), ""
}
