package ledger

import (
	"context"
	"fmt"
	"time"

	"github.com/einvoiced/einvoiced/storage/blob"
)

// ArtifactURL gives an address under which the store of the blobs gives the artifact of the job itself, to whoever knows it, for
// as long as ttl; "" where the store gives none, and for an artifact that is kept beside its row.
func (l *Ledger) ArtifactURL(ctx context.Context, job Job, ttl time.Duration) (string, error) {
	signer, ok := l.blobs.(blob.Signer)
	if !ok || job.Artifact == nil || job.Artifact.Size <= mostSmall {
		return "", nil
	}
	url, err := signer.SignedURL(ctx, blob.Key(job.Account, job.ID, job.Run, artifactName), job.Artifact.Filename, job.Artifact.MimeType, ttl)
	if err != nil {
		return "", fmt.Errorf("sign address of artifact of job %s: %w", job.ID, err)
	}
	return url, nil
}
