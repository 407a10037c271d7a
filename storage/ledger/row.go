package ledger

import (
	"database/sql"
	"time"

	"github.com/einvoiced/einvoiced/storage/account"
	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/clock"
	"github.com/einvoiced/einvoiced/storage/outbox"
)

// row is a row of the table jobs.
type row struct {
	ID               string        `db:"id"`
	Account          string        `db:"account_id"`
	Mode             account.Mode  `db:"mode"`
	KeyID            string        `db:"key_id"`
	RequestID        string        `db:"request_id"`
	Kind             string        `db:"kind"`
	Queue            string        `db:"queue"`
	State            State         `db:"state"`
	Progress         int           `db:"progress"`
	Run              int64         `db:"run"`
	Attempts         int           `db:"attempts"`
	Crashes          int           `db:"crashes"`
	Blamed           int           `db:"blamed"`
	Alone            bool          `db:"alone"`
	TimeLimit        int64         `db:"time_limit"`
	Created          int64         `db:"created"`
	Started          sql.NullInt64 `db:"started"`
	Finished         sql.NullInt64 `db:"finished"`
	Beat             sql.NullInt64 `db:"beat"`
	Expires          sql.NullInt64 `db:"expires"`
	InputSize        int64         `db:"input_size"`
	InputSHA256      string        `db:"input_sha256"` // empty when the input is gone before the rest
	InputUntil       sql.NullInt64 `db:"input_until"`  // see inputUntil
	Status           int           `db:"status"`
	AnswerSize       int64         `db:"answer_size"`
	AnswerSHA256     string        `db:"answer_sha256"`
	ArtifactSize     int64         `db:"artifact_size"`
	ArtifactSHA256   string        `db:"artifact_sha256"`
	ArtifactFilename string        `db:"artifact_filename"`
	ArtifactMime     string        `db:"artifact_mime"`
	FailureCode      string        `db:"failure_code"`
	FailureMessage   string        `db:"failure_message"`
	RulebooksNumber  int64         `db:"rulebooks_number"`
	RulebooksDigest  string        `db:"rulebooks_digest"`
	Turn             int64         `db:"turn"`
	WaitsUntil       int64         `db:"waits_until"`
	Metadata         string        `db:"metadata"` // see encodeMetadata
	Announce         bool          `db:"announce"`
	Batch            string        `db:"batch_id"`
	Holds            bool          `db:"holds"`
	Counted          int64         `db:"counted"` // see rowBytes
}

// rowBytes is what the row of a job counts as stored, with its indexes, beside its metadata: as many bytes as a row takes, rounded up.
const rowBytes = 1 << 10

// message is what is owed for the row when it is queued: a message with the number of its next run.
func (r row) message(due time.Time) outbox.Entry {
	return outbox.Entry{Kind: outbox.Enqueue, Subject: r.ID, Queue: r.Queue, Run: r.Run + 1, Due: due}
}

func (r row) job() Job {
	j := Job{
		ID: r.ID, Account: r.Account, Mode: r.Mode, KeyID: r.KeyID, RequestID: r.RequestID, Kind: r.Kind, Queue: r.Queue,
		State: r.State, Progress: r.Progress, Run: r.Run, Attempts: r.Attempts, Crashes: r.Crashes, Blamed: r.Blamed, Alone: r.Alone,
		TimeLimit: time.Duration(r.TimeLimit) * time.Millisecond,
		Created:   clock.Time(r.Created), Started: clock.Time(r.Started.Int64),
		Finished: clock.Time(r.Finished.Int64), Expires: clock.Time(r.Expires.Int64),
		Status: r.Status, Input: blob.Info{Size: r.InputSize, SHA256: r.InputSHA256},
		Rulebooks: Rulebooks{r.RulebooksNumber, r.RulebooksDigest},
		Metadata:  decodeMetadata(r.Metadata), Announce: r.Announce, Batch: r.Batch,
	}
	if r.AnswerSHA256 != "" {
		j.Answer = &blob.Info{Size: r.AnswerSize, SHA256: r.AnswerSHA256}
	}
	if r.ArtifactSHA256 != "" {
		j.Artifact = &Artifact{r.ArtifactFilename, r.ArtifactMime, blob.Info{Size: r.ArtifactSize, SHA256: r.ArtifactSHA256}}
	}
	if r.FailureCode != "" {
		j.Failure = &Failure{r.FailureCode, r.FailureMessage}
	}
	return j
}
