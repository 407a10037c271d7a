package blob

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/minio/minio-go/v7"
)

// tag is the metadata of an object that names the Put it came from.
const tag = "Put"

// errDamaged tells that the server holds other bytes than it was given.
var errDamaged = errors.New("the object store holds other bytes than it was given")

// counted is a reader that adds up what it has read.
type counted struct {
	r     io.Reader
	sum   hash.Hash
	size  int64
	ended bool
	err   error // of the reader
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.sum.Write(p[:n])
	c.size += int64(n)
	if errors.Is(err, io.EOF) {
		c.ended = true
	} else if err != nil {
		c.err = err
	}
	return n, err
}

func (c *counted) info() Info {
	return Info{Size: c.size, SHA256: hex.EncodeToString(c.sum.Sum(nil))}
}

// Put stores what fits in one part by one request, anything longer in parts, which appear as a whole with the last. When the
// server fails every attempt and cannot be asked whether it has stored the blob all the same, the error leaves that open.
func (s *S3) Put(ctx context.Context, key string, r io.Reader) (Info, error) {
	if err := errors.Join(CheckKey(key), ctx.Err()); err != nil {
		return Info{}, err
	}
	from := &counted{r: Obedient(ctx, r), sum: sha256.New()}
	id := rand.Text()
	err := s.upload(ctx, s.object(key), id, from)
	if err != nil && from.err == nil && from.ended && ctx.Err() == nil && !errors.Is(err, errDamaged) && s.has(ctx, s.object(key), id, from.size) {
		err = nil // it was stored, only the answer was lost
	}
	if err != nil {
		return Info{}, fmt.Errorf("store blob %s: %w", key, errors.Join(from.err, s.explain("put", err)))
	}
	return from.info(), nil
}

func (s *S3) upload(ctx context.Context, object, id string, from *counted) error {
	var first bytes.Buffer
	if _, err := io.CopyN(&first, from, int64(s.cfg.PartSize)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	options := minio.PutObjectOptions{ContentType: "application/octet-stream", UserMetadata: map[string]string{tag: id}}
	if !from.ended {
		// The server checks the MD5 of each part. PutObjectOptions.Checksum is left unset: not all servers know trailers.
		options.SendContentMd5, options.PartSize = true, uint64(s.cfg.PartSize)
		_, err := s.client.PutObject(ctx, s.place.bucket, object, io.MultiReader(&first, from), -1, options)
		return err
	}
	return s.uploadWhole(ctx, object, first.Bytes(), from.info(), options)
}

// uploadWhole stores all by one request, of which the server checks MD5 and SHA-256.
func (s *S3) uploadWhole(ctx context.Context, object string, data []byte, info Info, options minio.PutObjectOptions) error {
	options.DisableContentSha256 = true // not piece by piece, since that of the whole is known and signed
	sum := md5.Sum(data)
	client := minio.Core{Client: s.client}
	stored, err := client.PutObject(ctx, s.place.bucket, object, bytes.NewReader(data), info.Size, base64.StdEncoding.EncodeToString(sum[:]), info.SHA256, options)
	if err != nil {
		return err
	}
	return s.checkTag(ctx, object, stored.ETag, sum, data)
}

// has tells whether the object is the one of this Put.
func (s *S3) has(ctx context.Context, object, id string, size int64) bool {
	o, err := s.client.StatObject(ctx, s.place.bucket, object, minio.StatObjectOptions{})
	return err == nil && o.UserMetadata[tag] == id && o.Size == size
}

// checkTag compares the server's ETag with sum, the MD5 of what it was given. Where they differ, the server has damaged it or
// makes its ETags otherwise (with encryption): reading it back tells, once.
func (s *S3) checkTag(ctx context.Context, object, etag string, sum [md5.Size]byte, data []byte) error {
	if etag == hex.EncodeToString(sum[:]) || s.opaque.Load() {
		return nil
	}
	r, err := s.open(ctx, object)
	if err != nil {
		return err
	}
	defer r.Close()
	back, err := io.ReadAll(io.LimitReader(r, int64(len(data))+1))
	if err != nil {
		return err
	}
	if !bytes.Equal(back, data) {
		return errDamaged
	}
	s.opaque.Store(true)
	return nil
}
