package repository

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long a command of the README may take, compiling included.
const patience = 5 * time.Minute

// readme gives the text of one fenced block of README.md.
func readme(t *testing.T, info string) string {
	t.Helper()
	text, err := fs.ReadFile(root, "README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := strings.TrimSpace(Blocks(string(text))[info])
	if block == "" {
		t.Fatalf("README.md has no block %q", info)
	}
	return block
}

// shell prepares a line for bash in the root of the repository, with every process it starts in one group.
func shell(ctx context.Context, line string, env ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "bash", "-c", line)
	c.Dir = "../.."
	c.Env = append(os.Environ(), env...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	return c
}

// freeAddress gives an address of the loopback interface that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// The command that starts the service prints lines, which answer a whole XRechnung when they are pasted; with the key that they set, the
// requests of the README work.
func TestREADME_ServePrintsLinesThatGiveAnInvoice(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	data := filepath.Join(t.TempDir(), "data")
	serve := shell(ctx, readme(t, "sh serve"),
		"EINVOICED_LISTEN="+freeAddress(t), "EINVOICED_ADMIN_LISTEN="+freeAddress(t), "EINVOICED_DATA="+data)
	var log bytes.Buffer
	serve.Stderr = &log
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	export, curl := printedLines(bufio.NewScanner(out))
	request, hook := readme(t, "sh request"), readme(t, "sh webhook")
	answers := map[string][]byte{}
	if curl != "" {
		for _, line := range []string{curl, request, hook} {
			if answers[line], err = shell(ctx, export+line).Output(); err != nil {
				t.Errorf("%s fails: %v", line, err)
			}
		}
	}
	stop(t, serve, out)
	if curl == "" {
		t.Fatalf("the command printed no curl line; its log:\n%s", log.String())
	}
	checkAnswer(t, answers[curl])
	checkAnswer(t, answers[request])
	var webhook struct{ URL, Secret string }
	if err := json.Unmarshal(answers[hook], &webhook); err != nil || !strings.HasPrefix(webhook.Secret, "whsec_") || !strings.HasPrefix(webhook.URL, "http") {
		t.Errorf("no webhook was made: %s", answers[hook])
	}
}

// printedLines reads on until a whole curl command has been printed, which is empty when the output ends before; and gives the line before
// it that sets variables.
func printedLines(lines *bufio.Scanner) (export, curl string) {
	for lines.Scan() {
		line := lines.Text()
		if curl == "" && strings.HasPrefix(line, "export ") {
			export = line + "\n"
		}
		if curl == "" && !strings.HasPrefix(strings.TrimSpace(line), "curl ") {
			continue
		}
		curl += line + "\n"
		if !strings.HasSuffix(line, `\`) && exec.Command("bash", "-n", "-c", curl).Run() == nil {
			return export, curl
		}
	}
	return "", ""
}

// stop ends the service as an operator does and waits for it.
func stop(t *testing.T, serve *exec.Cmd, out io.Reader) {
	t.Helper()
	if err := syscall.Kill(-serve.Process.Pid, syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, out); err != nil { // until the last process of the group has closed it
		t.Error(err)
	}
	if err := serve.Wait(); err != nil {
		t.Logf("the command ended with %v", err)
	}
}

func checkAnswer(t *testing.T, answer []byte) {
	t.Helper()
	var a struct {
		Success bool   `json:"success"`
		Format  string `json:"format"`
		Data    []byte `json:"data"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatalf("the answer is not the JSON of a document: %v: %.300s", err, answer)
	}
	if !a.Success || a.Format != "xrechnung" || !bytes.Contains(a.Data, []byte("xeinkauf.de:kosit:xrechnung_3.0")) {
		t.Errorf("the answer is no XRechnung: %.300s", answer)
	}
}

// The command line turns the example into the document that the README shows.
func TestREADME_GenerateWritesTheExample(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	generate := shell(ctx, readme(t, "sh generate"))
	var log bytes.Buffer
	generate.Stderr = &log
	document, err := generate.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	for _, want := range []string{"<?xml", readme(t, "xml")} {
		if !bytes.Contains(document, []byte(want)) {
			t.Errorf("the document lacks %s: %.300s", want, document)
		}
	}
}

// The command that runs the tests is the one that started this test, so it is only looked up.
func TestREADME_TestCommandExists(t *testing.T) {
	if got := readme(t, "sh test"); got != "make test" {
		t.Fatalf("README.md tests with %q, want make test", got)
	}
	if out, err := shell(t.Context(), "make --dry-run test").Output(); err != nil || !bytes.Contains(out, []byte("go test ")) || !bytes.Contains(out, []byte(" ./...")) {
		t.Errorf("make test: %v: %s", err, out)
	}
}

func TestPrintedLines_ReadsWholeCommands(t *testing.T) {
	for name, test := range map[string]struct{ text, export, curl string }{
		"one line":   {"Listening\nexport A=b\n  curl -H 'A: b' http://x/\nmore\n", "export A=b\n", "  curl -H 'A: b' http://x/\n"},
		"continued":  {"curl -X POST \\\n  http://x/\nmore\n", "", "curl -X POST \\\n  http://x/\n"},
		"open quote": {"curl -d '{\n}' http://x/\nmore\n", "", "curl -d '{\n}' http://x/\n"},
		"none":       {"export KEY=sk_test_1\n", "", ""},
		"cut off":    {"curl -d '{\n", "", ""},
	} {
		if export, curl := printedLines(bufio.NewScanner(strings.NewReader(test.text))); export != test.export || curl != test.curl {
			t.Errorf("%s: %q, %q, want %q, %q", name, export, curl, test.export, test.curl)
		}
	}
}
