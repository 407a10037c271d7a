package xmltree

import (
	"errors"
	"strings"
	"testing"
)

// illFormed are documents with the reason and place of their refusal.
var illFormed = []struct {
	name, src    string
	code         Code
	line, column int
}{
	{"nothing", "", NoDocument, 1, 1},
	{"white space only", " \n ", NoDocument, 2, 2},
	{"a byte order mark only", "\uFEFF", NoDocument, 1, 1},
	{"a comment only", "<!-- -->", NoDocument, 1, 9},
	{"text only", "abc", NotWellFormed, 1, 1},
	{"text before the root", "x<a/>", NotWellFormed, 1, 1},
	{"text after the root", "<a/>\nx", NotWellFormed, 2, 1},
	{"a reference after the root", "<a/>&#32;", NotWellFormed, 1, 5},
	{"a second root", "<a/><b/>", NotWellFormed, 1, 5},
	{"CDATA before the root", "<![CDATA[]]><a/>", NotWellFormed, 1, 1},
	{"CDATA after the root", "<a/><![CDATA[]]>", NotWellFormed, 1, 5},
	{"an end tag after the root", "<a/></a>", NotWellFormed, 1, 5},
	{"an end tag first", "</a>", NotWellFormed, 1, 2},
	{"a lone less-than sign", "<", NotWellFormed, 1, 2},
	{"a less-than sign at the end of an element", "<a><", TagMismatch, 1, 5},

	{"a missing end tag", "<a>\n<b>", TagMismatch, 2, 4},
	{"a missing end tag before text", "<a>text", TagMismatch, 1, 8},
	{"another end tag", "<a>\n <b></a>", TagMismatch, 2, 5},
	{"an end tag in other case", "<a></A>", TagMismatch, 1, 4},
	{"an end tag that is longer", "<a></ab>", TagMismatch, 1, 4},
	{"an end tag with another prefix", `<a xmlns:p="u" xmlns:q="u"><p:b></q:b></a>`, TagMismatch, 1, 33},
	{"an end tag with attribute", `<a></a b="1">`, TagMismatch, 1, 4},
	{"an end tag without end", "<a></a", TagMismatch, 1, 4},
	{"white space before the name of an end tag", "<a></ a>", TagMismatch, 1, 4},
	{"white space before a name", "< a/>", NotWellFormed, 1, 2},
	{"a tag without end", "<a", NotWellFormed, 1, 1},
	{"a tag that ends in an attribute", `<a b="1"`, NotWellFormed, 1, 1},
	{"a slash that does not end the tag", "<a/b>", NotWellFormed, 1, 3},
	{"a slash at the end of the input", "<a/", NotWellFormed, 1, 3},
	{"a tag inside a tag", "<a<b/>", NotWellFormed, 1, 3},
	{"a name that begins with a digit", "<1/>", NotWellFormed, 1, 2},
	{"a name that begins with a hyphen", "<a><-b/></a>", NotWellFormed, 1, 5},
	{"a name with an impossible character", "<a$/>", NotWellFormed, 1, 2},
	{"a name with a multiplication sign", "<a×/>", NotWellFormed, 1, 2},
	{"a name with an ampersand", "<a&b/>", NotWellFormed, 1, 2},
	{"a name that begins with a combining mark", "<\u0301a/>", NotWellFormed, 1, 2},

	{"an attribute without value", "<a b/>", NotWellFormed, 1, 4},
	{"an attribute without quotes", "<a b=1/>", NotWellFormed, 1, 4},
	{"an attribute value without end", "<a b='1/>", NotWellFormed, 1, 6},
	{"attributes without white space between", `<a b="1"c="2"/>`, NotWellFormed, 1, 9},
	{"a less-than sign in an attribute value", `<a b="<"/>`, NotWellFormed, 1, 7},
	{"the same attribute twice", `<a b="1" c="2" b="3"/>`, DuplicateAttribute, 1, 16},
	{"the same attribute under two prefixes", `<a xmlns:p="u" xmlns:q="u" p:b="1" q:b="2"/>`, DuplicateAttribute, 1, 36},
	{"the default namespace declared twice", `<a xmlns="u" xmlns="v"/>`, DuplicateAttribute, 1, 14},
	{"a prefix declared twice", `<a xmlns:p="u" xmlns:p="u"/>`, DuplicateAttribute, 1, 16},

	{"an ampersand alone", "<a>\n&</a>", NotWellFormed, 2, 1},
	{"an ampersand before a space", "<a>Müller & Söhne;</a>", NotWellFormed, 1, 11},
	{"a reference without semicolon", "<a>&amp</a>", NotWellFormed, 1, 4},
	{"an empty reference", "<a>&;</a>", NotWellFormed, 1, 4},
	{"an unknown entity", "<a>&nbsp;</a>", UnknownEntity, 1, 4},
	{"an unknown entity in an attribute", `<a b="&x;"/>`, UnknownEntity, 1, 7},
	{"an entity in other case", "<a>&AMP;</a>", UnknownEntity, 1, 4},
	{"an empty character reference", "<a>&#;</a>", NotWellFormed, 1, 4},
	{"an empty hexadecimal reference", "<a>&#x;</a>", NotWellFormed, 1, 4},
	{"a hexadecimal reference with capital X", "<a>&#X41;</a>", NotWellFormed, 1, 4},
	{"hexadecimal digits in a decimal reference", "<a>&#4a;</a>", NotWellFormed, 1, 4},
	{"white space in a reference", "<a>&#65 ;</a>", NotWellFormed, 1, 4},
	{"a sign in a reference", "<a>&#-65;</a>", NotWellFormed, 1, 4},
	{"a reference to NUL", "<a>&#0;</a>", IllegalCharacter, 1, 4},
	{"a reference to a control character", "<a>&#x1F;</a>", IllegalCharacter, 1, 4},
	{"a reference to a surrogate", "<a>&#xD800;</a>", IllegalCharacter, 1, 4},
	{"a reference to U+FFFF", "<a>&#xFFFF;</a>", IllegalCharacter, 1, 4},
	{"a reference beyond Unicode", "<a>&#x110000;</a>", IllegalCharacter, 1, 4},
	{"a reference that overflows 32 bits", "<a>&#4294967361;</a>", IllegalCharacter, 1, 4},
	{"a reference that overflows 64 bits", "<a>&#x10000000000000041;</a>", IllegalCharacter, 1, 4},

	{"the end of CDATA in text", "<a>x]]>y</a>", NotWellFormed, 1, 5},
	{"the end of CDATA in text with references", "<a>&lt;]]></a>", NotWellFormed, 1, 8},
	{"CDATA without end", "<a><![CDATA[x]]</a>", NotWellFormed, 1, 4},
	{"CDATA in small letters", "<a><![cdata[x]]></a>", NotWellFormed, 1, 4},
	{"a comment without end", "<a><!-- </a>", NotWellFormed, 1, 4},
	{"a comment with two hyphens", "<a><!-- -- --></a>", NotWellFormed, 1, 9},
	{"a comment that ends with three hyphens", "<a><!-- ---></a>", NotWellFormed, 1, 9},
	{"a comment that ends at its beginning", "<a><!--></a>", NotWellFormed, 1, 4},
	{"an instruction without end", "<a><?p </a>", NotWellFormed, 1, 4},
	{"an instruction without target", "<a><? p?></a>", NotWellFormed, 1, 6},
	{"an instruction with a colon", "<a><?p:q?></a>", NamespaceError, 1, 4},
	{"an instruction without white space after the target", "<a><?p=?></a>", NotWellFormed, 1, 7},
	{"an XML declaration inside", "<a><?xml version='1.0'?></a>", NotWellFormed, 1, 4},
	{"an XML declaration after white space", "\n<?xml version='1.0'?><a/>", NotWellFormed, 2, 1},
	{"the target XML in capitals", "<a><?XmL?></a>", NotWellFormed, 1, 4},
	{"an XML declaration without version", "<?xml encoding='utf-8'?><a/>", NotWellFormed, 1, 6},
	{"an XML declaration in wrong order", "<?xml version='1.0' standalone='yes' encoding='utf-8'?><a/>", NotWellFormed, 1, 38},
	{"an XML declaration with something else", "<?xml version='1.0' foo='yes'?><a/>", NotWellFormed, 1, 21},
	{"an XML declaration without end", "<?xml version='1.0'", NotWellFormed, 1, 20},
	{"an XML declaration without white space", "<?xml version='1.0'encoding='utf-8'?><a/>", NotWellFormed, 1, 20},
	{"standalone with another word", "<?xml version='1.0' standalone='maybe'?><a/>", NotWellFormed, 1, 33},
	{"an impossible encoding name", "<?xml version='1.0' encoding=' utf-8'?><a/>", NotWellFormed, 1, 31},
	{"an empty encoding name", "<?xml version='1.0' encoding=''?><a/>", NotWellFormed, 1, 31},
	{"an XML declaration without quotes", "<?xml version=1.0?><a/>", NotWellFormed, 1, 15},
	{"XML 1.1", "<?xml version='1.1'?><a/>", VersionRefused, 1, 16},
	{"XML 2.0", "<?xml version='2.0'?><a/>", VersionRefused, 1, 16},

	{"a DOCTYPE", "<!DOCTYPE a><a/>", DoctypeRefused, 1, 1},
	{"a DOCTYPE with internal subset", "<?xml version='1.0'?>\n<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", DoctypeRefused, 2, 1},
	{"a DOCTYPE inside", "<a><!DOCTYPE a></a>", DoctypeRefused, 1, 4},
	{"a DOCTYPE after the root", "<a/><!DOCTYPE a>", DoctypeRefused, 1, 5},
	{"an entity declaration", "<a><!ENTITY x 'y'></a>", NotWellFormed, 1, 4},

	{"an undeclared prefix", "<a>\n<p:b/></a>", NamespaceError, 2, 1},
	{"an undeclared prefix of an attribute", "<a p:b='1'/>", NamespaceError, 1, 4},
	{"a prefix used after its element", "<a><b xmlns:p='u'/><p:c/></a>", NamespaceError, 1, 20},
	{"a prefix unbound", "<a xmlns:p='u'><b xmlns:p=''/></a>", NamespaceError, 1, 19},
	{"the prefix xmlns declared", "<a xmlns:xmlns='u'/>", NamespaceError, 1, 4},
	{"an element with the prefix xmlns", "<xmlns:a/>", NamespaceError, 1, 1},
	{"the prefix xml bound to another namespace", "<a xmlns:xml='u'/>", NamespaceError, 1, 4},
	{"another prefix bound to the xml namespace", "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", NamespaceError, 1, 4},
	{"the default namespace set to the xml namespace", "<a xmlns='http://www.w3.org/XML/1998/namespace'/>", NamespaceError, 1, 4},
	{"a prefix bound to the xmlns namespace", "<a xmlns:p='http://www.w3.org/2000/xmlns/'/>", NamespaceError, 1, 4},
	{"a name with two colons", "<a:b:c xmlns:a='u'/>", NotWellFormed, 1, 2},
	{"a name that begins with a colon", "<:a/>", NotWellFormed, 1, 2},
	{"a name that ends with a colon", "<a: xmlns:a='u'/>", NotWellFormed, 1, 2},
	{"a local name that begins with a digit", "<a:1 xmlns:a='u'/>", NotWellFormed, 1, 2},

	{"NUL", "<a>\x00</a>", IllegalCharacter, 1, 4},
	{"NUL for the name of an attribute", "<a \x00=''/>", IllegalCharacter, 1, 4},
	{"NUL for the name of a later attribute", "<a b='' \x00='' c=''/>", IllegalCharacter, 1, 9},
	{"a control character", "<a>\n \x0B</a>", IllegalCharacter, 2, 2},
	{"a control character in a comment", "<a><!--\x01--></a>", IllegalCharacter, 1, 8},
	{"a control character in an attribute", "<a b='\x1B'/>", IllegalCharacter, 1, 7},
	{"U+FFFE", "<a>ää\uFFFE</a>", IllegalCharacter, 1, 6},
	{"U+FFFF", "<a>\uFFFF</a>", IllegalCharacter, 1, 4},
	{"a lone continuation byte", "<a>\x80</a>", EncodingError, 1, 4},
	{"an overlong slash", "<a>\xC0\xAF</a>", EncodingError, 1, 4},
	{"an overlong three-byte character", "<a>\xE0\x9F\xBF</a>", EncodingError, 1, 4},
	{"an overlong four-byte character", "<a>\xF0\x8F\xBF\xBF</a>", EncodingError, 1, 4},
	{"a surrogate in UTF-8", "<a>\xED\xA0\x80</a>", EncodingError, 1, 4},
	{"a character beyond Unicode", "<a>\xF4\x90\x80\x80</a>", EncodingError, 1, 4},
	{"a five-byte character", "<a>\xF8\x88\x80\x80\x80</a>", EncodingError, 1, 4},
	{"a character cut off at the end", "<a/>\xE4", EncodingError, 1, 5},
	{"a character cut off by markup", "<a>\xE4</a>", EncodingError, 1, 4},
	{"a long text with an error at its end", "<a>" + strings.Repeat("ä€ ", 50) + "\xE4</a>", EncodingError, 1, 154},

	{"windows-1252", "<?xml version='1.0' encoding='windows-1252'?><a/>", EncodingUnknown, 1, 31},
	{"UTF-7", "<?xml version='1.0' encoding='UTF-7'?><a/>", EncodingUnknown, 1, 31},
	{"UTF-16 declared, but bytes of ASCII", "<?xml version='1.0' encoding='UTF-16'?><a/>", EncodingError, 1, 31},
	{"another encoding than the byte order mark says", "\uFEFF<?xml version='1.0' encoding='ISO-8859-1'?><a/>", EncodingError, 1, 31},
	{"bytes beyond US-ASCII", "<?xml version='1.0' encoding='US-ASCII'?><a>ä</a>", EncodingError, 1, 45},
	{"UTF-32 with byte order mark", "\xFF\xFE\x00\x00<\x00\x00\x00", EncodingUnknown, 1, 1},
	{"UTF-32 without byte order mark", "\x00\x00\x00<\x00\x00\x00a", EncodingUnknown, 1, 1},
	{"EBCDIC", "\x4C\x6F\xA7\x94\x93", EncodingUnknown, 1, 1},
	{"UTF-16 with half a character", "\xFE\xFF\x00<\x00", EncodingError, 1, 1},
	{"UTF-16 with a lone high surrogate", "\xFE\xFF\x00<\x00a\x00>\xD8\x00\x00<", EncodingError, 1, 4},
	{"UTF-16 with a lone low surrogate", "\xFE\xFF\x00<\x00a\x00>\xDC\x00\x00<", EncodingError, 1, 4},
	{"UTF-16 that declares UTF-8", string(inUTF16("\uFEFF<?xml version='1.0' encoding='UTF-8'?><a/>", true)), EncodingError, 1, 31},
	{"the end of a line by CR", "<a>\r<b>\r\n<c/>\r\x01", IllegalCharacter, 4, 1},
}

