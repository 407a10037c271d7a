package operation

import (
	"archive/zip"
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/einvoiced/einvoiced/core/finding"
	"github.com/einvoiced/einvoiced/core/invoice"
)

// TestISDOC_Archives ensures that an ISDOCX file is parsed, judged and converted as the document in it, and that the answer tells.
func TestISDOC_Archives(t *testing.T) {
	s := shippedService(t, today)
	document := isdocFormat.golden(t, "01-invoice")
	file := isdocArchive(t, document)
	parsed, err := s.Parse(t.Context(), ParseRequest{Document: file})
	if err != nil || parsed.Invoice.InvoiceNumber != "FV-2026-0001" || len(parsed.Infos) == 0 || parsed.Infos[0].Code != finding.Unwrapped || !strings.Contains(parsed.Infos[0].Message, "photo.jpg") {
		t.Errorf("%v %+v", refusalOf(err), parsed)
	}
	verdict, err := s.Validate(t.Context(), ValidateRequest{Country: "CZ", Format: "isdoc", Document: file})
	if err != nil || !verdict.Valid || len(verdict.Infos) == 0 || verdict.Infos[0].Code != finding.Unwrapped {
		t.Errorf("%v %+v", refusalOf(err), verdict)
	}
	converted, err := s.Convert(t.Context(), ConvertRequest{Document: file, Options: invoice.ConvertBody{TargetCountry: "CZ", TargetFormat: "ubl"}})
	if err != nil || !strings.Contains(string(converted.Data), "FV-2026-0001") {
		t.Errorf("%v", refusalOf(err))
	}
	if _, err := s.Parse(t.Context(), ParseRequest{Document: file[:len(file)/2]}); err == nil {
		t.Error("half an archive is parsed")
	}
	if _, err := s.Parse(t.Context(), ParseRequest{Document: isdocArchive(t, []byte("text"))}); err == nil {
		t.Error("a text is parsed")
	}
}

