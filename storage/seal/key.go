package seal

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// Config tells where the secret keys are: exactly one of the two.
type Config struct {
	Key     string // keys as text: base64 of 32 bytes each, separated by commas or white space. The first seals, all open. Default: KeyFile is used.
	KeyFile string // a file with such keys that only its owner can read; made with a random key where it is absent. Default: Key is used.
}

// Open reads the keys. The error says what is wrong and never contains a key.
func Open(cfg Config) (*Sealer, error) {
	switch {
	case cfg.Key != "" && cfg.KeyFile != "":
		return nil, errors.New("secret key: a key and a key file are given, one of them is needed")
	case cfg.Key != "":
		return parse(cfg.Key, "secret key")
	case cfg.KeyFile != "":
		return openFile(cfg.KeyFile)
	}
	return nil, errors.New("secret key: neither a key nor a key file is given")
}

// NewKey gives a random key as text.
func NewKey() string {
	var secret [keyLen]byte
	rand.Read(secret[:])
	return base64.StdEncoding.EncodeToString(secret[:])
}

// maxKeys bounds how many keys are tried for opening.
const maxKeys = 16

// parse reads the keys of a text; place is where they stand, for errors.
func parse(text, place string) (*Sealer, error) {
	fields := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if len(fields) == 0 || len(fields) > maxKeys {
		return nil, fmt.Errorf("%s: %d keys, allowed are 1 to %d", place, len(fields), maxKeys)
	}
	s := &Sealer{}
	for i, field := range fields {
		secret, err := base64.StdEncoding.Strict().DecodeString(field)
		if err != nil || len(secret) != keyLen { // the error of the decoder would quote the key
			return nil, fmt.Errorf("%s: key %d is not the base64 of exactly %d bytes (openssl rand -base64 %d makes one)", place, i+1, keyLen, keyLen)
		}
		key, err := newSealingKey(secret)
		if err != nil {
			return nil, err
		}
		s.keys = append(s.keys, key)
	}
	return s, nil
}

// maxFile bounds what is read of a key file.
const maxFile = 4 << 10

func openFile(path string) (*Sealer, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeFile(path); err != nil {
			return nil, fmt.Errorf("make secret key file: %w", err)
		}
		info, err = os.Stat(path)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("find secret key file: %w", err)
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return nil, fmt.Errorf("secret key file %s is no regular file of at most %d bytes", path, maxFile)
	case info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("secret key file %s can be read by others than its owner (mode %04o): chmod 600 it", path, info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read secret key file: %w", err)
	}
	return parse(string(text), "secret key file "+path)
}

// makeFile writes a new key so that the file is there whole, on the disk, or not at all; one that another process has made
// meanwhile is left alone.
func makeFile(path string) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".secret-key-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, err = f.WriteString(NewKey() + "\n")
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(dir)
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
