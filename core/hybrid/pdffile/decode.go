package pdffile

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/ascii85"
	"errors"
	"fmt"
	"io"
)

// ErrFilter is why the data of a stream cannot be decoded.
var ErrFilter = errors.New("the data cannot be decoded")

// maxFilters is how many filters a stream may have.
const maxFilters = 8

// Decode gives the data of a stream, decrypted and decoded, of at most so many bytes.
func (f *File) Decode(stream *Stream, most int) ([]byte, error) {
	way := f.crypt.ofStreams()
	if f.crypt != nil && !f.crypt.metadata && f.Name(stream.Dict["Type"]) == "Metadata" {
		way = nil
	}
	return f.decode(stream, way, most)
}

// DecodeEmbedded is Decode for embedded files, which may be encrypted in a way of their own.
func (f *File) DecodeEmbedded(stream *Stream, most int) ([]byte, error) {
	return f.decode(stream, f.crypt.ofFiles(), most)
}

// Plain tells whether the data of a stream stands in an encrypted file as it is, because its one filter says so (ISO 32000-1 §7.4.10).
func (f *File) Plain(stream *Stream) bool {
	names, parameters := f.filters(stream)
	return f.crypt != nil && len(names) == 1 && f.Name(names[0]) == "Crypt" && f.nameOr(parameters[0]["Name"], identity) == identity
}

// filter decodes one layer of a stream. With an error it gives what it had decoded until then.
type filter func(f *File, data []byte, parameters Dict, most int) ([]byte, error)

// filterOf are the filters for data that is no image, by their names and abbreviations (ISO 32000-1 §7.4, table 94).
func filterOf(name Name) filter {
	switch name {
	case "FlateDecode", "Fl":
		return inflated
	case "LZWDecode", "LZW":
		return unLZW
	case "ASCIIHexDecode", "AHx":
		return func(_ *File, data []byte, _ Dict, _ int) ([]byte, error) {
			data, _, _ = bytes.Cut(data, []byte(">"))
			return unhex(data), nil
		}
	case "ASCII85Decode", "A85":
		return func(_ *File, data []byte, _ Dict, most int) ([]byte, error) {
			data, _, _ = bytes.Cut(bytes.TrimPrefix(bytes.TrimSpace(data), []byte("<~")), []byte("~>"))
			return bounded(ascii85.NewDecoder(bytes.NewReader(data)), most)
		}
	case "RunLengthDecode", "RL":
		return func(_ *File, data []byte, _ Dict, most int) ([]byte, error) { return runs(data, most) }
	case "Crypt":
		return func(_ *File, data []byte, _ Dict, _ int) ([]byte, error) { return data, nil }
	}
	return nil
}

// decode takes encryption and filters off.
func (f *File) decode(stream *Stream, way *cipherWay, most int) ([]byte, error) {
	names, parameters := f.filters(stream)
	if len(names) > maxFilters {
		return nil, fmt.Errorf("%w: it has more than %d filters", ErrFilter, maxFilters)
	}
	if len(names) > 0 && f.Name(names[0]) == "Crypt" && f.crypt != nil {
		way = f.crypt.named(f.Name(parameters[0]["Name"]))
	}
	if err := f.ctx.Err(); err != nil {
		f.err = cmp.Or(f.err, err)
		return nil, err
	}
	data, err := way.open(stream.raw, stream.of)
	for i := 0; i < len(names) && err == nil; i++ {
		apply := filterOf(f.Name(names[i]))
		if apply == nil {
			return nil, fmt.Errorf("%w: the filter %.40q is not known for data", ErrFilter, string(f.Name(names[i])))
		}
		data, err = apply(f, data, parameters[i], min(most, f.mostInflated-f.inflated))
		f.inflated += len(data) // of what fails, too: it was as much work
	}
	if err == nil && len(data) > most {
		err = ErrLimit
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// filters lists the filters of a stream with their parameters.
func (f *File) filters(stream *Stream) (names Array, parameters []Dict) {
	given := f.Resolve(stream.Dict["DecodeParms"])
	switch filter := f.Resolve(stream.Dict["Filter"]).(type) {
	case Name:
		names = Array{filter}
	case Array:
		names = filter
	}
	parameters = make([]Dict, len(names))
	for i := range parameters {
		if list, ok := given.(Array); ok && i < len(list) {
			parameters[i] = f.Dict(list[i])
		} else if dict, ok := given.(Dict); ok && i == 0 {
			parameters[i] = dict
		}
	}
	return names, parameters
}

// bounded reads at most so many bytes; more are ErrLimit.
func bounded(r io.Reader, most int) ([]byte, error) {
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(r, int64(max(0, most))+1))
	switch {
	case n > int64(most):
		return out.Bytes(), ErrLimit
	case err != nil:
		return out.Bytes(), fmt.Errorf("%w: %w", ErrFilter, err)
	}
	return out.Bytes(), nil
}

// inflated is FlateDecode (§7.4.4). The checksum at the end is not looked at: writers that get it wrong are common, and what is read here
// is judged by what it says.
func inflated(f *File, data []byte, parameters Dict, most int) ([]byte, error) {
	const head = 2 // bytes before the deflated data (RFC 1950)
	data = bytes.TrimLeft(data, "\r\n")
	if len(data) < head {
		return nil, fmt.Errorf("%w: it is empty", ErrFilter)
	}
	r := flate.NewReader(bytes.NewReader(data[head:]))
	out, err := bounded(r, most)
	if err != nil {
		return out, err
	}
	return f.unpredict(out, parameters)
}

// runs is RunLengthDecode (§7.4.5).
func runs(data []byte, most int) ([]byte, error) {
	const end = 128
	var out []byte
	for len(data) > 1 && data[0] != end {
		n := int(data[0]) + 1
		if n > end {
			out = append(out, bytes.Repeat(data[1:2], 2*end-n+2)...)
			data = data[2:]
		} else {
			n = min(n, len(data)-1)
			out, data = append(out, data[1:1+n]...), data[1+n:]
		}
		if len(out) > most {
			return out, ErrLimit
		}
	}
	return out, nil
}

// unLZW is LZWDecode (§7.4.4): codes of 9 to 12 bits, of which 256 begins anew and 257 ends.
func unLZW(f *File, data []byte, parameters Dict, most int) ([]byte, error) {
	early := 1
	if change, ok := f.Resolve(parameters["EarlyChange"]).(Integer); ok {
		early = int(change)
	}
	out, err := unLZWCodes(data, early, most)
	if err != nil {
		return out, err
	}
	return f.unpredict(out, parameters)
}
