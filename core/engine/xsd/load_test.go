package xsd

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const xsNamespace = `xmlns:xs="http://www.w3.org/2001/XMLSchema"`

func TestSchemasOfSeveralFiles(t *testing.T) {
	const types = `<xs:schema ` + xsNamespace + ` targetNamespace="t"><xs:simpleType name="no"><xs:restriction base="xs:int"/></xs:simpleType></xs:schema>`
	importing := func(attributes string) string {
		return `<xs:schema ` + xsNamespace + ` xmlns:t="t"><xs:import namespace="t"` + attributes + `/><xs:element name="root" type="t:no"/></xs:schema>`
	}
	for name, files := range map[string]map[string]string{
		"import with its file":                 {"s.xsd": importing(` schemaLocation="x/types.xsd"`), "x/types.xsd": types},
		"import without file":                  {"s.xsd": importing(``), "deep/er/types.xsd": types},
		"import of a file elsewhere":           {"s.xsd": importing(` schemaLocation="http://example.org/types.xsd"`), "types.xsd": types},
		"import of a file that is not there":   {"s.xsd": importing(` schemaLocation="gone.xsd"`), "types.xsd": types},
		"the file that includes the others":    {"s.xsd": importing(``), "a.xsd": strings.Replace(types, "no", "nope", 1), "b.xsd": `<xs:schema ` + xsNamespace + ` targetNamespace="t"><xs:include schemaLocation="a.xsd"/><xs:simpleType name="no"><xs:restriction base="xs:int"/></xs:simpleType></xs:schema>`},
		"copies of a schema in two folders":    {"s.xsd": `<xs:schema ` + xsNamespace + ` xmlns:t="t"><xs:include schemaLocation="o.xsd"/><xs:import namespace="t" schemaLocation="a/t.xsd"/><xs:element name="root" type="t:no"/></xs:schema>`, "o.xsd": `<xs:schema ` + xsNamespace + `><xs:import namespace="t" schemaLocation="b/t.xsd"/></xs:schema>`, "a/t.xsd": types, "b/t.xsd": types},
		"include without namespace":            {"s.xsd": `<xs:schema ` + xsNamespace + `><xs:include schemaLocation="i.xsd"/><xs:element name="root" type="no"/></xs:schema>`, "i.xsd": schemaText(`<xs:simpleType name="no"><xs:restriction base="xs:int"/></xs:simpleType>`)},
		"files that include each other":        {"s.xsd": `<xs:schema ` + xsNamespace + `><xs:include schemaLocation="i.xsd"/><xs:element name="root" type="no"/></xs:schema>`, "i.xsd": schemaText(`<xs:include schemaLocation="s.xsd"/><xs:simpleType name="no"><xs:restriction base="xs:int"/></xs:simpleType>`)},
		"a namespace without its file, unused": {"s.xsd": `<xs:schema ` + xsNamespace + `><xs:import namespace="gone"/><xs:element name="root" type="xs:int"/></xs:schema>`},
		"entities of an internal subset":       {"s.xsd": `<!DOCTYPE xs:schema PUBLIC "-//W3C//DTD XMLSCHEMA 200102//EN" "http://www.w3.org/2001/XMLSchema.dtd" [<!ENTITY i "xs:int"><!ENTITY % p ''>]><xs:schema ` + xsNamespace + `><xs:element name="root" type="&i;"/></xs:schema>`},
	} {
		t.Run(name, func(t *testing.T) {
			s := compile(t, files)
			if got := outline(violations(t, s, `<root>7</root>`)); got != "" {
				t.Errorf("7 gives %s", got)
			}
			if got := outline(violations(t, s, `<root>x</root>`)); got != "datatype /root" {
				t.Errorf("x gives %q", got)
			}
		})
	}
}

func TestTheNearestFileOfANamespaceIsImported(t *testing.T) {
	types := func(base string) string {
		return `<xs:schema ` + xsNamespace + ` targetNamespace="t"><xs:simpleType name="no"><xs:restriction base="` + base + `"/></xs:simpleType></xs:schema>`
	}
	fsys := folder(map[string]string{
		"a/s.xsd":      `<xs:schema ` + xsNamespace + ` xmlns:t="t"><xs:import namespace="t"/><xs:element name="root" type="t:no"/></xs:schema>`,
		"a/x/near.xsd": types("xs:int"), "b/far.xsd": types("xs:string"), "broken.xsd": "t<", "other.txt": "t",
	})
	s, err := Compile(fsys, Options{}, "a/s.xsd")
	if err != nil {
		t.Fatal(err)
	}
	if got := outline(violations(t, s, `<root>x</root>`)); got != "datatype /root" {
		t.Errorf("the type is not the near one: %q", got)
	}
	if _, err := Compile(fsys, Options{OnlyLocated: true}, "a/s.xsd"); err == nil || !strings.Contains(err.Error(), "no type no") {
		t.Errorf("with OnlyLocated: %v, want the type missing", err)
	}
}

