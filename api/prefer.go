package api

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// preference is what a Prefer field (RFC 7240) asks for.
type preference struct {
	async bool
	wait  time.Duration // how long the synchronous answer is still welcome; 0 for not at all
}

// preferred reads respond-async and, with it, wait=N (§4.1, §4.3). Preferences that are unknown or unreadable are ignored, as
// the standard asks.
func preferred(h http.Header) preference {
	var p preference
	for item := range strings.SplitSeq(strings.Join(h.Values("Prefer"), ","), ",") {
		item, _, _ = strings.Cut(item, ";")
		name, value, _ := strings.Cut(item, "=")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "respond-async":
			p.async = true
		case "wait":
			p.wait = waitTime(strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return p
}

// waitTime reads whole seconds; what is not that is no wait.
func waitTime(s string) time.Duration {
	n, err := strconv.ParseUint(s, 10, 31)
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Second
}
