package blob

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/minio/minio-go/v7"
)

// trouble says what an error code of S3 means for an operator. %s is the bucket.
var trouble = map[string]string{
	minio.NoSuchBucket:             "there is no bucket %s: create it, or correct the name",
	minio.AccessDenied:             "the key has not the right to do this in bucket %s: it needs s3:GetObject, s3:PutObject, s3:DeleteObject, s3:AbortMultipartUpload and s3:ListBucket",
	"InvalidAccessKeyId":           "the server of bucket %s does not know the key",
	"XAdminUserNotFound":           "the server of bucket %s does not know the key", // versitygw
	"SignatureDoesNotMatch":        "the secret is not the one of the key for bucket %s",
	"RequestTimeTooSkewed":         "the clocks of this machine and of the server of bucket %s differ by more than 15 minutes: set them by NTP",
	"AuthorizationHeaderMalformed": "the region is not that of bucket %s: give it as ?region=…",
	"InvalidRegion":                "the region is not that of bucket %s: give it as ?region=…",
	"PermanentRedirect":            "bucket %s is in another region: give it as ?region=…",
	"InvalidBucketName":            "the server takes %s for no name of a bucket",
	"QuotaExceeded":                "bucket %s is full",
	"XMinioStorageFull":            "the disks of the server of bucket %s are full",
	"AllAccessDisabled":            "bucket %s is disabled",
	"AccountProblem":               "the account of bucket %s has a problem that its provider must solve",
}

// Refusal is an answer of the object store that trying again does not change: there is no such bucket, no right, another
// secret, another clock. Its text names the setting and the bucket, never the secret.
type Refusal struct {
	text  string
	cause error
}

// Error tells what is wrong and what to do.
func (r *Refusal) Error() string { return r.text + ": " + r.cause.Error() }

// Unwrap gives the server's answer.
func (r *Refusal) Unwrap() error { return r.cause }

// refused tells whether trying again is in vain.
func refused(err error) bool {
	var r *Refusal
	return errors.As(err, &r)
}

// explain makes an error of the client one that an operator understands; what is being done is one word.
func (s *S3) explain(doing string, err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return fmt.Errorf("object store of %s, bucket %s: %s: %w", s.cfg.Flag, s.place.bucket, doing, err)
	}
	if answer.Code == minio.NoSuchKey {
		return errors.Join(ErrNotFound, err)
	}
	err = fmt.Errorf("%s: %s (%d %s)", doing, answer.Message, answer.StatusCode, answer.Code)
	text, known := trouble[answer.Code]
	if !known && answer.StatusCode == http.StatusForbidden {
		text, known = trouble[minio.AccessDenied], true
	}
	if !known {
		return fmt.Errorf("object store of %s, bucket %s: %w", s.cfg.Flag, s.place.bucket, err)
	}
	return &Refusal{s.cfg.Flag + ": " + fmt.Sprintf(text, s.place.bucket), err}
}
