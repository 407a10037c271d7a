package facturx

import (
	"strings"
	"unicode"

	"github.com/einvoiced/einvoiced/rulebooks/lists"
	"github.com/einvoiced/einvoiced/rulebooks/sch"
)

func namespaces() []sch.Namespace {
	const urn = "urn:un:unece:uncefact:data:standard:"
	return []sch.Namespace{
		{Prefix: "rsm", URI: urn + "CrossIndustryInvoice:100"},
		{Prefix: "ram", URI: urn + "ReusableAggregateBusinessInformationEntity:100"},
		{Prefix: "udt", URI: urn + "UnqualifiedDataType:100"},
		{Prefix: "qdt", URI: urn + "QualifiedDataType:100"},
	}
}

// prefixOf gives the prefix of a name that the tables have without.
func prefixOf(name string) string {
	switch name {
	case "CrossIndustryInvoice", "ExchangedDocument", "ExchangedDocumentContext", "SupplyChainTradeTransaction":
		return "rsm:"
	case "Indicator", "DateTimeString":
		return "udt:"
	}
	return "ram:"
}

// qualify adds the prefixes to the names of elements, which begin with a capital, outside literals.
func qualify(expression string) string {
	var b strings.Builder
	var quote, before byte
	for i := 0; i < len(expression); {
		c := expression[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case isNameChar(rune(c)):
			end := i + len(nameAt(expression[i:]))
			name := expression[i:end]
			bare := before != '$' && before != '@' && (before != ':' || strings.HasSuffix(expression[:i], "::"))
			if bare && unicode.IsUpper(rune(c)) {
				b.WriteString(prefixOf(name))
			}
			b.WriteString(name)
			i, before = end, 0
			continue
		}
		b.WriteByte(c)
		before = c
		i++
	}
	return b.String()
}

// nameAt gives the name that a text begins with.
func nameAt(text string) string {
	if end := strings.IndexFunc(text, func(r rune) bool { return !isNameChar(r) }); end >= 0 {
		return text[:end]
	}
	return text
}

func isNameChar(r rune) bool {
	return r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// qualifyMessage adds prefixes in the expressions of a message.
func qualifyMessage(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		expression, after, _ := strings.Cut(rest, "}")
		b.WriteString("{" + qualify(expression) + "}")
		text = after
	}
}

// codeList opens a code list by its name and version, with a slash between them.
func codeList(list string) (*lists.List, error) {
	name, version, _ := strings.Cut(list, "/")
	return lists.Open(name, version)
}

// codeSequence gives the codes of all variants of a code list as a sequence; if emptyToo, an empty value is in it, too.
func codeSequence(list string, emptyToo bool) (string, error) {
	l, err := codeList(list)
	if err != nil {
		return "", err
	}
	var codes []string
	if emptyToo {
		codes = append(codes, "")
	}
	for _, c := range l.Codes {
		codes = append(codes, c.Code)
	}
	return "tokenize('" + strings.Join(codes, " ") + "', ' ')", nil
}
