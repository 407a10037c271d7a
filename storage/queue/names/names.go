// Package names has the names of all queues, for those who put something into a queue and those who say which queues a process serves.
package names

// The queues that a job can wait in.
const (
	Interactive = "interactive" // somebody waits for the answer
	Default     = "default"
	Embed       = "embed" // large PDF carriers
)

// Webhook is the queue that deliveries of events wait in.
const Webhook = "webhook"

// OfJobs gives the queues that a job can wait in.
func OfJobs() []string { return []string{Interactive, Default, Embed} }

// All gives the names of all queues.
func All() []string { return append(OfJobs(), Webhook) }
