package oracles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Code is a QR code as it is read in a picture: its text, and its level of error correction (L, M, Q, H).
type Code struct{ Text, Level string }

// ReadCodes reads the QR codes in pictures by zxing-cpp, for each picture in the order of the reader. The first call on a machine fetches it with pip.
func ReadCodes(ctx context.Context, pictures []string) ([][]Code, error) {
	folder, packages, err := codeReader(ctx)
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, "python3", filepath.Join(folder, "codes", "read.py"))
	c.Env = append(os.Environ(), "PYTHONPATH="+packages)
	c.Stdin, c.Stderr = strings.NewReader(strings.Join(pictures, "\n")+"\n"), os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("read codes: %w", err)
	}
	var all [][]Code
	for line := range strings.Lines(string(out)) {
		var codes []Code
		if err := json.Unmarshal([]byte(line), &codes); err != nil {
			return nil, fmt.Errorf("read codes: %w: %s", err, line)
		}
		all = append(all, codes)
	}
	if len(all) != len(pictures) {
		return nil, fmt.Errorf("read codes: %d answers for %d pictures", len(all), len(pictures))
	}
	return all, nil
}

// codeReader gives the folder of our own files and that of the reader's packages, fetched when they are not there.
func codeReader(ctx context.Context) (folder, packages string, err error) {
	wanted, err := own.ReadFile("codes/requirements.txt")
	if err != nil {
		return "", "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", "", fmt.Errorf("find the folder for downloads: %w", err)
	}
	folder = filepath.Join(cache, "einvoiced", "codes-"+hashOf(wanted)[:12])
	packages = filepath.Join(folder, "packages")
	if err := unpack(folder); err != nil {
		return "", "", err
	}
	if _, err := os.Stat(packages); !errors.Is(err, fs.ErrNotExist) {
		return folder, packages, err
	}
	fresh, err := os.MkdirTemp(folder, "part-")
	if err != nil {
		return "", "", fmt.Errorf("make the folder for downloads: %w", err)
	}
	c := exec.CommandContext(ctx, "python3", "-m", "pip", "install", "--quiet", "--target", fresh, "-r", filepath.Join(folder, "codes", "requirements.txt"))
	if out, err := c.CombinedOutput(); err != nil {
		return "", "", fmt.Errorf("fetch the reader of codes with pip: %w: %s", err, out)
	}
	return folder, packages, os.Rename(fresh, packages)
}