// isdocArchive is an ISDOCX file around a document, with other files, each a name and what is in it. Without any it has a photo.
func isdocArchive(t testing.TB, document []byte, files ...string) []byte {
	t.Helper()
	if files == nil {
		files = []string{"photo.jpg", "x"}
	}
	files = append(files, "manifest.xml", `<manifest xmlns="http://isdoc.cz/namespace/2013/manifest"><maindocument filename="invoice.isdoc"/></manifest>`, "invoice.isdoc", string(document))
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err == nil {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Digests of the text "x", in base64.
const (
	sha1OfX   = "EfatjsUqKYSrqv18O1FlA3hcIHI="
	sha256OfX = "LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE="
)

// withSupplements is a document with supplements: file name, algorithm, digest and attributes of each.
func withSupplements(t testing.TB, supplements ...[4]string) []byte {
	t.Helper()
	list := ""
	for _, s := range supplements {
		list += "<Supplement" + s[3] + "><Filename>" + s[0] + `</Filename><DigestMethod Algorithm="` + s[1] + `"/><DigestValue>` + s[2] + "</DigestValue></Supplement>"
	}
	return isdocFormat.golden(t, "01-invoice", "</Invoice>", "<SupplementsList>"+list+"</SupplementsList></Invoice>")
}

const (
	sha1URI   = "http://www.w3.org/2000/09/xmldsig#sha1"
	sha256URI = "http://www.w3.org/2001/04/xmlenc#sha256"
)

// TestISDOC_Supplements ensures that supplements of a document alone are supporting documents with their digests in national, and are written as they were.
func TestISDOC_Supplements(t *testing.T) {
	s := shippedService(t, today)
	const second = "SupplementsList/Supplement[2]/"
	document := withSupplements(t, [4]string{"smlouva.pdf", sha1URI, sha1OfX, ""}, [4]string{`nahled\FV.pdf`, sha256URI, sha256OfX, ` preview="true"`})
	parsed := parsedAs(t, s, document)
	inv := parsed.Invoice
	if want := []invoice.SupportingDocument{{ID: "smlouva.pdf"}, {ID: `nahled\FV.pdf`}}; len(parsed.Warnings) > 0 || !slices.Equal(inv.SupportingDocuments, want) {
		t.Errorf("%+v %+v", inv.SupportingDocuments, parsed.Warnings)
	}
	national := inv.CountrySpecific.National
	for path, want := range map[string]string{"SupplementsList/Supplement[1]/DigestMethod/@Algorithm": sha1URI, second + "DigestValue": sha256OfX, second + "@preview": "true"} {
		if !slices.Equal(national[path], []string{want}) {
			t.Errorf("%s: %v", path, national[path])
		}
	}
	if again := squeezedXML(isdocFormat.generate(t, s, requestOf(t, inv)).Data); again != string(document) {
		t.Errorf("%s\n%s", document, again)
	}
}

// TestISDOC_SupplementsOfArchives ensures that files which came with a document are its attachments, and are written with the same digests.
func TestISDOC_SupplementsOfArchives(t *testing.T) {
	s := shippedService(t, today)
	document := withSupplements(t, [4]string{"smlouva.pdf", sha1URI, sha1OfX, ""}, [4]string{"chybi.pdf", sha1URI, sha1OfX, ""}, [4]string{`nahledy\FV.bmp`, sha256URI, sha256OfX, ` preview="true"`},
		[4]string{"jine.csv", "urn:other", "AA==", ""})
	parsed := parsedAs(t, s, isdocArchive(t, document, "smlouva.pdf", "x", "nahledy/FV.bmp", "x", "jine.csv", "y"))
	inv := parsed.Invoice
	want := []invoice.Attachment{{Filename: "smlouva.pdf", MimeType: "application/pdf", Content: "eA=="}, {Filename: `nahledy\FV.bmp`, MimeType: "image/bmp", Content: "eA=="},
		{Filename: "jine.csv", MimeType: "text/csv", Content: "eQ=="}}
	if len(parsed.Warnings) > 0 || !slices.Equal(inv.Attachments, want) || !slices.Equal(inv.SupportingDocuments, []invoice.SupportingDocument{{ID: "chybi.pdf"}}) {
		t.Errorf("%+v %+v %+v", inv.Attachments, inv.SupportingDocuments, parsed.Warnings)
	}
	answer := isdocFormat.generate(t, s, requestOf(t, inv))
	text := squeezedXML(answer.Data)
	for _, part := range []string{"<Filename>smlouva.pdf</Filename><DigestMethod Algorithm=\"" + sha1URI + "\"/><DigestValue>" + sha1OfX + "<", "<Filename>chybi.pdf<",
		"<Supplement preview=\"true\"><Filename>nahledy\\FV.bmp</Filename><DigestMethod Algorithm=\"" + sha256URI + "\"/><DigestValue>" + sha256OfX + "<",
		"<Filename>jine.csv</Filename><DigestMethod Algorithm=\"urn:other\"/><DigestValue>AA==<"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %s in %s", part, text)
		}
	}
	if told := isdocFormat.warnings(answer.Warnings); !slices.Equal(told, []string{"FIELD_NOT_WRITTEN attachments[0].content", "FIELD_NOT_WRITTEN attachments[1].content", "FIELD_NOT_WRITTEN attachments[2].content"}) {
		t.Errorf("%q", told)
	}
	again := parsedAs(t, s, isdocArchive(t, answer.Data, "smlouva.pdf", "x", "nahledy/FV.bmp", "x", "jine.csv", "y"))
	if diff := cmp.Diff(inv, again.Invoice, byDecimal); diff != "" {
		t.Error(diff)
	}
}

// TestISDOC_OtherDigest ensures that a digest which is not that of the file in the archive is told, by parse and by convert.
func TestISDOC_OtherDigest(t *testing.T) {
	s := shippedService(t, today)
	file := isdocArchive(t, withSupplements(t, [4]string{"a.pdf", sha1URI, sha1OfX, ""}, [4]string{"b.pdf", sha256URI, sha1OfX, ""}), "a.pdf", "x", "b.pdf", "x")
	const path = "/Invoice/SupplementsList/Supplement[2]/DigestValue"
	parsed := parsedAs(t, s, file)
	if w := parsed.Warnings; len(w) != 1 || w[0].Code != finding.ElementNotMapped || w[0].Field != path || !strings.Contains(w[0].Message, "b.pdf in the archive has the digest "+sha256OfX) {
		t.Errorf("%+v", w)
	}
	if inv := parsed.Invoice; len(inv.Attachments) != 2 || inv.Attachments[1].Content != "eA==" {
		t.Errorf("%+v", inv.Attachments)
	}
	converted, err := s.Convert(t.Context(), ConvertRequest{Document: file, Options: invoice.ConvertBody{TargetCountry: "CZ", TargetFormat: "ubl"}})
	if err != nil || !slices.ContainsFunc(converted.ConversionWarnings, func(w finding.Finding) bool { return w.Field == path }) {
		t.Errorf("%v %+v", err, converted)
	}
}

// TestISDOC_ArchivesAreJudgedWithTheirFiles ensures that validate says of the files of an archive what parse says of them, in whichever way it is
// asked, and that they do not make a document invalid.
func TestISDOC_ArchivesAreJudgedWithTheirFiles(t *testing.T) {
	s := shippedService(t, today)
	right, wrong := [4]string{"a.pdf", sha1URI, sha1OfX, ""}, [4]string{"b.pdf", sha256URI, sha1OfX, ""}
	for name, c := range map[string]struct {
		document []byte
		warnings int
		left     string // the file that could not be had
	}{
		"a wrong digest":                    {isdocArchive(t, withSupplements(t, right, wrong), "a.pdf", "x", "b.pdf", "x"), 1, ""},
		"a file named twice":                {isdocArchive(t, withSupplements(t, wrong, wrong), "b.pdf", "x"), 2, ""},
		"two lists":                         {isdocArchive(t, bytes.Replace(withSupplements(t, right, wrong), []byte("</Supplement><Supplement>"), []byte("</Supplement></SupplementsList><SupplementsList><Supplement>"), 1), "a.pdf", "y", "b.pdf", "x"), 1, ""},
		"right digests":                     {isdocArchive(t, withSupplements(t, right), "a.pdf", "x"), 0, ""},
		"no supplements":                    {isdocArchive(t, isdocFormat.golden(t, "01-invoice")), 0, ""},
		"a file that is not there":          {isdocArchive(t, withSupplements(t, wrong), "a.pdf", "x"), 0, ""},
		"no archive":                        {withSupplements(t, wrong), 0, ""},
		"a damaged file":                    {damaged(t, isdocArchive(t, withSupplements(t, wrong, right), "a.pdf", "y", "b.pdf", "x"), "b.pdf"), 1, "b.pdf"},
		"a file beyond measure":             {isdocArchive(t, withSupplements(t, wrong, wrong), "b.pdf", strings.Repeat("x", 5<<20)), 0, "b.pdf"},
		"an algorithm that nobody here has": {isdocArchive(t, withSupplements(t, [4]string{"a.pdf", "urn:other", sha1OfX, ""}), "a.pdf", "y"), 0, ""},
	} {
		parsed := parsedAs(t, s, c.document)
		for _, format := range []string{"", "isdoc"} {
			verdict, err := s.Validate(t.Context(), ValidateRequest{Country: "CZ", Format: format, Document: c.document})
			if err != nil {
				t.Errorf("%s: %v", name, refusalOf(err))
				continue
			}
			told := slices.DeleteFunc(verdict.Warnings, func(w finding.Finding) bool { return w.Code != finding.ElementNotMapped })
			if diff := cmp.Diff(parsed.Warnings, told); len(told) != c.warnings || diff != "" || verdict.Valid != (name != "two lists") {
				t.Errorf("%s: %+v %v\n%s", name, told, verdict.Errors, diff)
			}
			if left := infosLike(verdict.Infos, "was left in the archive"); left != infosLike(parsed.Infos, "was left in the archive") || !strings.HasPrefix(left, c.left) || (left == "") != (c.left == "") {
				t.Errorf("%s: %+v %+v", name, verdict.Infos, parsed.Infos)
			}
		}
	}
	file := isdocArchive(t, withSupplements(t, wrong), "b.pdf", "x")
	_, err := s.Validate(t.Context(), ValidateRequest{Country: "CZ", Document: file[:len(file)/2]})
	if refusal, is := errors.AsType[*finding.Refusal](err); !is || refusal.Kind != finding.BadRequest {
		t.Errorf("half an archive: %v", err)
	}
}

// TestISDOC_ManyOtherDigests ensures that the answer about an archive stays of a size, however many supplements have a wrong digest.
func TestISDOC_ManyOtherDigests(t *testing.T) {
	s := shippedService(t, today)
	file := isdocArchive(t, withSupplements(t, slices.Repeat([][4]string{{"a.pdf", sha256URI, sha1OfX, ""}}, 3_000)...), "a.pdf", "x")
	verdict, err := s.Validate(t.Context(), ValidateRequest{Country: "CZ", Document: file})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	if w := verdict.Warnings; len(w) != warningLimit+1 || !strings.HasPrefix(w[warningLimit].Message, "2000 further pieces") || !verdict.Valid {
		t.Errorf("%d warnings, the last %+v", len(w), w[len(w)-1])
	}
}

// infosLike is the messages with a text, a line each.
func infosLike(infos []Info, text string) (told string) {
	for _, info := range infos {
		if strings.Contains(info.Message, text) {
			told += info.Message + "\n"
		}
	}
	return told
}

// damaged gives a file of an archive another checksum in its directory, which is the one that counts (APPNOTE.TXT 4.3.12).
func damaged(t testing.TB, archive []byte, name string) []byte {
	t.Helper()
	const checksum, headerSize = 16, 46
	at := bytes.LastIndex(archive, []byte(name)) - headerSize
	if at < 0 || !bytes.HasPrefix(archive[at:], []byte("PK\x01\x02")) {
		t.Fatalf("no %s in the directory", name)
	}
	archive[at+checksum] ^= 1
	return archive
}

// TestISDOC_FilesForUBL ensures that files of an archive are attached where UBL has their type, and named where it has not.
func TestISDOC_FilesForUBL(t *testing.T) {
	s := shippedService(t, today)
	file := isdocArchive(t, withSupplements(t, [4]string{"a.pdf", sha1URI, sha1OfX, ""}, [4]string{"logo.bmp", sha1URI, sha1OfX, ""}), "a.pdf", "x", "logo.bmp", "x")
	converted, err := s.Convert(t.Context(), ConvertRequest{Document: file, Options: invoice.ConvertBody{TargetCountry: "CZ", TargetFormat: "ubl"}})
	if err != nil {
		t.Fatal(refusalOf(err))
	}
	inv := parsedAs(t, s, converted.Data).Invoice
	if len(inv.Attachments) != 1 || inv.Attachments[0].Filename != "a.pdf" || len(inv.SupportingDocuments) != 1 || inv.SupportingDocuments[0].ID != "logo.bmp" {
		t.Errorf("%+v %+v", inv.Attachments, inv.SupportingDocuments)
	}
	if !slices.ContainsFunc(converted.ConversionWarnings, func(w finding.Finding) bool {
		return strings.Contains(w.Message, "logo.bmp") && strings.Contains(w.Message, "image/bmp")
	}) {
		t.Errorf("%+v", converted.ConversionWarnings)
	}
}

// TestISDOC_FileNamedAgainAndAgain ensures that a file which cannot be had is told once, however often a document names it, and that each of its
// supplements stays a supporting document.
func TestISDOC_FileNamedAgainAndAgain(t *testing.T) {
	s := shippedService(t, today)
	named := [4]string{"a.pdf", sha1URI, sha1OfX, ""}
	parsed := parsedAs(t, s, isdocArchive(t, withSupplements(t, named, named, named), "a.pdf", strings.Repeat("x", 5<<20)))
	told := 0
	for _, info := range parsed.Infos {
		if strings.Contains(info.Message, "a.pdf was left in the archive") {
			told++
		}
	}
	if inv := parsed.Invoice; told != 1 || len(inv.Attachments) != 0 || len(inv.SupportingDocuments) != 3 {
		t.Errorf("%+v %+v", parsed.Infos, inv.SupportingDocuments)
	}
}

// TestISDOC_SupplementsWithHoles ensures that a supplement without a name or without a digest does not take those of another one.
func TestISDOC_SupplementsWithHoles(t *testing.T) {
	s := shippedService(t, today)
	for _, list := range [][][4]string{
		{{"", sha1URI, sha1OfX, ""}, {"b.pdf", sha256URI, sha256OfX, ""}},
		{{"a.pdf", sha1URI, "", ""}, {"b.pdf", sha256URI, sha256OfX, ""}},
		{{"", "", "", ""}, {"b.pdf", sha256URI, sha256OfX, ""}},
		{{"a.pdf", sha1URI, sha1OfX, ""}, {"", sha1URI, sha1OfX, ""}, {"b.pdf", sha256URI, sha256OfX, ""}},
	} {
		document := withSupplements(t, list...)
		inv := parsedAs(t, s, document).Invoice
		again := squeezedXML(isdocFormat.generate(t, s, requestOf(t, inv)).Data)
		if diff := cmp.Diff(inv, parsedAs(t, s, []byte(again)).Invoice, byDecimal); diff != "" && list[0][1] != "" || !strings.Contains(again, "<Filename>b.pdf</Filename><DigestMethod Algorithm=\""+sha256URI+"\"/><DigestValue>"+sha256OfX) {
			t.Errorf("%q: %s\n%s", list, diff, again)
		}
		packed := parsedAs(t, s, isdocArchive(t, document, "b.pdf", "x", "a.pdf", "x"))
		if files := packed.Invoice.Attachments; len(packed.Warnings) > 0 || len(files) == 0 || files[len(files)-1].Filename != "b.pdf" {
			t.Errorf("%q: %+v %+v", list, files, packed.Warnings)
		}
	}
	bare := bytes.ReplaceAll(withSupplements(t, [4]string{"a.pdf", sha1URI, "", ""}), []byte("<DigestValue></DigestValue>"), nil)
	if packed := parsedAs(t, s, isdocArchive(t, bare, "a.pdf", "x")); len(packed.Warnings) > 0 || len(packed.Invoice.Attachments) != 1 {
		t.Errorf("%+v", packed)
	}
}

// TestISDOC_FilesOfNational ensures that files which national names itself are written after those of the invoice.
func TestISDOC_FilesOfNational(t *testing.T) {
	s := shippedService(t, today)
	answer := isdocFormat.generate(t, s, isdocBody(t, `{"attachments":[{"filename":"a.pdf","mimeType":"application/pdf","content":"eA=="}],"countrySpecific":{"national":{
		"SupplementsList/Supplement/Filename":"z.pdf","SupplementsList/Supplement/DigestMethod/@Algorithm":"urn:other","SupplementsList/Supplement/DigestValue":"AA=="}}}`))
	if text := squeezedXML(answer.Data); !strings.Contains(text, sha256OfX+"</DigestValue></Supplement><Supplement><Filename>z.pdf</Filename><DigestMethod Algorithm=\"urn:other\"/><DigestValue>AA==</DigestValue>") {
		t.Error(text)
	}
}

// TestISDOC_FilesStayInISDOC ensures that a file of an archive keeps its name and digest where the document is written again.
func TestISDOC_FilesStayInISDOC(t *testing.T) {
	s := shippedService(t, today)
	document := withSupplements(t, [4]string{"logo.bmp", sha1URI, sha1OfX, ""})
	converted, err := s.Convert(t.Context(), ConvertRequest{Document: isdocArchive(t, document, "logo.bmp", "x"), Options: invoice.ConvertBody{TargetCountry: "CZ", TargetFormat: "isdoc"}})
	if err != nil || squeezedXML(converted.Data) != string(document) || len(converted.ConversionWarnings) != 1 || !strings.Contains(converted.ConversionWarnings[0].Message, "ISDOCX") {
		t.Errorf("%v %+v", err, converted)
	}
}

// TestISDOC_FilesThatAreNamed ensures what is written of files and references: their names with digests, and what of them has no place is told.
func TestISDOC_FilesThatAreNamed(t *testing.T) {
	s := shippedService(t, today)
	answer := isdocFormat.generate(t, s, isdocBody(t, `{"attachments":[{"filename":"a.pdf","mimeType":"application/pdf","content":"eA==","description":"Smlouva","reference":"S-1"}],
		"supportingDocuments":[{"id":"D-1","description":"Protokol"}]}`))
	if text := squeezedXML(answer.Data); !strings.Contains(text, "<SupplementsList><Supplement><Filename>a.pdf</Filename><DigestMethod Algorithm=\""+sha256URI+"\"/><DigestValue>"+sha256OfX+
		"</DigestValue></Supplement></SupplementsList></Invoice>") {
		t.Error(text)
	}
	if told := isdocFormat.warnings(answer.Warnings); !slices.Equal(told, []string{"FIELD_NOT_WRITTEN supportingDocuments[0]", "FIELD_NOT_WRITTEN attachments[0].content",
		"FIELD_NOT_WRITTEN attachments[0].description", "FIELD_NOT_WRITTEN attachments[0].reference"}) {
		t.Errorf("%q", told)
	}
}
