package api

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
)

// readUpload takes the document of both parse routes. What is detected by the automatic one decides about the entitlement; its
// refusal says success: false.
func (s *Server) readUpload(c *call, in *intake, o *job.Order) error {
	up, err := readUpload(c.r, in)
	if err == nil {
		setDocument(o, up)
	}
	return err
}

// upload is a document that a client sent.
type upload struct {
	filename string
	document []byte
	known    []string         // members that it may have as JSON
	infos    []operation.Info // on members that are not known

	// Of validate alone.
	asOf           string
	enforcePending bool

	options map[string]jsontext.Value // of convert alone
}

// readUpload takes the document from JSON {data, filename} or from the multipart part file.
func readUpload(r *http.Request, in *intake) (*upload, error) {
	if mediaType(r.Header) == "multipart/form-data" {
		return uploaded(in, r, readMultipart)
	}
	switch t := mediaType(r.Header); {
	case isDocument(t):
		return uploaded(in, r, readBare)
	case acceptJSON(r) != nil:
		return nil, unsupported(t, append([]string{typeJSON, "multipart/form-data with a part file"}, documentTypes...)...)
	}
	return uploaded(in, r, readUntold)
}

// uploaded reads the body when it has come.
func uploaded(in *intake, r *http.Request, read func(*http.Request, []byte) (*upload, error)) (*upload, error) {
	body, err := in.bytes()
	if err != nil {
		return nil, err
	}
	return read(r.WithContext(in.working(r)), body)
}

// readUntold takes a document that is not said to be one, or JSON.
func readUntold(r *http.Request, body []byte) (*upload, error) {
	if body = withoutMark(body); looksLikeDocument(body[:min(len(body), sniffed)]) {
		return readBare(r, body)
	}
	return readJSONUpload(r, body)
}

// sniffed is how much of a body is looked at to tell a document from JSON.
const sniffed = 64

// looksLikeDocument tells whether a body that is not said to be a document begins like one, as no JSON does.
func looksLikeDocument(begin []byte) bool {
	begin = bytes.TrimLeft(begin, " \t\r\n")
	for _, mark := range []string{"<", "%PDF-", "SPC\n", "SPC\r\n"} { // XML, PDF, and lines of text, which QR-bills are
		if bytes.HasPrefix(begin, []byte(mark)) {
			return true
		}
	}
	return false
}

// readBare takes a document that is the body itself.
func readBare(_ *http.Request, body []byte) (*upload, error) {
	if len(body) == 0 {
		return nil, badField("", finding.MissingField, "The request body is empty; send the document, or JSON")
	}
	return &upload{document: body}, nil
}

// byteOrderMark may begin a text in UTF-8, where it says nothing.
const byteOrderMark = "\uFEFF"

// withoutMark gives a text without the byte order mark that it may begin with.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte(byteOrderMark)) }

// readJSONUpload reads {data*, filename}, or xml in place of data, passing over every other member.
func readJSONUpload(r *http.Request, body []byte) (*upload, error) {
	up := &upload{known: []string{"data", "xml", "filename"}}
	return up, up.readJSON(r.Context(), body, up.member)
}

// readJSON reads a body that is one JSON object with the document, member by member.
func (up *upload) readJSON(ctx context.Context, body []byte, member func(ctx context.Context, dec *jsontext.Decoder, name string) error) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(withoutMark(body)))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return notJSON(err, "The request body must be a JSON object")
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return notJSON(err, "")
		}
		if err := member(ctx, dec, name.String()); err != nil {
			return err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return notJSON(err, "")
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return notJSON(err, "Something follows the JSON object in the request body")
	}
	return up.complete()
}

// member reads the value of one member.
func (up *upload) member(ctx context.Context, dec *jsontext.Decoder, name string) (err error) {
	switch name {
	case "data":
		up.document, err = readBase64(ctx, dec, "data")
	case "xml":
		up.document, err = readString(dec, name)
	case "filename":
		up.filename, err = readText(dec, "filename")
	default:
		up.infos = resembled(up.infos, clip(name), name, up.known)
		if err = dec.SkipValue(); err != nil {
			err = notJSON(err, "")
		}
	}
	return err
}

func (up *upload) complete() error {
	if len(up.document) == 0 {
		return badField("data", finding.MissingField, "data: the document is missing; send it as base64, or as text in xml")
	}
	return nil
}

// readBase64 reads a string of base64 (RFC 4648 §4). White space in it, the alphabet for URLs (§5), a missing padding and a data URL
// (RFC 2397) around it are what programs send and are allowed; null counts as absent.
func readBase64(ctx context.Context, dec *jsontext.Decoder, name string) ([]byte, error) {
	text, err := readString(dec, name)
	if err != nil {
		return nil, err
	}
	markup := bytes.HasPrefix(bytes.TrimSpace(text), []byte("<"))
	text = invoice.PlainBase64(text)
	n, err := decodeInPlace(ctx, text)
	if ctx.Err() != nil {
		return nil, gone(ctx, context.Cause(ctx))
	}
	if err != nil && markup {
		return nil, badField(name, finding.InvalidBase64, name+": the document is not valid base64; send XML as text in the member xml, or as the whole body")
	}
	if err != nil {
		return nil, badField(name, finding.InvalidBase64, name+": the document is not valid base64")
	}
	return text[:n], nil
}

