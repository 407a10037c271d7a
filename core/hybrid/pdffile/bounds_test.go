package pdffile_test

import (
	"bytes"
	"compress/flate"
	"crypto/md5"
	"crypto/rc4"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/hybrid/pdffile"
)

// deflated is data as FlateDecode has it, without the checksum behind.
func deflated(t testing.TB, data []byte) []byte {
	t.Helper()
	out := bytes.NewBufferString("\x78\x9c")
	z, err := flate.NewWriter(out, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// broken is a stream that inflates to so many bytes, and then to an error.
func broken(t testing.TB, bytes int) []byte {
	data := deflated(t, make([]byte, bytes))
	return append(data[:len(data)-8:len(data)-8], "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"...)
}

// opened opens a file and gives how many bytes that has allocated; no file where it cannot be opened.
func opened(t *testing.T, data []byte) (f *pdffile.File, allocated uint64) {
	t.Helper()
	allocated = allocating(func() {
		f, _ = pdffile.Open(t.Context(), data)
	})
	return f, allocated
}

// TestOpen_EntriesThatThereAreNoObjectsFor ensures that a few bytes of cross-reference data that tell of millions of objects are the limit, before they take memory.
func TestOpen_EntriesThatThereAreNoObjectsFor(t *testing.T) {
	var file bytes.Buffer
	file.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n")
	rows := deflated(t, bytes.Repeat([]byte{1, 9}, 4_000_000))
	at := file.Len()
	fmt.Fprintf(&file, "2 0 obj<</Type/XRef/Size 4000000/W[1 1 0]/Root 1 0 R/Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\nstartxref\n%d\n%%%%EOF", len(rows), rows, at)
	if _, err := pdffile.Open(t.Context(), file.Bytes()); !errors.Is(err, pdffile.ErrLimit) {
		t.Errorf("%v, want the limit", err)
	}
	if _, allocated := opened(t, file.Bytes()); allocated > 128<<20 {
		t.Errorf("%d bytes were allocated for %d", allocated, file.Len())
	}
}

// TestOpen_StreamsThatFailAreWork ensures that what is inflated before a stream turns out to be broken counts: cross-reference data that is tried for each of many
// trailers, and streams of objects that are found by looking through the file.
func TestOpen_StreamsThatFailAreWork(t *testing.T) {
	const tries = 400
	data := broken(t, 1<<20)
	var trailers, packs bytes.Buffer
	trailers.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n")
	stream := trailers.Len()
	fmt.Fprintf(&trailers, "2 0 obj<</Type/XRef/Size 5/W[1 1 1]/Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\n", len(data), data)
	at, previous := 0, ""
	for range tries {
		at = trailers.Len()
		fmt.Fprintf(&trailers, "xref\n1 1\n%010d 00000 n \ntrailer<</Root 1 0 R/XRefStm %d%s>>\n", 9, stream, previous)
		previous = fmt.Sprintf("/Prev %d", at)
	}
	fmt.Fprintf(&trailers, "startxref\n%d\n%%%%EOF", at)
	packs.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n")
	for i := range tries {
		fmt.Fprintf(&packs, "%d 0 obj<</Type/ObjStm/N 1/First 9/Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\n", 10+i, len(data), data)
	}
	packs.WriteString("trailer<</Root 1 0 R>>")
	for name, file := range map[string][]byte{"trailers": trailers.Bytes(), "streams of objects": packs.Bytes()} {
		f, allocated := opened(t, file)
		if f == nil {
			t.Fatalf("%s: not opened", name)
		}
		if most := uint64(400 << 20); allocated > most { // of what is inflated each byte is allocated up to four times, since the buffer grows
			t.Errorf("%s: %d bytes were allocated", name, allocated)
		}
	}
}

// TestResolve_PackThatFailsIsTriedOnce ensures that a stream of objects which cannot be read is not read for each of the objects that it should have.
func TestResolve_PackThatFailsIsTriedOnce(t *testing.T) {
	const objects = 100
	data := broken(t, 1<<20)
	var file bytes.Buffer
	file.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n")
	pack := file.Len()
	fmt.Fprintf(&file, "2 0 obj<</Type/ObjStm/N %d/First 9/Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\n", objects, len(data), data)
	rows := []byte{1, 0, 9, 1, byte(pack >> 8), byte(pack)}
	var methods strings.Builder
	for i := range objects {
		rows = append(rows, 2, 0, 2)
		fmt.Fprintf(&methods, "/M%d %d 0 R", i, 10+i)
	}
	encryption := file.Len()
	fmt.Fprintf(&file, "3 0 obj<</Filter/Standard/V 4/R 2/O<%s>/U<%s>/P 0/CF<<%s>>>>endobj\n", strings.Repeat("00", 32), proof(16), &methods)
	rows = append(rows, 1, byte(encryption>>8), byte(encryption))
	at := file.Len()
	fmt.Fprintf(&file, "4 0 obj<</Type/XRef/Size 200/W[1 2 0]/Index[1 2 10 %d 3 1]/Root 1 0 R/Encrypt 3 0 R/Length %d>>stream\n%s\nendstream endobj\nstartxref\n%d\n%%%%EOF",
		objects, len(rows), rows, at)
	f, allocated := opened(t, file.Bytes())
	if f == nil || f.Rebuilt() || !f.Encrypted() {
		t.Fatal("not opened as it stands")
	}
	if allocated > 32<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
}

// proof is the user entry of revision 2, in hexadecimal digits, where owner entry and permissions are zeros and there is no identifier.
func proof(length int) string {
	padding := []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")
	sum := md5.Sum(append(bytes.Clone(padding), make([]byte, 36)...))
	c, _ := rc4.NewCipher(sum[:length])
	c.XORKeyStream(padding, padding)
	return fmt.Sprintf("%x", padding)
}

// TestResolve_ObjectsOfMillionsOfParts ensures that one object of very many dictionaries, which a stream packs into a few bytes, is the limit before it takes
// memory for all of them.
func TestResolve_ObjectsOfMillionsOfParts(t *testing.T) {
	packed := deflated(t, []byte("10 0 ["+strings.Repeat("<</A 1>>", 3_000_000)+"]"))
	var file bytes.Buffer
	file.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n")
	at := file.Len()
	fmt.Fprintf(&file, "2 0 obj<</Type/ObjStm/N 1/First 5/Filter/FlateDecode/Length %d>>stream\n%s\nendstream endobj\n", len(packed), packed)
	table := file.Len()
	fmt.Fprintf(&file, "3 0 obj<</Type/XRef/Size 11/W[1 2 0]/Index[1 2 10 1]/Root 1 0 R/Length 9>>stream\n\x01%c\x09\x01%c%c\x02%c\x02\nendstream endobj\nstartxref\n%d\n%%%%EOF",
		0, at>>8, at, 0, table)
	f, _ := opened(t, file.Bytes())
	if f == nil || f.Rebuilt() {
		t.Fatal("not opened as it stands")
	}
	allocated := allocating(func() {
		f.Resolve(pdffile.Ref{Number: 10})
	})
	if !errors.Is(f.Err(), pdffile.ErrLimit) {
		t.Errorf("%v, want the limit", f.Err())
	}
	if allocated > 256<<20 {
		t.Errorf("%d bytes were allocated", allocated)
	}
}

// TestResolve_SecretStringsAreWork ensures that strings of which each is decrypted by a key of its own count as the work that they are.
func TestResolve_SecretStringsAreWork(t *testing.T) {
	const strs = 600_000
	var file bytes.Buffer
	file.WriteString("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R>>endobj\n")
	list := file.Len()
	fmt.Fprintf(&file, "2 0 obj[%s]endobj\n", strings.Repeat("(a)", strs))
	encryption := file.Len()
	fmt.Fprintf(&file, "3 0 obj<</Filter/Standard/V 1/R 2/O<%s>/U<%s>/P 0>>endobj\n", strings.Repeat("00", 32), proof(5))
	table := file.Len()
	fmt.Fprintf(&file, "xref\n1 3\n%010d 00000 n \n%010d 00000 n \n%010d 00000 n \ntrailer<</Root 1 0 R/Encrypt 3 0 R>>\nstartxref\n%d\n%%%%EOF", 9, list, encryption, table)
	f, err := pdffile.Open(t.Context(), file.Bytes())
	if err != nil || f.Rebuilt() {
		t.Fatal(err)
	}
	if f.Resolve(pdffile.Ref{Number: 2}); !errors.Is(f.Err(), pdffile.ErrLimit) {
		t.Errorf("%v, want the limit", f.Err())
	}
}
