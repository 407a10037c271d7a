package ledger

// Event is something that webhooks tell the account.
type Event struct {
	Type   string // invoice.generated, job.succeeded …
	Object []byte // the JSON of data.object
}
