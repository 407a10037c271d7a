// Package blob keeps bytes under keys: the inputs and outputs of jobs. A blob is written whole or not at all and never
// changed in place.
//
// A Store is a Folder of this machine or a bucket (S3). Keys have account, job and run in them, so that a run that has lost
// its job cannot touch what a later one has written, and all of an account or a job can be removed by its prefix.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Errors of this package, for errors.Is.
var (
	ErrNotFound = errors.New("no such blob")
	ErrKey      = errors.New("not a blob key")
)

// Info is what Put tells of the bytes it has stored.
type Info struct {
	Size   int64  // in bytes
	SHA256 string // lower-case hex
}

// Object is a stored blob as listings tell it.
type Object struct {
	Key      string
	Size     int64     // in bytes
	Modified time.Time // when it was stored
}

// Store keeps blobs. It is safe for concurrent use. Every method refuses a key that CheckKey refuses, with ErrKey; a prefix
// may have one segment.
type Store interface {
	// Put stores all of r under key, replacing what is there, and returns when that survives a power cut. A failed Put
	// leaves what was there.
	Put(ctx context.Context, key string, r io.Reader) (Info, error)
	// Get opens the blob; the caller closes it. The error is ErrNotFound for an absent one.
	Get(ctx context.Context, key string) (io.ReadCloser, error)
	// Stat describes the blob; the error is ErrNotFound for an absent one.
	Stat(ctx context.Context, key string) (Object, error)
	// Delete removes the blob; an absent one is no error.
	Delete(ctx context.Context, key string) error
	// DeleteAll removes every blob whose key begins with prefix, which is not empty, and a slash; none is no error.
	DeleteAll(ctx context.Context, prefix string) error
	// List calls visit with every blob whose key begins with prefix and a slash, all blobs for the empty prefix, in no
	// particular order; an error of visit ends it and is returned.
	List(ctx context.Context, prefix string, visit func(Object) error) error
}

// Key is where a run of a job keeps the blob name: account/job/run/name. Run 0 is the acceptance. Keys of different runs
// differ, so a run that has lost its claim cannot touch the output of another.
func Key(account, job string, run int64, name string) string {
	return account + "/" + job + "/" + strconv.FormatInt(run, 10) + "/" + name
}

const (
	maxSegments = 8
	maxSegment  = 128 // bytes
	maxKey      = 240 // bytes, below what file systems allow in a name and S3 in a key
)

// CheckKey tells what is wrong with a key: 2 to 8 segments joined by slashes, each of 1 to 128 characters
// a-z A-Z 0-9 . _ - that does not begin with a dot, 240 characters in all. So no key leaves its folder or names a hidden file.
func CheckKey(key string) error {
	if !strings.Contains(key, "/") {
		return fmt.Errorf("blob key %.200q has one segment: %w", key, ErrKey)
	}
	return checkPrefix(key)
}

// checkPrefix is CheckKey for a prefix, which may have one segment.
func checkPrefix(key string) error {
	segments := strings.Split(key, "/")
	if len(segments) > maxSegments || len(key) > maxKey {
		return fmt.Errorf("blob key of %d segments and %d characters: %w", len(segments), len(key), ErrKey)
	}
	for _, s := range segments {
		if s == "" || len(s) > maxSegment || s[0] == '.' || strings.ContainsFunc(s, forbidden) {
			return fmt.Errorf("blob key %.200q: segment %.200q: %w", key, s, ErrKey)
		}
	}
	return nil
}

func forbidden(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-':
		return false
	}
	return true
}

// Signer is what a Store can do besides whose blobs a browser may fetch by itself.
type Signer interface {
	// SignedURL gives an address where the blob can be fetched with GET for ttl, at most an hour, without credentials. It is
	// answered as an attachment of that name and type, whatever else is asked for. Whether the blob is there is not looked at.
	SignedURL(ctx context.Context, key, filename, mimeType string, ttl time.Duration) (string, error)
}
