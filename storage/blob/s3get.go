package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// Get opens the object. A transfer that breaks off is taken up where it did, unless the object has changed meanwhile.
func (s *S3) Get(ctx context.Context, key string) (io.ReadCloser, error) {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return nil, err
	}
	r, err := s.open(ctx, s.object(key))
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", key, s.explain("get", err))
	}
	return r, nil
}

func (s *S3) open(ctx context.Context, object string) (*transfer, error) {
	t := &transfer{s: s, ctx: ctx, object: object}
	return t, t.begin()
}

// transfer reads an object.
type transfer struct {
	s      *S3
	ctx    context.Context
	object string
	body   io.ReadCloser
	etag   string
	read   int64
	size   int64
	broken int // times that the connection broke off
}

// begin asks for what has not been read yet.
func (t *transfer) begin() error {
	var options minio.GetObjectOptions
	if t.read > 0 {
		if err := errors.Join(options.SetRange(t.read, 0), options.SetMatchETag(t.etag)); err != nil {
			return err
		}
	}
	body, o, _, err := minio.Core{Client: t.s.client}.GetObject(t.ctx, t.s.place.bucket, t.object, options)
	if err != nil {
		return err
	}
	if t.read == 0 {
		t.etag, t.size = o.ETag, o.Size
	}
	t.body = body
	return nil
}

// Read reads on, with a new request where the connection breaks off before the end.
func (t *transfer) Read(p []byte) (int, error) {
	for {
		if t.read == t.size {
			return 0, io.EOF
		}
		n, err := t.body.Read(p[:min(int64(len(p)), t.size-t.read)])
		t.read += int64(n)
		if n > 0 || err == nil {
			return n, nil // an error comes again
		}
		if err := t.resume(err); err != nil {
			return 0, err
		}
	}
}

func (t *transfer) resume(cause error) error {
	if t.ctx.Err() != nil {
		return t.ctx.Err()
	}
	if errors.Is(cause, io.EOF) {
		cause = io.ErrUnexpectedEOF
	}
	if t.broken++; t.broken >= t.s.cfg.Attempts {
		return fmt.Errorf("read object %s, %d of %d bytes: %w", t.object, t.read, t.size, t.s.explain("get", cause))
	}
	if err := pause(t.ctx, t.broken); err != nil {
		return err
	}
	_ = t.body.Close()
	if err := t.begin(); err != nil {
		// The old body is closed already; Close finds this one.
		t.body = io.NopCloser(strings.NewReader(""))
		return fmt.Errorf("read object %s from byte %d on: %w", t.object, t.read, t.s.explain("get", err))
	}
	return nil
}

// Close ends the transfer.
func (t *transfer) Close() error { return t.body.Close() }

// pause waits before another attempt: 100 ms after the first failure, twice that after each other one, 2 s at most.
func pause(ctx context.Context, failures int) error {
	timer := time.NewTimer(min(100*time.Millisecond<<(failures-1), 2*time.Second))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stat describes the object.
func (s *S3) Stat(ctx context.Context, key string) (Object, error) {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return Object{}, err
	}
	o, err := s.client.StatObject(ctx, s.place.bucket, s.object(key), minio.StatObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		// The answer has no body: it is the same when the whole bucket is gone.
		if there, bucketErr := s.client.BucketExists(ctx, s.place.bucket); bucketErr == nil && !there {
			err = minio.ErrorResponse{Code: minio.NoSuchBucket, Message: "no such bucket", StatusCode: 404}
		}
	}
	if err != nil {
		return Object{}, fmt.Errorf("describe blob %s: %w", key, s.explain("stat", err))
	}
	return Object{Key: key, Size: o.Size, Modified: o.LastModified}, nil
}

// Delete removes the object.
func (s *S3) Delete(ctx context.Context, key string) error {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return err
	}
	err := s.explain("delete", s.client.RemoveObject(ctx, s.place.bucket, s.object(key), minio.RemoveObjectOptions{}))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return fmt.Errorf("delete blob %s: %w", key, err)
	}
	return nil
}

// DeleteAll removes the objects, a thousand with each request.
func (s *S3) DeleteAll(ctx context.Context, prefix string) error {
	if err := checkPrefix(prefix); err != nil {
		return err
	}
	var listErr error
	objects := iter.Seq[minio.ObjectInfo](func(yield func(minio.ObjectInfo) bool) {
		listErr = s.each(ctx, prefix, func(_ string, o minio.ObjectInfo) error {
			if !yield(minio.ObjectInfo{Key: o.Key}) {
				return context.Canceled
			}
			return nil
		})
	})
	results, err := s.client.RemoveObjectsWithIter(ctx, s.place.bucket, objects, minio.RemoveObjectsOptions{})
	if err == nil {
		for result := range results {
			err = errors.Join(err, s.explain("delete", result.Err))
		}
	}
	if err = errors.Join(listErr, err, ctx.Err()); err != nil {
		return fmt.Errorf("delete blobs under %s: %w", prefix, err)
	}
	return nil
}

// List asks for a thousand objects with each request.
func (s *S3) List(ctx context.Context, prefix string, visit func(Object) error) error {
	err := s.each(ctx, prefix, func(key string, o minio.ObjectInfo) error {
		return visit(Object{Key: key, Size: o.Size, Modified: o.LastModified})
	})
	if err != nil {
		return fmt.Errorf("list blobs under %q: %w", prefix, err)
	}
	return nil
}

// each calls visit with the objects of the blobs under the prefix.
func (s *S3) each(ctx context.Context, prefix string, visit func(key string, o minio.ObjectInfo) error) error {
	start := s.place.prefix
	switch {
	case prefix == "":
	case checkPrefix(prefix) != nil:
		return checkPrefix(prefix)
	case strings.Contains(prefix, "/"):
		start = s.object(prefix) + "~"
	default:
		start += prefix + "/"
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for o := range s.client.ListObjectsIter(ctx, s.place.bucket, minio.ListObjectsOptions{Prefix: start, Recursive: true}) {
		if o.Err != nil {
			return s.explain("list", o.Err)
		}
		if key, ok := s.keyOf(o.Key); ok {
			if err := visit(key, o); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}
