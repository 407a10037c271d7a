package pdffile

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
)

// crypt is the standard security handler (ISO 32000-1 §7.6.3, ISO 32000-2 §7.6.4) with the empty user password.
type crypt struct {
	key      []byte
	version  int
	metadata bool // metadata is encrypted as the rest is
	ways     map[Name]*cipherWay
	streams  Name
	strings  Name
	files    Name
	err      error // why the file cannot be opened
}

// method is how data is encrypted.
type method uint8

const (
	methodRC4 method = iota
	methodAES128
	methodAES256
)

// cipherWay is one way in which a file encrypts; nil is none.
type cipherWay struct {
	method method
	key    []byte
}

// identity is the name of the way that leaves data as it is.
const identity = "Identity"

func (c *crypt) named(name Name) *cipherWay {
	if c == nil {
		return nil
	}
	return c.ways[name]
}

func (c *crypt) ofStreams() *cipherWay {
	if c == nil {
		return nil
	}
	return c.ways[c.streams]
}

func (c *crypt) ofFiles() *cipherWay {
	if c == nil {
		return nil
	}
	return c.ways[c.files]
}

// decrypted prepares for an encrypted file. It is false where the file cannot be opened.
func (f *File) decrypted() bool {
	if f.Trailer["Encrypt"] == nil {
		return true
	}
	dict := f.Dict(f.Trailer["Encrypt"])
	if dict == nil {
		return false
	}
	c := &crypt{version: f.Integer(dict["V"]), metadata: true}
	if given, ok := f.Resolve(dict["EncryptMetadata"]).(bool); ok {
		c.metadata = given
	}
	c.err = f.unlock(c, dict)
	f.crypt = c
	return c.err == nil
}

// unlock finds the key and the ways.
func (f *File) unlock(c *crypt, dict Dict) error {
	if filter := f.Name(dict["Filter"]); filter != "Standard" {
		return fmt.Errorf("%w: the security handler %.40q is not known", ErrEncryption, string(filter))
	}
	revision := f.Integer(dict["R"])
	length := f.Integer(dict["Length"]) / 8
	switch {
	case c.version == 1:
		length = 5
	case c.version == 2 && (length < 5 || length > 16):
		length = 5
	case c.version == 4:
		length = 16
	}
	var ok bool
	switch c.version {
	case 1, 2, 4:
		c.key, ok = f.oldKey(dict, revision, length, c.metadata)
	case 5:
		c.key, ok = f.newKey(dict, revision)
	default:
		return fmt.Errorf("%w: version %d of the algorithm is not known", ErrEncryption, c.version)
	}
	if !ok {
		return ErrPassword
	}
	return f.findWays(c, dict)
}

// findWays reads which data is encrypted in which way (§7.6.5).
func (f *File) findWays(c *crypt, dict Dict) error {
	if c.version < 4 {
		const only = "StdCF"
		c.ways = map[Name]*cipherWay{only: {methodRC4, c.key}}
		c.streams, c.strings, c.files = only, only, only
		return nil
	}
	c.ways = map[Name]*cipherWay{identity: nil}
	methods := map[Name]method{"V2": methodRC4, "AESV2": methodAES128, "AESV3": methodAES256}
	for name, o := range f.Dict(dict["CF"]) {
		kind := f.Name(f.Dict(o)["CFM"])
		if m, ok := methods[kind]; ok {
			c.ways[name] = &cipherWay{m, c.key}
		} else if kind != "None" && kind != "" {
			return fmt.Errorf("%w: the method %.40q is not known", ErrEncryption, string(kind))
		}
	}
	c.streams, c.strings = f.nameOr(dict["StmF"], identity), f.nameOr(dict["StrF"], identity)
	c.files = f.nameOr(dict["EFF"], c.streams)
	return nil
}

func (f *File) nameOr(o Object, otherwise Name) Name {
	if name := f.Name(o); name != "" {
		return name
	}
	return otherwise
}

// padding stands for the password where it is shorter (§7.6.3.3, algorithm 2).
var padding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

