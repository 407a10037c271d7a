package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/einvoiced/einvoiced/storage/blob"
	"github.com/einvoiced/einvoiced/storage/db"
	"github.com/einvoiced/einvoiced/storage/queue"
)

// stores are what a process keeps things in.
type stores struct {
	lock     *os.File // nil where the folder is not this process's alone
	database *db.DB
	blobs    blobStore
	queue    *queue.Queue
}

// blobStore is a store that is closed in the end.
type blobStore interface {
	blob.Store
	io.Closer
}

// openStores opens what the flags name, and waits for services that do not answer yet. After an error nothing stays open.
func (f *storeFlags) openStores(ctx context.Context, log *slog.Logger, wait time.Duration) (*stores, error) {
	s := &stores{}
	if err := s.open(ctx, f, patience{log, time.Now().Add(wait)}); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

func (s *stores) open(ctx context.Context, f *storeFlags, p patience) (err error) {
	if f.Database == "" {
		if s.lock, err = lockFolder(f.Data); err != nil {
			return err
		}
	}
	err = p.await(ctx, "postgresql", isAway, func(ctx context.Context) (err error) {
		s.database, err = f.openOrMake(ctx, p.log)
		return err
	})
	if err != nil {
		return err
	}
	if s.blobs, err = f.openBlobs(ctx); err != nil {
		return err
	}
	if s.queue, err = queue.Open(queue.Config{Redis: f.Redis, Drain: drainJobs, Logger: p.log}); err != nil {
		return &failure{code: exitUsage, cause: err, hint: "--redis (EINVOICED_REDIS) takes redis://host:6379/0, rediss://…, redis-sentinel://… or redis-cluster://…"}
	}
	s.awaitOthers(ctx, p)
	return ctx.Err()
}

// documentFolder is the folder of the documents, where there is no object store.
func (f *storeFlags) documentFolder() string { return filepath.Join(f.Data, "blobs") }

// openBlobs opens where the documents are, and makes a folder that is not there yet.
func (f *storeFlags) openBlobs(ctx context.Context) (blobStore, error) {
	if f.S3 == "" {
		return blob.OpenFolder(f.documentFolder())
	}
	store, err := blob.OpenS3(ctx, blob.S3Config{URL: f.S3, Flag: s3Flag})
	if err != nil {
		return nil, &failure{code: exitUsage, cause: err, hint: "--s3 (EINVOICED_S3) takes https://KEY:SECRET@host/bucket?region=…"}
	}
	return store, nil
}

// close closes what is open, users before what they use.
func (s *stores) close() error {
	var errs []error
	if s.queue != nil {
		errs = append(errs, s.queue.Close())
	}
	if s.blobs != nil {
		errs = append(errs, s.blobs.Close())
	}
	if s.database != nil {
		errs = append(errs, s.database.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}

// lockFolder makes the folder and keeps other services out of it for as long as the file is open: two of them would each
// have a queue of their own for the same jobs.
func lockFolder(dir string) (*os.File, error) {
	hint := "--data (EINVOICED_DATA) names the folder; it must be writable"
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &failure{code: exitInternal, cause: fmt.Errorf("make folder: %w", err), hint: hint}
	}
	f, err := os.OpenFile(filepath.Join(dir, "serve.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, &failure{code: exitInternal, cause: fmt.Errorf("lock folder: %w", err), hint: hint}
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		cause := errors.Join(fmt.Errorf("another einvoiced serves the folder %s", dir), f.Close())
		return nil, &failure{code: exitInternal, cause: cause, hint: "stop it, or choose another folder with --data (EINVOICED_DATA)"}
	}
	return f, nil
}

// s3Flag is what errors of the object store call its setting.
const s3Flag = "--s3 (EINVOICED_S3)"
