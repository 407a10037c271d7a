package blob

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha256"
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
	from := &counted{r: obedient{ctx, r}, sum: sha256.New()}
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
	// The server checks the MD5 of each request. PutObjectOptions.Checksum is left unset: not all servers know trailers.
	options := minio.PutObjectOptions{
		ContentType: "application/octet-stream", UserMetadata: map[string]string{tag: id}, SendContentMd5: true, PartSize: uint64(s.cfg.PartSize),
	}
	if !from.ended {
		_, err := s.client.PutObject(ctx, s.place.bucket, object, io.MultiReader(&first, from), -1, options)
		return err
	}
	stored, err := s.client.PutObject(ctx, s.place.bucket, object, bytes.NewReader(first.Bytes()), from.size, options)
	if err != nil {
		return err
	}
	return s.checkTag(ctx, object, stored.ETag, first.Bytes())
}

// has tells whether the object is the one of this Put.
func (s *S3) has(ctx context.Context, object, id string, size int64) bool {
	o, err := s.client.StatObject(ctx, s.place.bucket, object, minio.StatObjectOptions{})
	return err == nil && o.UserMetadata[tag] == id && o.Size == size
}

// checkTag compares the server's ETag with the MD5 of what it was given. Where they differ, the server has damaged it or
// makes its ETags otherwise (with encryption): reading it back tells, once.
func (s *S3) checkTag(ctx context.Context, object, etag string, data []byte) error {
	sum := md5.Sum(data)
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
