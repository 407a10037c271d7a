package repository

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// user is a program of another module that stands on ours.
const user = `package main

import (
	"context"
	"fmt"

	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/docs"
)

func main() {
	service, err := operation.New(operation.Config{})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(service.Countries(context.Background())), len(docs.Example()) > 0)
}
`

// goCommand runs the go command in a folder.
func goCommand(t *testing.T, dir string, env []string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOWORK=off"), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// TestModule_CanBeRequired ensures that another module builds against a checkout, with the versions that ours names.
func TestModule_CanBeRequired(t *testing.T) {
	t.Parallel()
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	ours, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	name, rest, _ := bytes.Cut(ours, []byte("\n"))
	if string(name) != "module "+module {
		t.Fatalf("go.mod begins with %s", name)
	}
	for file, text := range map[string][]byte{"main.go": []byte(user), "go.sum": sums, "go.mod": append([]byte("module example.com/user\n"), rest...)} {
		if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	goCommand(t, dir, nil, "mod", "edit", "-require="+module+"@v0.0.0", "-replace="+module+"="+checkout)
	goCommand(t, dir, nil, "build", "-o", "user", ".")
	out, err := exec.CommandContext(t.Context(), filepath.Join(dir, "user")).Output()
	if err != nil || string(out) != "37 true\n" {
		t.Errorf("the program says %s, error %v", out, err)
	}
}

// TestModule_InstallsTheProgramUnderItsName ensures that go install gives a program that is called einvoiced.
func TestModule_InstallsTheProgramUnderItsName(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	goCommand(t, "../..", []string{"GOBIN=" + bin}, "install", ".")
	out, err := exec.CommandContext(t.Context(), filepath.Join(bin, "einvoiced"), "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "einvoiced ") {
		t.Errorf("the program says %s, error %v", out, err)
	}
}
