package blob

import (
	"context"
	"log/slog"
	"net/http"
	"time"
)

// S3Config sets up a store in a bucket.
type S3Config struct {
	// URL says where the bucket is: https://KEY:SECRET@host[:port]/bucket[?region=r][&path=auto|on|off]. Key and secret are
	// %-escaped. It has no default.
	URL       string
	Flag      string            // what errors call the setting that holds URL. Default: --blobs (EINVOICED_BLOBS).
	Attempts  int               // how often a request is made that the server fails. Default: 5.
	Backoff   time.Duration     // before the second attempt; doubles with each. Default: 200 ms.
	Patience  time.Duration     // how long the server may be silent. Default: 30 s.
	Transport http.RoundTripper // Default: one of its own with the limits above.
	Logger    *slog.Logger      // Default: slog.Default().
}

// S3 is a Store in a bucket of an S3 server.
type S3 struct{ Store }

// OpenS3 connects to the bucket.
func OpenS3(ctx context.Context, cfg S3Config) (*S3, error) { return nil, ErrNotFound }

// SignedURL implements Signer.
func (s *S3) SignedURL(ctx context.Context, key, filename, mimeType string, ttl time.Duration) (string, error) {
	return "", ErrNotFound
}

// Check puts, reads, lists and deletes a probe.
func (s *S3) Check(ctx context.Context) error { return ErrNotFound }

// Close ends the connections.
func (s *S3) Close() error { return nil }
