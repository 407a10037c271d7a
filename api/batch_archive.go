package api

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/einvoiced/einvoiced/core/finding"
)

// archive reads a ZIP (PKWARE APPNOTE 6.3) from front to back, entry by entry, so that no more than one is held. The directory
// at its end has to agree with what came before it; until it has been read, nothing of the archive counts.
//
// It takes files that are stored or deflated, and no links, no encryption, no parts.
type archive struct {
	in      *counted
	limits  archiveLimits
	hold    func(bytes int64) error // is told how much is held of an entry
	entries []entryHead
	total   int64 // bytes inflated so far
}

// archiveLimits bound what an archive inflates to.
type archiveLimits struct {
	entry int64 // bytes of one entry
	total int64 // bytes of all entries together
}

const (
	maxInflation   = 200     // times that an entry may inflate, beyond easyInflation
	easyInflation  = 1 << 20 // bytes that an entry may have whatever its ratio
	maxEntryName   = 255     // bytes
	maxEntryExtras = 4 << 10 // bytes of extra fields, and of a comment
)

// Signatures, as they stand in the file.
const (
	sigEntry     = 0x04034b50
	sigDirectory = 0x02014b50
	sigEnd       = 0x06054b50
	sigEnd64     = 0x06064b50
	sigLocator64 = 0x07064b50
	sigSizes     = 0x08074b50
)

// Bits of the flags, and methods.
const (
	flagEncrypted = 1 << 0
	flagSizesLate = 1 << 3 // sizes and CRC follow the data
	methodStored  = 0
	methodDeflate = 8
)

// entryHead is what the directory has to repeat.
type entryHead struct {
	name   string
	offset int64
	crc    uint32
	packed int64
	size   int64
}

// entry is one file of an archive.
type entry struct {
	name string
	data []byte
}

func (e *entry) base() string { return path.Base(e.name) }

func (e *entry) isJSON() bool { return strings.EqualFold(path.Ext(e.name), ".json") }

// counted counts what is taken from a buffered reader.
type counted struct {
	r *bufio.Reader
	n int64
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// ReadByte implements io.ByteReader, so that inflating takes no byte too many.
func (c *counted) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

func newArchive(r io.Reader, limits archiveLimits, hold func(int64) error) *archive {
	return &archive{in: &counted{r: bufio.NewReaderSize(r, 64<<10)}, limits: limits, hold: hold}
}

// badArchive is the 400 for a body that is no ZIP that is taken.
func badArchive(message string) error { return badField("", finding.InvalidZIP, message) }

var errCutOff = badArchive("The ZIP is damaged or ends too early")

// next gives the next file; folders are passed over. At the end, io.EOF, the directory has been compared.
func (a *archive) next() (*entry, error) {
	for {
		sig, err := a.number(4)
		if err != nil {
			return nil, err
		}
		switch sig {
		case sigEntry:
			e, err := a.file()
			if err != nil || e != nil {
				return e, err
			}
		case sigDirectory, sigEnd, sigEnd64:
			if err := a.directory(uint32(sig)); err != nil {
				return nil, err
			}
			return nil, io.EOF
		default:
			return nil, badArchive("The request body is not a ZIP, or one in parts or with something before it")
		}
	}
}

// number reads an unsigned number of so many bytes, at most eight.
func (a *archive) number(size int) (uint64, error) {
	b, err := a.bytes(size)
	if err != nil {
		return 0, err
	}
	var wide [8]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint64(wide[:]), nil
}

func (a *archive) bytes(size int) ([]byte, error) {
	b := make([]byte, size)
	if _, err := io.ReadFull(a.in, b); err != nil {
		return nil, readFailure(err)
	}
	return b, nil
}

// readFailure tells the end of the archive from a failure of the body, which tells more by itself.
func readFailure(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errCutOff
	}
	return err
}

