package schema

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"
	"testing"
)

// TestFiles_AreWhole ensures that every schema has its entry file, that all files are well-formed and that every import leads to
// a file of the namespace that it names.
func TestFiles_AreWhole(t *testing.T) {
	files, err := Files()
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{"ubl-2.1/invoice", "ubl-2.1/creditnote", "cii-d16b/rsm", "factur-x/basic/rsm", "factur-x/en16931/rsm",
		"factur-x/extended-2.3.3/rsm", "factur-x/extended-2.4/rsm", "factur-x/extended-2.5.2/rsm", "ebinterface-6.1/eb", "fatturapa-1.2.3/p",
		"facturae-3.2/fe", "facturae-3.2.1/fe", "facturae-3.2.2/fe"} {
		if files["shared/schema/"+entry+".xsd"] == nil {
			t.Errorf("%s is missing", entry)
		}
	}
	for name, data := range files {
		for _, tag := range startTags(t, name, data) {
			if tag.Name.Local != "import" {
				continue
			}
			other := files[path.Join(path.Dir(name), value(tag, "schemaLocation"))]
			if other == nil || value(startTags(t, name, other)[0], "targetNamespace") != value(tag, "namespace") {
				t.Errorf("%s: the import of %s leads nowhere", name, value(tag, "namespace"))
			}
		}
	}
}

func startTags(t *testing.T, name string, data []byte) []xml.StartElement {
	t.Helper()
	var all []xml.StartElement
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if tag, ok := token.(xml.StartElement); ok {
			all = append(all, tag)
		}
	}
}

