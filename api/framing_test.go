package api

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// listening gives the address at which a server answers until the test ends.
func listening(t *testing.T, server *http.Server) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(Listener(l)) }() // it ends with Close
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String()
}

// TestFraming ensures that a body with two lengths is refused and ends the connection, whatever the order and case of the fields and whichever
// request of a connection it is; and that one with one length is not.
func TestFraming(t *testing.T) {
	f := newFixture(t, Config{})
	address := listening(t, HTTPServer(f, f.Log))
	const chunked, length, body = "Transfer-Encoding: chunked\r\n", "content-LENGTH: 4\r\n", "4\r\nabcd\r\n0\r\n\r\n"
	padding := "X: " + strings.Repeat("x", 9000) + "\r\n"
	for name, c := range map[string]struct {
		head    string
		refused bool
	}{
		"length first":      {length + chunked, true},
		"chunked first":     {chunked + length, true},
		"far away":          {length + padding + chunked, true},
		"chunked":           {chunked, false},
		"chunked, far away": {padding + chunked, false},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			answers := bufio.NewReader(conn)
			fmt.Fprint(conn, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
			if res := answerOn(t, answers); res.StatusCode != 200 {
				t.Fatalf("the first request: status %d", res.StatusCode)
			}
			fmt.Fprintf(conn, "POST /api/v1/jobs HTTP/1.1\r\nHost: x\r\n%s\r\n%s", c.head, body)
			res := answerOn(t, answers)
			if want := map[bool]int{true: 400, false: 401}[c.refused]; res.StatusCode != want || c.refused && !res.Close {
				t.Errorf("status %d, want %d; closed: %t", res.StatusCode, want, res.Close)
			}
			if !c.refused {
				return
			}
			if _, err := answers.ReadByte(); err != io.EOF {
				t.Errorf("the connection goes on: %v", err)
			}
		})
	}
}

// answerOn reads one answer from a connection.
func answerOn(t *testing.T, r *bufio.Reader) *http.Response {
	t.Helper()
	res, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
	return res
}
