package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/minio/minio-go/v7"
)

const (
	longestSigned   = time.Hour
	longestFilename = 150 // characters
)

// SignedURL implements Signer. S3 can answer with no header of its own choosing, so nosniff is missing; an attachment is
// never shown, whatever is in it.
func (s *S3) SignedURL(ctx context.Context, key, filename, mimeType string, ttl time.Duration) (string, error) {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return "", err
	}
	if ttl < time.Second || ttl > longestSigned {
		return "", fmt.Errorf("sign address of blob %s: %s is not between a second and an hour", key, ttl)
	}
	answer := url.Values{
		"response-content-disposition": {disposition(filename)},
		"response-content-type":        {plainType(mimeType)},
		"response-cache-control":       {"private, no-store"},
	}
	u, err := s.signer.PresignedGetObject(ctx, s.place.bucket, s.object(key), ttl, answer)
	if err != nil {
		return "", fmt.Errorf("sign address of blob %s: %w", key, s.explain("sign", err))
	}
	return u.String(), nil
}

// disposition is the header of an attachment with a name that is a name alone: no path, no control characters, not too long.
func disposition(filename string) string {
	name := path.Base(strings.ReplaceAll(filename, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(`/:*?"<>|`, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > longestFilename {
		name = string(runes[len(runes)-longestFilename:]) // its ending says what it is
	}
	if name = strings.Trim(name, ". "); name == "" {
		return "attachment"
	}
	return mime.FormatMediaType("attachment", map[string]string{"filename": name})
}

// plainType is the media type as a header, or that of anything for what is none.
func plainType(mimeType string) string {
	kind, params, err := mime.ParseMediaType(mimeType)
	if err != nil || !strings.Contains(kind, "/") {
		return "application/octet-stream"
	}
	return mime.FormatMediaType(kind, params)
}

// Check does what the service does, with an object of its own: it puts, describes, reads, lists and deletes it. The error
// names the setting, the bucket and what was refused.
func (s *S3) Check(ctx context.Context) error {
	object := s.place.prefix + "check/.probe-" + rand.Text() // no blob's object has a dot there
	data := []byte("einvoiced looks whether it may store here\n")
	_, err := s.client.PutObject(ctx, s.place.bucket, object, bytes.NewReader(data), int64(len(data)), minio.PutObjectOptions{SendContentMd5: true})
	if err != nil {
		return s.explain("put", err)
	}
	err = errors.Join(s.readProbe(ctx, object, data), s.listProbe(ctx, object))
	return errors.Join(err, s.explain("delete", s.client.RemoveObject(ctx, s.place.bucket, object, minio.RemoveObjectOptions{})))
}

func (s *S3) readProbe(ctx context.Context, object string, want []byte) error {
	if _, err := s.client.StatObject(ctx, s.place.bucket, object, minio.StatObjectOptions{}); err != nil {
		return s.explain("stat", err)
	}
	r, err := s.open(ctx, object)
	if err != nil {
		return s.explain("get", err)
	}
	defer r.Close()
	got, err := io.ReadAll(io.LimitReader(r, int64(len(want))+1))
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return errDamaged
	}
	return nil
}

func (s *S3) listProbe(ctx context.Context, object string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for o := range s.client.ListObjectsIter(ctx, s.place.bucket, minio.ListObjectsOptions{Prefix: object, Recursive: true, MaxKeys: 1}) {
		if o.Err == nil && o.Key != object {
			continue
		}
		return s.explain("list", o.Err)
	}
	return fmt.Errorf("object store of %s, bucket %s: what was put is not listed", s.cfg.Flag, s.place.bucket)
}
