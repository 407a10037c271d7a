package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/einvoiced/einvoiced/storage/blob"
)

// TestWhatOnlyTheServiceReadsIsStoredCompressed ensures that documents, which customers may read by a signed address, stay as they are.
func TestWhatOnlyTheServiceReadsIsStoredCompressed(t *testing.T) {
	f := newFixture(t)
	data := strings.Repeat(`{"description": "Position", "netAmount": 10}`, 5000)
	run := f.claim(t, f.accept(t, data))
	do(t, f.Finish(t.Context(), run, Output{Status: 200, Answer: Bytes(data), Document: &Document{"a.xml", "application/xml", Bytes(data)}}))
	for key, most := range map[string]int{
		blob.Key(f.account, run.ID, 0, inputName):          len(data) / 10,
		blob.Key(f.account, run.ID, run.Run, answerName):   len(data) / 10,
		blob.Key(f.account, run.ID, run.Run, artifactName): len(data),
	} {
		kept := f.kept(t, key)
		if len(kept) > most || most == len(data) && string(kept) != data {
			t.Errorf("%s has %d bytes for %d", key, len(kept), len(data))
		}
	}
	f.checkKept(t, run, data)
}

// TestBlobsThatAreNotCompressedAreRead ensures that jobs of a release that did not compress are read.
func TestBlobsThatAreNotCompressedAreRead(t *testing.T) {
	for _, data := range []string{strings.Repeat("{}", 20<<10), "[]", ""} {
		f := newFixture(t, inBlobs)
		run := f.claim(t, f.accept(t, data))
		do(t, f.Finish(t.Context(), run, Output{Status: 200, Answer: Bytes(data), Document: &Document{"a.xml", "application/xml", Bytes(data)}}))
		for _, key := range []string{blob.Key(f.account, run.ID, 0, inputName), blob.Key(f.account, run.ID, run.Run, answerName)} {
			_, err := f.blobs.Put(t.Context(), key, strings.NewReader(data))
			do(t, err)
		}
		f.checkKept(t, run, data)
	}
}

// kept reads a blob as it is stored.
func (f *fixture) kept(t *testing.T, key string) []byte {
	t.Helper()
	r, err := f.blobs.Get(t.Context(), key)
	do(t, err)
	data, err := io.ReadAll(r)
	do(t, err, r.Close())
	return data
}

// checkKept checks that input, answer and document of the run are data.
func (f *fixture) checkKept(t *testing.T, run Job, data string) {
	t.Helper()
	job := f.get(t, run)
	input, err := f.Input(t.Context(), job)
	do(t, err)
	answer, err := f.Answer(t.Context(), job)
	do(t, err)
	document, err := f.document(t, job)
	do(t, err)
	for what, got := range map[string]string{"input": string(input), "answer": string(answer), "document": document} {
		if got != data {
			t.Errorf("%s of %d bytes comes back with %d", what, len(data), len(got))
		}
	}
}

// TestPackedBytesComeBack ensures that whatever is packed comes back, however it is read, with its true size and checksum.
func TestPackedBytesComeBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		piece := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(rt, "piece")
		data := bytes.Repeat(piece, rapid.IntRange(0, 9000).Draw(rt, "times"))
		readers := map[string]func(io.Reader) io.Reader{
			"as asked": func(r io.Reader) io.Reader { return r }, "by halves": iotest.HalfReader, "with the end": iotest.DataErrReader,
		}
		read := readers[rapid.SampledFrom([]string{"as asked", "by halves", "with the end"}).Draw(rt, "reader")]
		p := pack(read(bytes.NewReader(data)))
		packed, err := io.ReadAll(p)
		if err != nil {
			rt.Fatal(err)
		}
		r, err := unpack(io.NopCloser(read(bytes.NewReader(packed))))
		if err != nil {
			rt.Fatal(err)
		}
		back, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(back, data) || p.info() != datumOf(0, "", data).Info {
			rt.Fatalf("%d bytes become %d and then %d, %+v, error %v", len(data), len(packed), len(back), p.info(), err)
		}
	})
}

// TestPackingEndsWithTheErrorOfItsReader ensures that no input is taken for whole that is not.
func TestPackingEndsWithTheErrorOfItsReader(t *testing.T) {
	broken := fmt.Errorf("the connection broke off: %w", io.ErrUnexpectedEOF) // as a store says it: nothing is known against the blob
	_, err := io.ReadAll(pack(io.MultiReader(strings.NewReader("{"), iotest.ErrReader(broken))))
	if !errors.Is(err, broken) {
		t.Errorf("packing: error %v", err)
	}
	if _, err := unpack(io.NopCloser(iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("unpacking from the start: error %v", err)
	}
	packed, err := io.ReadAll(pack(strings.NewReader(strings.Repeat("{}", 1<<20))))
	do(t, err)
	r, err := unpack(io.NopCloser(io.MultiReader(bytes.NewReader(packed[:len(packed)/2]), iotest.ErrReader(broken))))
	do(t, err)
	if _, err := io.ReadAll(r); !errors.Is(err, broken) || errors.Is(err, ErrCorrupt) {
		t.Errorf("unpacking: error %v", err)
	}
}

// TestDamagedPackedBytesAreCorrupt ensures that wherever a compressed blob is damaged, the damage has that name or the bytes are the same.
func TestDamagedPackedBytesAreCorrupt(t *testing.T) {
	f := newFixture(t, inBlobs)
	data := strings.Repeat(`{"description": "Position", "netAmount": 10}`, 50)
	run := f.claim(t, f.accept(t, data))
	key := blob.Key(f.account, run.ID, 0, inputName)
	sound := f.kept(t, key)
	for i := range sound {
		for how, bytes := range map[string][]byte{"changed": append(append(append([]byte{}, sound[:i]...), sound[i]^0xff), sound[i+1:]...), "cut off": sound[:i]} {
			_, err := f.blobs.Put(t.Context(), key, strings.NewReader(string(bytes)))
			do(t, err)
			if got, err := f.Input(t.Context(), f.get(t, run)); !errors.Is(err, ErrCorrupt) && (err != nil || string(got) != data) {
				t.Error(fmt.Sprintf("%s at %d of %d:", how, i, len(sound)), len(got), err)
			}
		}
	}
}