// file reads a local header (APPNOTE 4.3.7) behind its signature, and the file. It gives nil for a folder.
func (a *archive) file() (*entry, error) {
	head := entryHead{offset: a.in.n - 4}
	h, err := a.bytes(26)
	if err != nil {
		return nil, err
	}
	le := binary.LittleEndian
	flags, method := le.Uint16(h[2:]), le.Uint16(h[4:])
	head.crc, head.packed, head.size = le.Uint32(h[10:]), int64(le.Uint32(h[14:])), int64(le.Uint32(h[18:]))
	name, extra, err := a.nameAndExtra(int(le.Uint16(h[22:])), int(le.Uint16(h[24:])))
	if err != nil {
		return nil, err
	}
	head.name = name
	late, wide := flags&flagSizesLate != 0, wideSizes(extra, &head.size, &head.packed)
	switch {
	case flags&flagEncrypted != 0:
		return nil, badArchive(clip(name) + " is encrypted")
	case method != methodStored && method != methodDeflate:
		return nil, badArchive(clip(name) + " is neither stored nor deflated")
	case method == methodStored && late && !strings.HasSuffix(name, "/"):
		return nil, badArchive(clip(name) + " is stored without telling its size")
	case len(a.entries) > maxStreamed:
		return nil, tooManyOperations(maxStreamed)
	}
	data, err := a.unpack(&head, method, late, wide)
	if err != nil {
		return nil, err
	}
	a.entries = append(a.entries, head)
	if strings.HasSuffix(name, "/") {
		if len(data) > 0 {
			return nil, badArchive(clip(name) + " is a folder with content")
		}
		return nil, nil
	}
	return &entry{name, data}, nil
}

// nameAndExtra reads the name of an entry, which must be a plain path below the archive, and its extra fields.
func (a *archive) nameAndExtra(nameLen, extraLen int) (string, []byte, error) {
	if nameLen > maxEntryName || extraLen > maxEntryExtras {
		return "", nil, badArchive(fmt.Sprintf("An entry of the ZIP has a name of more than %d bytes, or long extra fields", maxEntryName))
	}
	raw, err := a.bytes(nameLen)
	if err != nil {
		return "", nil, err
	}
	name := string(raw)
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsAny(name, `\:`) ||
		!fs.ValidPath(strings.TrimSuffix(name, "/")) || strings.TrimSuffix(name, "/") == "." {
		return "", nil, badArchive("The ZIP has an entry with a name that is not allowed: " + clip(fmt.Sprintf("%q", name)))
	}
	extra, err := a.bytes(extraLen)
	return name, extra, err
}

// wideSizes takes the sizes from the extra field of ZIP64 (APPNOTE 4.5.3), where it is there; they are in this order, and only
// those that the header leaves to it.
func wideSizes(extra []byte, sizes ...*int64) bool {
	for len(extra) >= 4 {
		id, length := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if extra = extra[4:]; length > len(extra) {
			return false
		}
		field := extra[:length]
		extra = extra[length:]
		if id != 1 {
			continue
		}
		for _, size := range sizes {
			if *size == 0xffffffff && len(field) >= 8 {
				*size, field = int64(binary.LittleEndian.Uint64(field)), field[8:]
			}
		}
		return true
	}
	return false
}

// unpack reads the data of an entry, and the sizes behind it.
func (a *archive) unpack(head *entryHead, method uint16, late, wide bool) ([]byte, error) {
	start := a.in.n
	data, err := a.inflate(head, method)
	if err != nil {
		return nil, err
	}
	packed := a.in.n - start
	if late {
		if err := a.lateSizes(head, wide); err != nil {
			return nil, err
		}
	}
	if head.packed != packed || head.size != int64(len(data)) || head.crc != crc32.ChecksumIEEE(data) {
		return nil, badArchive(clip(head.name) + " is damaged: its size or checksum is not what the ZIP says")
	}
	return data, nil
}

// inflate reads the content of an entry within the limits.
func (a *archive) inflate(head *entryHead, method uint16) ([]byte, error) {
	start := a.in.n
	var r io.Reader = io.LimitReader(a.in, max(head.packed, 0))
	if method == methodDeflate {
		r = flate.NewReader(a.in)
	}
	var data bytes.Buffer
	for {
		n, err := io.CopyN(&data, r, 64<<10)
		a.total += n
		size, packed := int64(data.Len()), a.in.n-start
		switch {
		case size > a.limits.entry:
			return nil, tooLarge(a.limits.entry)
		case a.total > a.limits.total:
			return nil, badArchive(fmt.Sprintf("The documents of the ZIP have more than %d bytes together", a.limits.total))
		case size > easyInflation && size > maxInflation*packed:
			return nil, badArchive(fmt.Sprintf("%s inflates to more than %d times its size", clip(head.name), maxInflation))
		case err != nil && err != io.EOF:
			return nil, inflateFailure(head, err)
		}
		if held := a.hold(size); held != nil || err == io.EOF {
			return data.Bytes(), held
		}
	}
}

func inflateFailure(head *entryHead, err error) error {
	if _, broken := errors.AsType[flate.CorruptInputError](err); broken {
		return badArchive(clip(head.name) + " is damaged")
	}
	return readFailure(err)
}