// oldKey is the key of revisions 2 to 4 (algorithms 2, 4, 5 and 6).
func (f *File) oldKey(dict Dict, revision, length int, metadata bool) ([]byte, bool) {
	owner, user := f.bytesOf(dict["O"]), f.bytesOf(dict["U"])
	if len(owner) < len(padding) || len(user) < md5.Size {
		return nil, false
	}
	var id []byte
	if list := f.Array(f.Trailer["ID"]); len(list) > 0 {
		id = f.bytesOf(list[0])
	}
	text := append(bytes.Clone(padding), owner[:len(padding)]...)
	text = append(binary.LittleEndian.AppendUint32(text, uint32(f.Integer(dict["P"]))), id...)
	if revision >= 4 && !metadata {
		text = append(text, 0xFF, 0xFF, 0xFF, 0xFF)
	}
	sum := md5.Sum(text)
	if revision < 3 {
		key := sum[:length]
		return key, bytes.Equal(applyRC4(key, padding), user)
	}
	for range 50 {
		sum = md5.Sum(sum[:length])
	}
	key := bytes.Clone(sum[:length])
	check := md5.Sum(append(bytes.Clone(padding), id...))
	proof := check[:]
	for i := range byte(20) {
		proof = applyRC4(xored(key, i), proof)
	}
	return key, bytes.Equal(proof, user[:md5.Size])
}

func xored(key []byte, with byte) []byte {
	out := bytes.Clone(key)
	for i := range out {
		out[i] ^= with
	}
	return out
}

// bytesOf gives the bytes of a string.
func (f *File) bytesOf(o Object) []byte {
	s, _ := f.Resolve(o).(String)
	return []byte(s)
}

func applyRC4(key, data []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		return nil // the key is empty
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// open decrypts data of an object (§7.6.2, algorithms 1 and 1.A).
func (w *cipherWay) open(data []byte, of Ref) ([]byte, error) {
	if w == nil || of == (Ref{}) {
		return data, nil
	}
	key := w.keyOf(of)
	if w.method == methodRC4 {
		return applyRC4(key, data), nil
	}
	return openAES(key, data)
}

// keyOf is the key of an object.
func (w *cipherWay) keyOf(of Ref) []byte {
	if w.method == methodAES256 {
		return w.key
	}
	n, g := of.Number, of.Generation
	text := append(bytes.Clone(w.key), byte(n), byte(n>>8), byte(n>>16), byte(g), byte(g>>8))
	if w.method == methodAES128 {
		text = append(text, "sAlT"...)
	}
	sum := md5.Sum(text)
	return sum[:min(len(w.key)+5, md5.Size)]
}

// openAES decrypts blocks that are chained, of which the first begins the chain and the last ends in its padding.
func openAES(key, data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, nil
	}
	block, err := aes.NewCipher(key)
	if err != nil || len(data) < aes.BlockSize {
		return nil, fmt.Errorf("%w: it is not encrypted as the file says", ErrFilter)
	}
	begin, rest := data[:aes.BlockSize], data[aes.BlockSize:]
	out := make([]byte, len(rest)/aes.BlockSize*aes.BlockSize)
	cipher.NewCBCDecrypter(block, begin).CryptBlocks(out, rest[:len(out)])
	if n := len(out); n > 0 && out[n-1] > 0 && int(out[n-1]) <= aes.BlockSize {
		out = out[:n-int(out[n-1])]
	}
	return out, nil
}

// decryptStrings decrypts the strings in an object that the file itself holds; those in streams of objects are decrypted with these.
func (f *File) decryptStrings(o Object, of Ref, depth int) Object {
	if f.crypt == nil || f.crypt.err != nil || depth > maxDepth {
		return o
	}
	switch o := o.(type) {
	case String:
		if o == "" || f.spend(secretValues) != nil {
			return o
		}
		text, err := f.crypt.ways[f.crypt.strings].open([]byte(o), of)
		if err != nil {
			return o
		}
		return String(text)
	case Array:
		for i := range o {
			o[i] = f.decryptStrings(o[i], of, depth+1)
		}
	case Dict:
		for key, value := range o {
			o[key] = f.decryptStrings(value, of, depth+1)
		}
	case *Stream:
		f.decryptStrings(o.Dict, of, depth+1)
	}
	return o
}