func value(tag xml.StartElement, name string) string {
	for _, a := range tag.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// small is a table with the namespaces a and b, for the blocks of a test.
const small = "namespace a urn:a\nnamespace b urn:b\n"

// schemaOf makes the schema file of namespace a, without its first three lines and its last.
func schemaOf(t *testing.T, variant, text string) string {
	t.Helper()
	table, err := read(variant, source{"t.txt", small + text})
	if err != nil {
		t.Fatal(err)
	}
	files, err := table.files("")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfterN(string(files["a.xsd"]), "\n", 3)
	body, ok := strings.CutSuffix(lines[2], "</schema>\n")
	if !ok || !strings.HasPrefix(lines[1], `<schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:a="urn:a"`) {
		t.Fatalf("no schema: %s", files["a.xsd"])
	}
	return body
}

// TestFiles_Constructs ensures what each form of the tables becomes.
func TestFiles_Constructs(t *testing.T) {
	for name, c := range map[string]struct{ table, want string }{
		"elements of a type": {"a:T\n  <X> <Y>\n  @n=xs:token\n", `  <element name="X" type="a:T"/>
  <element name="Y" type="a:T"/>
  <complexType name="T">
    <attribute name="n" type="token" use="required"/>
  </complexType>
`},
		"children and how often they occur": {"# remark\na:T\n  <X>\n  X P=xs:date? b:Y* Q=a:T+\n  R=a:T{2,3}\nb:U\n  <Y>\n", `  <import namespace="urn:b" schemaLocation="b.xsd"/>
  <element name="X" type="a:T"/>
  <complexType name="T">
    <sequence>
      <element ref="a:X"/>
      <element name="P" type="date" minOccurs="0"/>
      <element ref="b:Y" minOccurs="0" maxOccurs="unbounded"/>
      <element name="Q" type="a:T" maxOccurs="unbounded"/>
      <element name="R" type="a:T" minOccurs="2" maxOccurs="3"/>
    </sequence>
  </complexType>
`},
		"groups and wildcards": {"mixed a:T\n  <X>\n  ( ( X any/other/lax ) | any/any/strict? )* @any/any/skip\n", `  <element name="X" type="a:T"/>
  <complexType name="T" mixed="true">
    <choice minOccurs="0" maxOccurs="unbounded">
      <sequence>
        <element ref="a:X"/>
        <any namespace="##other" processContents="lax"/>
      </sequence>
      <any minOccurs="0"/>
    </choice>
    <anyAttribute processContents="skip"/>
  </complexType>
`},
		"values": {"values a : b:V\n  P Q\nb:V : xs:decimal\n  @unit=xs:token\"a b\"?\n", `  <import namespace="urn:b" schemaLocation="b.xsd"/>
  <element name="P" type="a:PType"/>
  <element name="Q" type="a:QType"/>
  <complexType name="PType">
    <simpleContent>
      <extension base="b:V"/>
    </simpleContent>
  </complexType>
  <complexType name="QType">
    <simpleContent>
      <extension base="b:V"/>
    </simpleContent>
  </complexType>
`},
		"attributes": {"a:V : xs:decimal\n  <X>\n  @unit=xs:token\"a b\"? @n=a:S\nsimple a:S : xs:token\n  \"x\" \"y z\" maxLength=3\n", `  <element name="X" type="a:V"/>
  <complexType name="V">
    <simpleContent>
      <extension base="decimal">
        <attribute name="unit" type="token" fixed="a b"/>
        <attribute name="n" type="a:S" use="required"/>
      </extension>
    </simpleContent>
  </complexType>
  <simpleType name="S">
    <restriction base="token">
      <enumeration value="x"/>
      <enumeration value="y z"/>
      <maxLength value="3"/>
    </restriction>
  </simpleType>
`},
		"restriction": {"elements a\n  X=a:T\nabstract a:B\n  P=xs:date?\na:T restricts a:B\n  P=xs:date\n", `  <element name="X" type="a:T"/>
  <complexType name="B" abstract="true">
    <sequence>
      <element name="P" type="date" minOccurs="0"/>
    </sequence>
  </complexType>
  <complexType name="T">
    <complexContent>
      <restriction base="a:B">
        <sequence>
          <element name="P" type="date"/>
        </sequence>
      </restriction>
    </complexContent>
  </complexType>
`},
		"type without name, type that nothing leads to": {"a:T\n  <X>\n  P=a:T/P\na:T/P : xs:string\n  @n=b:S\na:U\n  P=xs:date\nsimple b:S : xs:token\n", `  <import namespace="urn:b" schemaLocation="b.xsd"/>
  <element name="X" type="a:T"/>
  <complexType name="T">
    <sequence>
      <element name="P">
        <complexType>
          <simpleContent>
            <extension base="string">
              <attribute name="n" type="b:S" use="required"/>
            </extension>
          </simpleContent>
        </complexType>
      </element>
    </sequence>
  </complexType>
`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := schemaOf(t, "", c.table); got != c.want {
				t.Errorf("got\n%s", got)
			}
		})
	}
}

// TestFiles_Variants ensures that each variant takes its column, and only the types that it needs.
func TestFiles_Variants(t *testing.T) {
	const table = "variants small large\na:T\n  <X>\n  1 *  P=xs:date\n  - ?  Q=a:U\n  {0,2} -  R=xs:date\n  - 1  @n=xs:token\na:U\n  1 1  P=xs:date\n"
	for variant, want := range map[string]string{
		"small": `  <element name="X" type="a:T"/>
  <complexType name="T">
    <sequence>
      <element name="P" type="date"/>
      <element name="R" type="date" minOccurs="0" maxOccurs="2"/>
    </sequence>
  </complexType>
`,
		"large": `  <element name="X" type="a:T"/>
  <complexType name="T">
    <sequence>
      <element name="P" type="date" minOccurs="0" maxOccurs="unbounded"/>
      <element name="Q" type="a:U" minOccurs="0"/>
    </sequence>
    <attribute name="n" type="token" use="required"/>
  </complexType>
  <complexType name="U">
    <sequence>
      <element name="P" type="date"/>
    </sequence>
  </complexType>
`,
	} {
		if got := schemaOf(t, variant, table); got != want {
			t.Errorf("%s: got\n%s", variant, got)
		}
	}
}

