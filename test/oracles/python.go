package oracles

import (
	"bytes"
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

// AskPython lets a script of ours answer questions with the packages that the requirements.txt beside it names: a line of JSON for each of the lines that
// it is given.
func AskPython[T any](ctx context.Context, script string, questions []string) ([]T, error) {
	packages, err := PythonPackages(ctx, filepath.Dir(script))
	if err != nil {
		return nil, err
	}
	c := exec.CommandContext(ctx, "python3", script)
	c.Env, c.Stderr = append(os.Environ(), "PYTHONPATH="+packages), os.Stderr
	c.Stdin = strings.NewReader(strings.Join(questions, "\n") + "\n")
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", script, err)
	}
	var answers []T
	for line := range bytes.Lines(out) {
		var answer T
		if err := json.Unmarshal(line, &answer); err != nil {
			return nil, fmt.Errorf("ask %s: %w: %s", script, err, line)
		}
		answers = append(answers, answer)
	}
	if len(answers) != len(questions) {
		return nil, fmt.Errorf("ask %s: %d answers to %d questions", script, len(answers), len(questions))
	}
	return answers, nil
}

// PythonPackages gives the folder of the packages that the requirements.txt of a folder names, in the user's cache, fetched with pip where it is not there.
func PythonPackages(ctx context.Context, folder string) (string, error) {
	wanted, err := os.ReadFile(filepath.Join(folder, "requirements.txt"))
	if err != nil {
		return "", fmt.Errorf("read which packages are wanted: %w", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the folder for downloads: %w", err)
	}
	packages := filepath.Join(cache, "einvoiced", "python-"+hashOf(wanted)[:12])
	if _, err := os.Stat(packages); !errors.Is(err, fs.ErrNotExist) {
		return packages, err
	}
	if err := os.MkdirAll(filepath.Dir(packages), 0o755); err != nil {
		return "", fmt.Errorf("make the folder for downloads: %w", err)
	}
	part, err := os.MkdirTemp(filepath.Dir(packages), "part-")
	if err != nil {
		return "", fmt.Errorf("make the folder for downloads: %w", err)
	}
	defer os.RemoveAll(part)
	c := exec.CommandContext(ctx, "python3", "-m", "pip", "install", "--quiet", "--target", part, "-r", filepath.Join(folder, "requirements.txt"))
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fetch packages with pip: %w: %s", err, out)
	}
	if err := os.Rename(part, packages); err != nil && !errors.Is(err, fs.ErrExist) { // another process may have been quicker
		return "", fmt.Errorf("keep the packages: %w", err)
	}
	return packages, nil
}
