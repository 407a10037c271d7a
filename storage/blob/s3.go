package blob

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
)

// S3Config sets up a store in a bucket.
type S3Config struct {
	// URL says where the bucket is: https://KEY:SECRET@host[:port]/bucket[/prefix], with %-escapes in key and secret. Without
	// them AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are taken, or the role of the machine. Options after a question mark:
	// region (default us-east-1), lookup=path|host (how the bucket is named in requests; default: host at the large clouds,
	// path elsewhere), public (the https://host[:port] that signed addresses begin with; default: the server's own). URL has
	// no default.
	URL       string
	Flag      string            // what errors call the setting that holds URL. Default: --s3 (EINVOICED_S3).
	Attempts  int               // how often a request is made that the server fails. Default: 5.
	Patience  time.Duration     // how long the server may be silent. Default: 30 s.
	PartSize  int               // of what is stored in parts, in bytes, at least 5 MiB; what fits in one is held in memory. Default: 32 MiB.
	Transport http.RoundTripper // Default: one of its own that obeys Patience.
	Logger    *slog.Logger      // Default: slog.Default().
}

const leastPart = 5 << 20 // of S3, for all parts but the last

func (c S3Config) withDefaults() (S3Config, error) {
	if c.Attempts < 0 || c.Patience < 0 || c.PartSize != 0 && c.PartSize < leastPart {
		return c, errors.New("blob: Attempts and Patience must not be negative, PartSize at least 5 MiB")
	}
	if c.Flag == "" {
		c.Flag = "--s3 (EINVOICED_S3)"
	}
	if c.Attempts == 0 {
		c.Attempts = 5
	}
	if c.Patience == 0 {
		c.Patience = 30 * time.Second
	}
	if c.PartSize == 0 {
		c.PartSize = 32 << 20
	}
	if c.Transport == nil {
		c.Transport = patientTransport(c.Patience)
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return c, nil
}

// S3 is a Store in a bucket of an S3 server. The blob account/job/run/name is the object prefix/account/job~run~name: some
// servers keep objects as files and cannot have one below another.
type S3 struct {
	cfg    S3Config
	place  s3Place
	client *minio.Client
	signer *minio.Client // signs with the public address
	opaque atomic.Bool   // the server's ETags are no MD5
}

// OpenS3 connects to the bucket and removes what killed processes have left half stored more than a day ago. The error tells
// what is wrong with URL or what the server refuses; a server that cannot be reached now is none, but is logged.
func OpenS3(ctx context.Context, cfg S3Config) (*S3, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &S3{cfg: cfg}
	if s.place, err = parsePlace(cfg.URL); err != nil {
		return nil, fmt.Errorf("%s is not the address of a bucket: %w; it has the form https://KEY:SECRET@host/bucket", cfg.Flag, err)
	}
	if s.client, err = s.connect(s.place.host, s.place.tls); err != nil {
		return nil, err
	}
	if s.signer, err = s.connect(s.place.publicHost, s.place.publicTLS); err != nil {
		return nil, err
	}
	switch err := s.lookSoon(ctx); {
	case ctx.Err() != nil:
		return nil, errors.Join(ctx.Err(), s.Close())
	case refused(err):
		return nil, errors.Join(err, s.Close())
	case err != nil:
		cfg.Logger.Warn("the object store does not answer now", "error", err)
	default:
		s.removeUnfinished(ctx)
	}
	return s, nil
}

// connect makes a client; it sends nothing yet.
func (s *S3) connect(host string, tls bool) (*minio.Client, error) {
	client, err := minio.New(host, &minio.Options{
		Creds: s.place.credentials(), Secure: tls, Transport: s.cfg.Transport,
		Region: s.place.region, BucketLookup: s.place.lookup, MaxRetries: s.cfg.Attempts,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.cfg.Flag, err)
	}
	return client, nil
}

// Close ends idle connections.
func (s *S3) Close() error {
	if t, ok := s.cfg.Transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
	return nil
}

// startMost is how long the start waits for the server.
const startMost = 10 * time.Second

func (s *S3) lookSoon(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startMost)
	defer cancel()
	return s.look(ctx)
}

// Health tells whether the server answers and lets the bucket be listed; the context says for how long it is asked, at most 10 s.
func (s *S3) Health(ctx context.Context) error { return s.lookSoon(ctx) }

// look asks for one object, whichever: of all requests the one that is answered most clearly when something is wrong.
func (s *S3) look(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for o := range s.client.ListObjectsIter(ctx, s.place.bucket, minio.ListObjectsOptions{Prefix: s.place.prefix, Recursive: true, MaxKeys: 1}) {
		return s.explain("list", o.Err)
	}
	return ctx.Err()
}

// unfinishedAfter is the age at which an upload in parts is taken for one of a killed process.
const unfinishedAfter = 24 * time.Hour

// removeUnfinished frees what uploads that nobody will finish take up. Not being able to is no harm but the space.
func (s *S3) removeUnfinished(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Patience)
	defer cancel()
	var errs []error
	for upload := range s.client.ListIncompleteUploads(ctx, s.place.bucket, s.place.prefix, true) {
		if upload.Err != nil {
			errs = append(errs, upload.Err)
		} else if _, ours := s.keyOf(upload.Key); ours && time.Since(upload.Initiated) > unfinishedAfter {
			errs = append(errs, s.client.RemoveIncompleteUpload(ctx, s.place.bucket, upload.Key))
		}
	}
	if err := errors.Join(errs...); err != nil {
		s.cfg.Logger.Warn("unfinished uploads are left in the bucket", "bucket", s.place.bucket, "error", err)
	}
}

// object is the object of a key or a prefix of two segments at least.
func (s *S3) object(key string) string {
	account, rest, _ := strings.Cut(key, "/")
	return s.place.prefix + account + "/" + strings.ReplaceAll(rest, "/", "~")
}

// keyOf is the inverse of object; ok is false for an object that is no blob.
func (s *S3) keyOf(object string) (key string, ok bool) {
	name, ok := strings.CutPrefix(object, s.place.prefix)
	key = strings.ReplaceAll(name, "~", "/")
	return key, ok && CheckKey(key) == nil && s.object(key) == object
}
