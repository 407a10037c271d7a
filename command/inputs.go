package command

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/einvoiced/einvoiced/core/finding"
)

// read gives the content of a file, or of standard input for "-".
func (m *Main) read(ctx context.Context, name string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var data []byte
	var err error
	if name == "-" {
		data, err = readUntil(ctx, m.Stdin)
	} else {
		data, err = readFile(name, mostInput)
	}
	if err != nil && ctx.Err() == nil {
		cause := &finding.Refusal{Kind: finding.BadRequest, Message: fmt.Sprintf("read input: %v", err), Cause: err}
		return nil, &failure{code: exitUsage, cause: cause, hint: "check the name and its permissions"}
	}
	return data, err
}

// readUntil reads all of a stream, or until ctx ends: a terminal may never say more.
func readUntil(ctx context.Context, r io.Reader) ([]byte, error) {
	type whole struct {
		data []byte
		err  error
	}
	read := make(chan whole, 1)
	go func() {
		data, err := readUpTo(r, mostInput, 0)
		read <- whole{data, err}
	}()
	select {
	case w := <-read:
		return w.data, w.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// documentTypes are the ends of names of files that are taken from folders.
var documentTypes = []string{".xml", ".pdf"}

// documents are the files that are named, with those below folders in place of the folders, in the order of their names. Files and
// folders whose names begin with a dot are not for others.
func documents(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || !info.IsDir() {
			files = append(files, name) // who reads it says what is wrong
			continue
		}
		found, err := documentsBelow(name)
		if err != nil {
			return nil, &failure{code: exitUsage, cause: fmt.Errorf("read folder: %w", err), hint: "check its permissions"}
		}
		if len(found) == 0 {
			return nil, &failure{code: exitUsage, cause: fmt.Errorf("no file below the folder %s ends with %s", name, strings.Join(documentTypes, " or ")),
				hint: "name files of other types one by one"}
		}
		files = append(files, found...)
	}
	return files, nil
}

func documentsBelow(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		hidden := path != folder && strings.HasPrefix(entry.Name(), ".")
		switch {
		case err != nil:
			return err
		case hidden && entry.IsDir():
			return fs.SkipDir
		case !hidden && !entry.IsDir() && slices.Contains(documentTypes, strings.ToLower(filepath.Ext(path))):
			files = append(files, path)
		}
		return nil
	})
	return files, err
}
