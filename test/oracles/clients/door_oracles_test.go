//go:build oracles

package clients

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/internal/harness"
)

// TestDoor ensures that what a new user meets works: the description of the interface, the pages, and clients that are generated.
func TestDoor(t *testing.T) {
	system := harness.Open(t, harness.Plan{Setup: harness.Embedded, Program: harness.Build(t, harness.Root(t), filepath.Join(t.TempDir(), "einvoiced"))})
	d := &door{base: system.Bases()[0], key: system.NewKey("test"), modules: fetched(t, "package.json", "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")}
	d.description = d.shell(t, t.TempDir(), recipe(t, "description")+" && cat openapi.json")
	t.Run("description", d.lint)
	t.Run("pages", d.pages)
	t.Run("clients", d.clients)
}

// door is a running service and what it is looked at with.
type door struct {
	base, key   string
	modules     string // folder of what package.json names
	description []byte // openapi.json
}

// shell runs a script in a folder and gives what it prints. Its end with an error ends the test.
func (d *door) shell(t *testing.T, folder, script string, env ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = folder
	cmd.Env = append(append(os.Environ(), "URL="+d.base, "KEY="+d.key, "REDOCLY_TELEMETRY=off"), env...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s%s", err, script, out, said.String())
	}
	return out
}

// recipe gives the block of docs/clients.md with this name.
func recipe(t *testing.T, name string) string {
	t.Helper()
	_, after, _ := strings.Cut(string(read(t, filepath.Join(harness.Root(t), "docs", "clients.md"))), "\n```sh "+name+"\n")
	block, _, found := strings.Cut(after, "\n```\n")
	if !found {
		t.Fatalf("docs/clients.md has no block %q", name)
	}
	return block
}

// fetched gives the folder in which a command has put what a file of testdata names. The first call on a machine runs it; the folder is
// named after the contents of the file.
func fetched(t *testing.T, manifest string, command ...string) string {
	t.Helper()
	text := read(t, filepath.Join("testdata", manifest))
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(append(text, strings.Join(command, " ")...))
	folder := filepath.Join(cache, "einvoiced", "clients-"+manifest+"-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		t.Fatal(err)
	}
	part, err := os.MkdirTemp(filepath.Dir(folder), "part-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(part)
	write(t, filepath.Join(part, manifest), text)
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = part
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("fetch what %s names: %v\n%s", manifest, err, out)
	}
	if err := os.Rename(part, folder); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	return folder
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, data, 0o644)); err != nil {
		t.Fatal(err)
	}
}