func TestChameleonsTakeTheNamespaceOfWhoIncludesThem(t *testing.T) {
	including := func(ns string) string {
		return `<xs:schema ` + xsNamespace + ` targetNamespace="` + ns + `" xmlns="` + ns + `" elementFormDefault="qualified"><xs:include schemaLocation="c.xsd"/>` +
			rootOf(seq(`<xs:element name="e" type="outer"/>`)) + `</xs:schema>`
	}
	s, err := Compile(folder(map[string]string{
		"a.xsd": including("a"), "b.xsd": including("b"),
		"c.xsd": schemaText(`<xs:complexType name="outer"><xs:sequence><xs:element name="in" type="inner"/></xs:sequence></xs:complexType><xs:simpleType name="inner"><xs:restriction base="xs:int"/></xs:simpleType>`),
	}), Options{}, "a.xsd", "b.xsd")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a.xsd", "b.xsd", "c.xsd"}, s.Files()); diff != "" {
		t.Errorf("the files (-want +got):\n%s", diff)
	}
	for _, ns := range []string{"a", "b"} {
		if got := outline(violations(t, s, `<root xmlns="`+ns+`"><e><in xmlns="">x</in></e></root>`)); got != "datatype /root/e/in" {
			t.Errorf("in %s: %q", ns, got)
		}
	}
}

func TestRedefinitions(t *testing.T) {
	const old = `<xs:group name="g"><xs:sequence><xs:element name="a"/></xs:sequence></xs:group>
		<xs:attributeGroup name="ag"><xs:attribute name="x"/></xs:attributeGroup>
		<xs:complexType name="ct"><xs:sequence><xs:element name="c"/></xs:sequence></xs:complexType>
		<xs:simpleType name="st"><xs:restriction base="xs:string"/></xs:simpleType>
		<xs:element name="root"><xs:complexType><xs:sequence><xs:group ref="g"/><xs:element name="t" type="ct"/><xs:element name="s" type="st"/></xs:sequence><xs:attributeGroup ref="ag"/></xs:complexType></xs:element>`
	const redefining = `<xs:redefine schemaLocation="old.xsd">
		<xs:group name="g"><xs:sequence><xs:group ref="g"/><xs:element name="b"/></xs:sequence></xs:group>
		<xs:attributeGroup name="ag"><xs:attributeGroup ref="ag"/><xs:attribute name="y"/></xs:attributeGroup>
		<xs:complexType name="ct"><xs:complexContent><xs:extension base="ct"><xs:sequence><xs:element name="d"/></xs:sequence></xs:extension></xs:complexContent></xs:complexType>
		<xs:simpleType name="st"><xs:restriction base="st"><xs:maxLength value="1"/></xs:restriction></xs:simpleType>
		</xs:redefine>`
	s := compile(t, map[string]string{"s.xsd": schemaText(redefining), "old.xsd": schemaText(old)})
	for doc, want := range map[string]string{
		`<root x="" y=""><a/><b/><t><c/><d/></t><s>x</s></root>`: "",
		`<root><a/><t><c/></t><s>xx</s></root>`:                  "element-not-expected /root/t\nmissing-child /root/t\nfacet /root/s",
	} {
		if got := outline(violations(t, s, doc)); got != want {
			t.Errorf("%s gives %q, want %q", doc, got, want)
		}
	}
}

func TestOnlyTheFolderIsRead(t *testing.T) {
	for _, location := range []string{"../x.xsd", "/etc/passwd", "http://example.org/x.xsd", "file:///x.xsd", "//host/x.xsd", "%2e%2e/x.xsd", "a/../../x.xsd", "c:x.xsd", "", "#x"} {
		read := recordingFS{FS: folder(map[string]string{
			"d/s.xsd": `<xs:schema ` + xsNamespace + `><xs:include schemaLocation="` + location + `"/><xs:element name="root" type="gone"/></xs:schema>`,
		})}
		sub, err := fs.Sub(&read, "d")
		if err != nil {
			t.Fatal(err)
		}
		_, err = Compile(sub, Options{}, "s.xsd")
		if err == nil || !strings.Contains(err.Error(), "there is no type gone") {
			t.Errorf("%q: %v, want the type missing", location, err)
		}
		if len(read.names) != 1 {
			t.Errorf("%q: %v has been opened", location, read.names)
		}
	}
}

// recordingFS notes what is opened.
type recordingFS struct {
	fs.FS
	names []string
}

func (r *recordingFS) Open(name string) (fs.File, error) {
	r.names = append(r.names, name)
	return r.FS.Open(name)
}

func TestCompileNeedsItsFiles(t *testing.T) {
	if _, err := Compile(folder(nil), Options{}); err == nil {
		t.Error("no entry: want an error")
	}
	_, err := Compile(folder(nil), Options{}, "gone.xsd")
	var faults SchemaErrors
	if !errors.As(err, &faults) || faults[0].File != "gone.xsd" {
		t.Errorf("a missing entry gives %v", err)
	}
}
