package command

import (
	"testing"

	"github.com/einvoiced/einvoiced/storage/queue/names"
)

// TestEmbedServed_KnownFromTheStart ensures that a process which embeds by itself says so before its queue has told that it is there: a large
// carrier that comes with the first requests is no case for 503.
func TestEmbedServed_KnownFromTheStart(t *testing.T) {
	for name, c := range map[string]struct {
		off    bool
		queues []string
		want   bool // the service is there; otherwise there is none by configuration
	}{
		"alone":                 {queues: names.OfJobs(), want: true},
		"switched off":          {off: true, queues: names.OfJobs()},
		"takes no such queue":   {queues: []string{names.Interactive, names.Default}},
		"takes deliveries only": {queues: []string{names.Webhook}},
	} {
		h := &daemon{rooms: rooms{api: true, worker: true, scheduler: true}} // without a queue to ask
		h.settings.EmbedService, h.settings.Queues = !c.off, c.queues
		served := h.embedServed()
		if (served != nil) != c.want {
			t.Errorf("%s: configured is %t, want %t", name, served != nil, c.want)
			continue
		}
		if served == nil {
			continue
		}
		if there, err := served(t.Context()); err != nil || !there {
			t.Errorf("%s: there is %t, %v", name, there, err)
		}
	}
}
