package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"

	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
)

// The names of a job's bytes: the input belongs to run 0, the others to the run that made them.
const (
	inputName    = "input"
	answerName   = "answer"
	artifactName = "artifact"
)

// datum is input or output of a job. Small ones are kept in the table job_data, written by the transaction of their row, so that
// one sync makes both durable; others are blobs, stored before it.
type datum struct {
	run   int64
	name  string
	bytes []byte // nil for what is a blob
	blob.Info
}

// datumOf is what is to be kept beside the row.
func datumOf(run int64, name string, data []byte) datum {
	sum := sha256.Sum256(data)
	if data == nil {
		data = []byte{}
	}
	return datum{run, name, data, blob.Info{Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}}
}

// take reads the input of a job. One that is not small is stored before take returns.
func (l *Ledger) take(ctx context.Context, accountID, jobID string, request io.Reader) (datum, error) {
	small := max(l.cfg.SmallBytes, 0)
	head, err := io.ReadAll(io.LimitReader(request, int64(small)+1))
	if err != nil {
		return datum{}, fmt.Errorf("read request: %w", err)
	}
	if len(head) <= small && l.cfg.SmallBytes >= 0 {
		return datumOf(0, inputName, head), nil
	}
	return l.put(ctx, accountID, jobID, 0, inputName, io.MultiReader(bytes.NewReader(head), request))
}

// Admit refuses, with a *volume.ExceededError, bytes that would make more than the account may have stored. Whoever stores them counts them.
func (l *Ledger) Admit(ctx context.Context, accountID string, bytes int64) error {
	return l.cfg.Stored.Admit(ctx, accountID, bytes)
}

// takeWithin is take for an account that may not store more than so much. It asks twice, because the size is known only when
// the input was read, and an account that is full need not send it. beside is how many bytes are stored along with the input.
func (l *Ledger) takeWithin(ctx context.Context, accountID, jobID string, request io.Reader, beside int64) (datum, error) {
	if err := l.Admit(ctx, accountID, beside); err != nil {
		return datum{}, err
	}
	d, err := l.take(ctx, accountID, jobID, request)
	if err != nil {
		return d, err
	}
	if err = l.Admit(ctx, accountID, rowBytes+d.Size); err != nil && d.bytes == nil {
		err = errors.Join(err, l.blobs.DeleteAll(context.WithoutCancel(ctx), accountID+"/"+jobID))
	}
	return d, err
}

// keep prepares output of a run. What is not small is stored before keep returns.
func (l *Ledger) keep(ctx context.Context, job Job, name string, c Content) (d datum, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("store %s of job %s: %w", name, job.ID, err)
		}
	}()
	if c.Size() <= int64(l.cfg.SmallBytes) {
		data, err := ReadAll(ctx, c)
		return datumOf(job.Run, name, data), err
	}
	r, err := c.Open(ctx)
	if err != nil {
		return datum{}, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	d, err = l.put(ctx, job.Account, job.ID, job.Run, name, r)
	if err == nil && d.Size != c.Size() {
		err = fmt.Errorf("%d bytes of %d: %w", d.Size, c.Size(), ErrCorrupt)
	}
	return d, err
}

// put stores a datum as a blob: as it is where customers may read it by a signed address, else compressed. Its size and checksum
// are those of what was given.
func (l *Ledger) put(ctx context.Context, accountID, jobID string, run int64, name string, r io.Reader) (datum, error) {
	key := blob.Key(accountID, jobID, run, name)
	if name == artifactName {
		info, err := l.blobs.Put(ctx, key, r)
		return datum{run: run, name: name, Info: info}, err
	}
	packed := pack(r)
	_, err := l.blobs.Put(ctx, key, packed)
	return datum{run: run, name: name, Info: packed.info()}, err
}

// insertData writes those of the data that are small.
func insertData(tx *db.Tx, jobID string, data ...datum) error {
	var rows []string
	var args []any
	for _, d := range data {
		if d.bytes != nil {
			rows = append(rows, "(?, ?, ?, ?)")
			args = append(args, jobID, d.run, d.name, d.bytes)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if err := tx.Later("INSERT INTO job_data (job_id, run, name, bytes) VALUES "+strings.Join(rows, ", "), args...); err != nil {
		return fmt.Errorf("keep bytes of job %s: %w", jobID, err)
	}
	return nil
}

// open opens a datum of the job, wherever it is kept. What is read is verified: bytes that differ from the row's size or SHA-256
// end in ErrCorrupt instead of io.EOF. The error is ErrGone where there is none.
func (l *Ledger) open(ctx context.Context, job Job, run int64, name string, info blob.Info) (io.ReadCloser, error) {
	kept, form, err := l.openKept(ctx, job, run, name, info)
	if err != nil {
		return nil, err
	}
	return form.read(kept)
}

// openKept opens the bytes of a datum as they are kept. The error is ErrGone where there are none.
func (l *Ledger) openKept(ctx context.Context, job Job, run int64, name string, info blob.Info) (io.ReadCloser, Form, error) {
	data, small, err := l.small(ctx, job, run, name, info)
	if small || err != nil {
		return io.NopCloser(bytes.NewReader(data)), Form{Info: info}, err
	}
	r, err := l.blobs.Get(ctx, blob.Key(job.Account, job.ID, run, name))
	if errors.Is(err, blob.ErrNotFound) {
		err = errors.Join(ErrGone, err)
	}
	return r, Form{Info: info, Packed: name != artifactName}, err
}

// small gives a datum that lies beside the row, and tells whether it does.
func (l *Ledger) small(ctx context.Context, job Job, run int64, name string, info blob.Info) (data []byte, ok bool, err error) {
	if name == inputName && job.Request != nil {
		return job.Request, true, nil
	}
	if info.Size <= mostSmall { // whatever SmallBytes was when it was written
		err = l.db.Get(ctx, &data, "SELECT bytes FROM job_data WHERE job_id = ? AND run = ? AND name = ?", job.ID, run, name)
		if err == nil {
			return data, true, nil
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return nil, false, fmt.Errorf("read %s of job %s: %w", name, job.ID, err)
		}
	}
	return nil, false, nil
}

// whole reads all of a datum.
func (l *Ledger) whole(ctx context.Context, job Job, run int64, name string, info blob.Info) ([]byte, error) {
	data, err := ReadAll(ctx, stored{l, job, run, name, info})
	if err != nil {
		return nil, fmt.Errorf("read %s of job %s: %w", name, job.ID, err)
	}
	return data, nil
}

// verifying compares what is read with what the row says.
type verifying struct {
	io.ReadCloser
	want blob.Info
	read int64
	sum  hash.Hash
}

func (v *verifying) Read(p []byte) (int, error) {
	n, err := v.ReadCloser.Read(p)
	v.read += int64(n)
	v.sum.Write(p[:n])
	if v.read > v.want.Size || errors.Is(err, io.EOF) && (v.read < v.want.Size || hex.EncodeToString(v.sum.Sum(nil)) != v.want.SHA256) {
		return n, ErrCorrupt
	}
	return n, err
}
