package ledger

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// elsewhere is a Content that is not in memory: a size and what reading gives.
type elsewhere struct {
	size int64
	r    io.Reader // nil: it cannot be opened
}

func (e elsewhere) Size() int64 { return e.size }

func (e elsewhere) Open(context.Context) (io.ReadCloser, error) {
	if e.r == nil {
		return nil, ErrGone
	}
	return io.NopCloser(e.r), nil
}

var errOfReader = errors.New("of the reader")

// unreadable are contents that are not what they say, and the errors of that.
var unreadable = map[string]struct {
	content Content
	want    error
}{
	"gone":      {elsewhere{5, nil}, ErrGone},
	"broken":    {elsewhere{5, iotest.ErrReader(errOfReader)}, errOfReader},
	"too short": {elsewhere{6, strings.NewReader("short")}, io.ErrUnexpectedEOF},
	"too long":  {elsewhere{4, strings.NewReader("short")}, io.ErrUnexpectedEOF},
}

func TestReadAll(t *testing.T) {
	for name, c := range map[string]Content{
		"in memory": Bytes("12345"), "elsewhere": elsewhere{5, strings.NewReader("12345")}, "byte by byte": elsewhere{5, iotest.OneByteReader(strings.NewReader("12345"))},
	} {
		if got, err := ReadAll(t.Context(), c); err != nil || string(got) != "12345" {
			t.Errorf("%s: %q, error %v", name, got, err)
		}
	}
	for name, u := range unreadable {
		if got, err := ReadAll(t.Context(), u.content); !errors.Is(err, u.want) || got != nil {
			t.Errorf("%s: %q, error %v, want %v", name, got, err, u.want)
		}
	}
}

// TestReadAll_EndsWithItsContext ensures that a content is not read on after the context has ended, whatever is left of it.
func TestReadAll_EndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	pieces := io.MultiReader(strings.NewReader("before"), callOnRead(stop), strings.NewReader("after"), iotest.ErrReader(errOfReader))
	if got, err := ReadAll(ctx, elsewhere{1 << 20, pieces}); !errors.Is(err, context.Canceled) || got != nil {
		t.Errorf("%q, error %v", got, err)
	}
}

// callOnRead is a reader of nothing that calls a function.
type callOnRead func()

func (f callOnRead) Read([]byte) (int, error) {
	f()
	return 0, io.EOF
}

// TestContentIsReadAgainFromItsBeginning ensures that whoever opens a content has all of it.
func TestContentIsReadAgainFromItsBeginning(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		run := f.claim(t, f.accept(t, "request"))
		for range 2 {
			if got, err := ReadAll(t.Context(), f.Ledger.Input(run)); err != nil || string(got) != "request" {
				t.Errorf("%q, error %v", got, err)
			}
		}
	})
}

// TestKeptInputIsUnpackedElsewhere ensures that whoever has what is kept and its form has the input, or learns that it is damaged.
func TestKeptInputIsUnpackedElsewhere(t *testing.T) {
	data := strings.Repeat(`{"description": "Position", "netAmount": 10}`, 5000)
	for name, change := range map[string][]func(*Config){"a blob": {inBlobs}, "beside the row": {func(c *Config) { c.SmallBytes = mostSmall }}} {
		f := newFixture(t, change...)
		request := data
		if name == "beside the row" {
			request = data[:1000]
		}
		run := f.get(t, f.claim(t, f.accept(t, request)))
		kept, ok := f.Ledger.Input(run).(Kept)
		if !ok {
			t.Fatal("an input is not to be had as it is kept")
		}
		r, form, err := kept.OpenKept(t.Context())
		do(t, err)
		raw, err := io.ReadAll(r)
		do(t, err, r.Close())
		if packed := len(raw) < len(request); packed != form.Packed || packed != (name == "a blob") {
			t.Errorf("%s: %d bytes for %d, packed %t", name, len(raw), len(request), form.Packed)
		}
		if got, err := ReadAll(t.Context(), Unpacked(Bytes(raw), form)); err != nil || string(got) != request {
			t.Errorf("%s: %d bytes, error %v", name, len(got), err)
		}
		raw[len(raw)/2] ^= 0xff
		if _, err := ReadAll(t.Context(), Unpacked(Bytes(raw), form)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: damaged: error %v", name, err)
		}
		if _, err := ReadAll(t.Context(), Unpacked(elsewhere{5, nil}, form)); !errors.Is(err, ErrGone) {
			t.Errorf("%s: gone: error %v", name, err)
		}
	}
}

// TestOutputThatCannotBeReadEndsNothing ensures that a job whose output is not all there goes on without any of it.
func TestOutputThatCannotBeReadEndsNothing(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		run := f.claim(t, f.accept(t, "request"))
		for name, u := range unreadable {
			for _, out := range []Output{
				{Status: 200, Answer: u.content},
				{Status: 200, Answer: Bytes("{}"), Document: &Document{"a.txt", "text/plain", u.content}},
			} {
				if r, ok := u.content.(elsewhere).r.(*strings.Reader); ok {
					r.Reset("short")
				}
				if err := f.Finish(t.Context(), run, out); err == nil {
					t.Errorf("%s: the job has ended", name)
				}
			}
		}
		if got := f.get(t, run); got.State != Running || got.Answer != nil || got.Artifact != nil {
			t.Errorf("the job %+v", got)
		}
		do(t, f.Finish(t.Context(), run, done))
		f.checkOutput(t, f.get(t, run))
	})
}

// TestOutputElsewhereIsKept ensures that it makes no difference where an output lies.
func TestOutputElsewhereIsKept(t *testing.T) {
	inBoth(t, func(t *testing.T, f *fixture) {
		run := f.claim(t, f.accept(t, "request"))
		out := done
		out.Answer = elsewhere{out.Answer.Size(), bytes.NewReader(out.Answer.(Bytes))}
		document := *out.Document
		document.Content = elsewhere{document.Content.Size(), bytes.NewReader(document.Content.(Bytes))}
		out.Document = &document
		do(t, f.Finish(t.Context(), run, out))
		f.checkOutput(t, f.get(t, run))
	})
}