// TestRead_Refusals ensures that what is wrong with a table is said with its place.
func TestRead_Refusals(t *testing.T) {
	for table, want := range map[string]string{
		"  a:X\n":                      "line 3: an indented line that belongs to nothing",
		"a:T\na:T\n":                   "line 4: the type a:T is there twice",
		"c:T\n":                        "line 3: the prefix of c:T is not declared",
		"a:T is a:B\n":                 "line 3: a:T is a:B begins no block",
		"a:T\n  <X> <X>\n":             "line 4: the element a:X is there twice",
		"a:T\n  ( X\n":                 "a group of a:T is not closed",
		"a:T\n  X )\n":                 "line 4: a group is closed that is not open",
		"a:T\n  X | Y\n":               "line 4: alternatives stand in a group",
		"a:T\n  ( X Y | Z )\n":         "line 4: an alternative is not one element or group",
		"a:T\n  any/some/lax\n":        "line 4: any/some/lax is no wildcard",
		"a:T\n  @any/any/none\n":       "line 4: any/any/none is no wildcard",
		"a:T\n  X{3,2}\n":              "line 4: X{3,2} does not end with {MIN,MAX}",
		"a:T\n  X}\n":                  "line 4: X} does not end with {MIN,MAX}",
		"a:T\n  @n\n":                  "line 4: the attribute n has no type",
		"simple a:T : xs:token\n  x\n": "line 4: x is no facet of a simple type",
		"elements a\n  X\n":            "line 4: X is not of the form NAME=TYPE",
		"variants x y\n":               `line 3: there is no variant ""`,
		"a:T\n  <X>\n  P=a:U\n":        "the type a:U that a:T uses is not in the table",
		"a:T\n  <X>\n  Z\n":            "the element a:Z that a:T uses is not in the table",
		"elements a\n  X=a:T\n":        "the type a:T that element a:X uses is not in the table",
		"elements a\n  X=a:T/P\na:T/P : xs:token\n": "the type a:T/P that element a:X uses belongs to an element of another type",
		"a:T\n  <X>\n  P=a:T/P\na:T/P\n  P=a:T/P\n": "the type a:T/P that a:T/P uses belongs to an element of another type",
		"values a : b:V\n  P P\nb:V\n":              "line 4: the type a:PType is there twice",
		"a:T\n  <X>\n  P=xs:date @n=b:V\n":          "the type b:V that a:T uses is not in the table",
	} {
		read, err := read("", source{"t.txt", small + table})
		if err == nil {
			_, err = read.files("")
		}
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", table, err, want)
		}
	}
	if _, err := read("x", source{"t.txt", small + "variants x y\na:T\n  1 P=xs:date\n"}); err == nil || !strings.Contains(err.Error(), "2 fields instead of 3") {
		t.Errorf("a line without all columns: %v", err)
	}
	if _, err := read("x", source{"t.txt", small + "a:T\n  P=xs:date\n"}); err == nil || !strings.Contains(err.Error(), `no variant "x"`) {
		t.Errorf("a variant of a table without variants: %v", err)
	}
}

// FuzzRead ensures that any text is either refused or gives the same files each time.
func FuzzRead(f *testing.F) {
	f.Add("", "a:T\n  <X>\n  ( X | any/other/lax )* @n=xs:token\"v\"? P=a:T/P\na:T/P : xs:date\n")
	f.Add("x", "variants x y\na:T\n  <X>\n  1 {0,2}  P=xs:date\n")
	f.Add("", "values a : b:V\n  P Q\nb:V : xs:decimal\nsimple a:S : xs:token\n  \"x\" length=1\nelements b\n  Y=a:S\n")
	f.Fuzz(func(t *testing.T, variant, text string) {
		var made [2]map[string][]byte
		for i := range made {
			table, err := read(variant, source{"t.txt", small + text})
			if err != nil {
				return
			}
			if made[i], err = table.files("f"); err != nil {
				return
			}
		}
		for name, data := range made[0] {
			if !bytes.Equal(data, made[1][name]) {
				t.Errorf("%s differs from one time to the next", name)
			}
		}
	})
}