// lateSizes reads the descriptor behind the data (APPNOTE 4.3.9), whose signature may be left out.
func (a *archive) lateSizes(head *entryHead, wide bool) error {
	crc, err := a.number(4)
	if err == nil && crc == sigSizes {
		crc, err = a.number(4)
	}
	if err != nil {
		return err
	}
	width := 4
	if wide {
		width = 8
	}
	packed, err := a.number(width)
	if err != nil {
		return err
	}
	size, err := a.number(width)
	head.crc, head.packed, head.size = uint32(crc), int64(packed), int64(size)
	return err
}

// directory compares the directory with the entries that came, and reads to the end of the archive.
func (a *archive) directory(sig uint32) error {
	begin := a.in.n - 4
	for i := range a.entries {
		if sig != sigDirectory {
			return errUntrue
		}
		if err := a.compare(&a.entries[i]); err != nil {
			return err
		}
		next, err := a.number(4)
		if err != nil {
			return err
		}
		sig = uint32(next)
	}
	return a.end(sig, extent{len(a.entries), a.in.n - 4 - begin, begin})
}

// extent is what the records at the end say of the directory.
type extent struct {
	count        int
	size, offset int64 // bytes
}

var errUntrue = badArchive("The directory of the ZIP does not agree with its entries")

// compare reads an entry of the directory (APPNOTE 4.3.12) behind its signature.
func (a *archive) compare(want *entryHead) error {
	h, err := a.bytes(42)
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	got := entryHead{crc: le.Uint32(h[12:]), packed: int64(le.Uint32(h[16:])), size: int64(le.Uint32(h[20:])), offset: int64(le.Uint32(h[38:]))}
	name, extra, err := a.nameAndExtra(int(le.Uint16(h[24:])), int(le.Uint16(h[26:])))
	if err != nil {
		return err
	}
	if comment := int(le.Uint16(h[28:])); comment > maxEntryExtras {
		return badArchive(clip(name) + " has a long comment")
	} else if _, err := a.bytes(comment); err != nil {
		return err
	}
	wideSizes(extra, &got.size, &got.packed, &got.offset)
	if got.name = name; got != *want {
		return errUntrue
	}
	return checkKind(name, h[1], le.Uint32(h[34:]))
}

// checkKind refuses what is neither a file nor a folder, by the mode that systems like Unix note (APPNOTE 4.4.2, 4.4.15).
func checkKind(name string, system byte, attributes uint32) error {
	const unix, macOS, kind, regular, folder = 3, 19, 0xf000, 0x8000, 0x4000
	if system != unix && system != macOS {
		return nil
	}
	switch attributes >> 16 & kind {
	case 0, regular, folder:
		return nil
	}
	return badArchive(clip(name) + " is a link or a device")
}

// end reads the records at the end (APPNOTE 4.3.14 to 4.3.16) behind the signature of the first, and sees that nothing follows.
func (a *archive) end(sig uint32, want extent) error {
	wide := sig == sigEnd64
	if wide {
		if err := a.wideEnd(want); err != nil {
			return err
		}
	} else if sig != sigEnd {
		return errUntrue
	}
	h, err := a.bytes(18)
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	got := extent{int(le.Uint16(h[6:])), int64(le.Uint32(h[8:])), int64(le.Uint32(h[12:]))}
	if got != want && !(wide && got.leavesTo(want)) {
		return errUntrue
	}
	if _, err := a.bytes(int(le.Uint16(h[16:]))); err != nil { // a comment
		return err
	}
	if _, err := a.in.ReadByte(); err != io.EOF {
		return badArchive("Something follows the ZIP in the request body")
	}
	return nil
}

// leavesTo tells whether each figure is the wide record's or left to it.
func (e extent) leavesTo(wide extent) bool {
	return (e.count == wide.count || e.count == 0xffff) && (e.size == wide.size || e.size == 0xffffffff) && (e.offset == wide.offset || e.offset == 0xffffffff)
}

// wideEnd reads the record of ZIP64 behind its signature, its locator, and the signature of the record after them.
func (a *archive) wideEnd(want extent) error {
	const record, locator = 44, 20
	at := a.in.n - 4
	length, err := a.number(8)
	if err != nil || length < record || length > maxEntryExtras {
		return errors.Join(err, errUntrue)
	}
	h, err := a.bytes(int(length) + locator + 4)
	if err != nil {
		return err
	}
	le, behind := binary.LittleEndian, h[length:]
	got := extent{int(le.Uint64(h[20:])), int64(le.Uint64(h[28:])), int64(le.Uint64(h[36:]))}
	if got != want || le.Uint32(behind) != sigLocator64 || int64(le.Uint64(behind[8:])) != at || le.Uint32(behind[locator:]) != sigEnd {
		return errUntrue
	}
	return nil
}