// decodedPiece is how many bytes of base64 are decoded between two looks at the context.
const decodedPiece = 64 << 10

// decodeInPlace decodes strict base64, of whose four bytes three come, and gives how many there are. It ends with the context.
func decodeInPlace(ctx context.Context, text []byte) (n int, err error) {
	for from := 0; from < len(text) && ctx.Err() == nil; from += decodedPiece {
		piece := text[from:min(from+decodedPiece, len(text))]
		m, err := base64.StdEncoding.Decode(text[n:], piece)
		if n += m; err == nil && from+len(piece) < len(text) && m < len(piece)/4*3 {
			err = base64.CorruptInputError(from + len(piece) - 1) // it is padded, and goes on
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func readText(dec *jsontext.Decoder, name string) (string, error) {
	text, err := readString(dec, name)
	return string(text), err
}

// readString reads a string or null.
func readString(dec *jsontext.Decoder, name string) ([]byte, error) {
	raw, err := dec.ReadValue()
	switch {
	case err != nil:
		return nil, notJSON(err, "")
	case raw.Kind() == 'n':
		return nil, nil
	case raw.Kind() != '"':
		return nil, badField(name, finding.InvalidType, name+": must be a string")
	}
	if bytes.IndexByte(raw, '\\') < 0 { // which the decoder has found to be right
		return bytes.Clone(raw[1 : len(raw)-1]), nil
	}
	return jsontext.AppendUnquote(make([]byte, 0, len(raw)), raw)
}

// notJSON is the 400 for a body that cannot be read as JSON; message replaces the reason that err has, if it is a better one.
func notJSON(err error, message string) error {
	if err != nil && err != io.EOF || message == "" {
		message = "The request body is not valid JSON" + position(err)
	}
	return &finding.Refusal{Kind: finding.BadRequest, Code: finding.InvalidJSON, Message: message, Cause: err}
}

// position tells where the JSON breaks, without repeating any of it.
func position(err error) string {
	e, ok := errors.AsType[*jsontext.SyntacticError](err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		return ": it ends too early"
	case ok && errors.Is(e.Err, jsontext.ErrDuplicateName):
		return ": a member occurs twice, " + clip(string(e.JSONPointer))
	case ok:
		return fmt.Sprintf(" at byte %d", e.ByteOffset)
	}
	return ""
}

// Limits of a multipart body.
const (
	maxParts      = 8
	maxPartHeader = 8 << 10
	maxFilename   = 255
)

// readMultipart takes the one part named file, and passes over others.
func readMultipart(r *http.Request, body []byte) (*upload, error) {
	return readParts(r, body, maxParts, func(part *multipart.Part) error {
		_, err := io.Copy(io.Discard, part)
		return err
	})
}

// readParts takes the one part named file, whose file name is a label, never a path, and gives the others to another reader.
// Parts are taken raw: package multipart would undo quoted-printable else, and change a document.
func readParts(r *http.Request, body []byte, most int, other func(*multipart.Part) error) (*upload, error) {
	boundary, err := boundaryOf(r.Header)
	if err != nil {
		return nil, err
	}
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	var up *upload
	for range most {
		part, err := parts.NextRawPart()
		if err == io.EOF {
			return oneFile(up)
		}
		if err != nil {
			return nil, badMultipart("The multipart body is malformed")
		}
		if err := checkPart(part, up != nil); err != nil {
			return nil, err
		}
		if part.FormName() == "file" {
			up, err = readFilePart(part, len(body))
		} else {
			err = other(part)
		}
		if r, ok := errors.AsType[*finding.Refusal](err); ok {
			return nil, r
		} else if err != nil {
			return nil, badMultipart("The multipart body is malformed")
		}
	}
	return nil, badMultipart(fmt.Sprintf("The multipart body has more than %d parts", most))
}

// readFilePart reads the part file, of up to so many bytes. ReadFrom wants room beyond the end, without which it would copy
// all that has come.
func readFilePart(part *multipart.Part, most int) (*upload, error) {
	var document bytes.Buffer
	document.Grow(most + bytes.MinRead)
	_, err := document.ReadFrom(part)
	return &upload{filename: part.FileName(), document: document.Bytes()}, err
}

func oneFile(up *upload) (*upload, error) {
	if up == nil || len(up.document) == 0 {
		return nil, badField("file", finding.MissingField, "file: the part with the document is missing or empty")
	}
	return up, nil
}

func checkPart(part *multipart.Part, haveFile bool) error {
	size := 0
	for name, values := range part.Header {
		size += len(name) + len(strings.Join(values, ""))
	}
	switch {
	case size > maxPartHeader:
		return badMultipart(fmt.Sprintf("A part of the multipart body has a header of more than %d bytes", maxPartHeader))
	case len(part.FileName()) > maxFilename:
		return badField("file", finding.InvalidValue, fmt.Sprintf("file: the file name has more than %d bytes", maxFilename))
	case haveFile && part.FormName() == "file":
		return badField("file", finding.DuplicateMember, "file: the multipart body has more than one part of this name")
	}
	return nil
}

func badMultipart(message string) error { return badField("", finding.InvalidMultipart, message) }

// boundaryOf reads the boundary (RFC 2046 §5.1.1).
func boundaryOf(h http.Header) (string, error) {
	_, params, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || params["boundary"] == "" {
		return "", badMultipart("The Content-Type names no boundary for the multipart body")
	}
	return params["boundary"], nil
}
