package harness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"
)

// bytes holds that what the rows promise is stored, once, and counts stored outputs of other runs.
func (a *Auditor) bytes(rows map[string]Row, faults *[]string) (orphans int) {
	a.t.Helper()
	stored := map[string]int{} // job/run/name to how often it is stored
	for _, key := range a.Stored() {
		stored[key]++
	}
	for _, row := range rows {
		for name, sha256 := range map[string]string{"answer": row.AnswerSHA256, "artifact": row.ArtifactSHA256} {
			key := fmt.Sprintf("%s/%d/%s", row.ID, row.Run, name)
			if n := stored[key]; n > 1 || (n == 1) != (sha256 != "") && row.State != "expired" {
				*faults = append(*faults, fmt.Sprintf("%s is stored %d times, the row has %q", key, n, sha256))
			}
			delete(stored, key)
		}
		delete(stored, row.ID+"/0/input")
	}
	return len(stored)
}

// small gives what is kept in the database, where this version does so.
func (a *Auditor) small() []string {
	a.t.Helper()
	if !a.HasTable("job_data") {
		return nil
	}
	return a.Texts("SELECT job_id || '/' || run || '/' || name FROM job_data")
}

// Stored gives all stored bytes as job/run/name, wherever they are.
func (a *Auditor) Stored() []string { return append(a.Blobs(), a.small()...) }

// HasTable tells whether the database has a table.
func (a *Auditor) HasTable(name string) bool {
	query := "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?"
	if a.system.Shared {
		query = "SELECT count(*) FROM pg_tables WHERE tablename = ?"
	}
	return a.Number(query, name) > 0
}

// Blobs gives the keys of all stored blobs without their account: job/run/name.
func (a *Auditor) Blobs() []string {
	a.t.Helper()
	if a.system.Shared {
		return a.objects()
	}
	var keys []string
	root := filepath.Join(a.system.Data, "blobs")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed since its folder was read
		}
		if err == nil && entry.Type().IsRegular() && strings.Contains(entry.Name(), "~") {
			keys = append(keys, strings.ReplaceAll(entry.Name(), "~", "/"))
		}
		return err
	})
	if err != nil {
		a.t.Fatalf("list the blobs: %v", err)
	}
	return keys
}

func (a *Auditor) objects() []string {
	a.t.Helper()
	var keys []string
	for o := range a.system.S3.Client.ListObjects(context.Background(), Bucket, minio.ListObjectsOptions{Recursive: true}) {
		if o.Err != nil {
			a.t.Fatalf("list the objects: %v", o.Err)
		}
		if at := strings.Index(o.Key, "job_"); at >= 0 {
			keys = append(keys, strings.ReplaceAll(o.Key[at:], "~", "/"))
		}
	}
	return keys
}

// selectMiscounted gives the accounts for which another number of bytes is counted than is stored, with the difference. What rows count that have no column for
// it is said here anew: 2 KiB each time that a transmission is queued (peppol.KeptBytes), 1 KiB for a record (chain.Record.Bytes).
const selectMiscounted = `SELECT account_id || ': ' || sum(n) || ' bytes' FROM (
	SELECT account_id, bytes AS n FROM stored_inputs
	UNION ALL SELECT account_id, -input_size - answer_size - artifact_size FROM jobs WHERE state <> 'expired'
	UNION ALL SELECT account_id, -counted FROM jobs
	UNION ALL SELECT b.account_id, -e.input_size FROM batch_jobs e JOIN batches b ON b.id = e.batch_id
	UNION ALL SELECT account_id, -bytes FROM idempotency_keys WHERE bytes > 0
	UNION ALL SELECT t.account_id, -v.counted FROM template_versions v JOIN templates t ON t.id = v.template_id
	UNION ALL SELECT t.account_id, -d.counted FROM peppol_documents d JOIN peppol_transmissions t ON t.id = d.transmission_id
	UNION ALL SELECT account_id, -octet_length(receipt) - 2048 * (SELECT count(*) FROM peppol_events e WHERE e.transmission_id = t.id AND e.type = 'queued')
		FROM peppol_transmissions t
	UNION ALL SELECT c.account_id, -1024 - octet_length(r.record) FROM chain_records r JOIN chains c ON c.id = r.chain_id
	UNION ALL SELECT e.account_id, -d.bytes FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id) AS counted
	GROUP BY account_id HAVING sum(n) <> 0`

// Counted holds that what is counted as stored for each account is what is. A release before that took part counts less.
func (a *Auditor) Counted() {
	a.t.Helper()
	var faults []string
	for _, account := range a.Texts(selectMiscounted) {
		faults = append(faults, "counted beyond what is stored for account "+account)
	}
	a.report(faults)
}