func TestIllFormedDocumentsAreRefusedWithReasonAndPlace(t *testing.T) {
	for _, c := range illFormed {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.src), Options{})
			var got *Error
			if !errors.As(err, &got) {
				t.Fatalf("%q is accepted: %v", c.src, err)
			}
			if got.Code != c.code || got.Line != c.line || got.Column != c.column {
				t.Errorf("got %s at %d:%d (%s), want %s at %d:%d", got.Code, got.Line, got.Column, got.Message, c.code, c.line, c.column)
			}
		})
	}
}

func TestEveryPrefixOfADocumentIsRefused(t *testing.T) {
	for _, c := range wellFormed {
		src := strings.TrimSpace(c.src)
		if strings.HasSuffix(src, "-->") || strings.HasSuffix(src, "?>") {
			continue // a shorter document is one, too
		}
		for n := range len(src) {
			if _, err := Parse([]byte(src[:n]), Options{}); err == nil {
				t.Errorf("%s: the first %d bytes %q are accepted", c.name, n, src[:n])
			}
		}
	}
}

func TestErrorsRepeatLittleOfTheDocument(t *testing.T) {
	name := strings.Repeat("ä", 400)
	_, err := Parse([]byte("<"+name+"></b>"), Options{})
	if got, want := err.Error(), "XML line 1, column 403: the end tag </b> does not match the start tag <"+name[:60]+"…>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
