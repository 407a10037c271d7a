package schematron

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
)

const ns = `xmlns="http://purl.oclc.org/dsdl/schematron"`

// rule wraps what stands in a rule.
func rule(content string) string {
	return schema(`<pattern><rule context="a">` + content + `</rule></pattern>`)
}

// function wraps what stands in a function.
func function(content string) string {
	return schema(`<ns prefix="f" uri="urn:f"/><xsl:function name="f:f">` + content + `</xsl:function>`)
}

// templateRule wraps what stands in the template of a rule.
func templateRule(content string) string {
	return stylesheet(`<xsl:template match="a" mode="M1" priority="1000">` + content + `</xsl:template>`)
}

// Every fault names the file, the line and what was expected.
var faults = map[string]struct {
	files fstest.MapFS
	want  string
}{
	"entry missing":            {files(), "a.sch: read a.sch: file does not exist"},
	"entry a folder":           {fstest.MapFS{"a.sch": &fstest.MapFile{Mode: fs.ModeDir}}, "a.sch: read a.sch: expected a file"},
	"not well-formed":          {files("a.sch", "<a>\n</b>"), "a.sch:2: "},
	"document type":            {files("a.sch", "<!DOCTYPE a>\n<a/>"), "a.sch:1: "},
	"other language":           {files("a.sch", "<a xmlns='urn:b'/>"), `a.sch:1: the root element is a in namespace "urn:b": expected schema of ISO Schematron, or a stylesheet`},
	"before ISO":               {files("a.sch", `<schema xmlns="http://www.ascc.net/xml/schematron"/>`), "from before ISO/IEC 19757-3"},
	"part":                     {files("a.sch", "<pattern "+ns+"/>"), "a.sch:1: the root element is pattern, a part for other files to include: expected a schema"},
	"no query binding":         {files("a.sch", "<schema "+ns+"/>"), `a.sch:1: the query binding is "": expected queryBinding="xslt2"`},
	"other query binding":      {files("a.sch", "<schema "+ns+" queryBinding='xslt'/>"), `"xslt": expected queryBinding="xslt2"`},
	"foreign instruction":      {files("a.sch", schema("<xsl:include href='b'/>")), "a.sch:1: xsl:include is not supported here: expected xsl:function"},
	"keys":                     {files("a.sch", schema("\n<xsl:key name='k' match='a' use='b'/>")), "a.sch:2: xsl:key: keys are not supported"},
	"stray in schema":          {files("a.sch", schema("<rule context='a'/>")), "rule stands in the schema: expected ns, let"},
	"namespace without prefix": {files("a.sch", schema("<ns uri='b'/>")), "ns has no attribute prefix: expected one that is not empty"},
	"namespace without name":   {files("a.sch", schema("<ns prefix='b' uri=' '/>")), "ns has no attribute uri"},
	"prefix twice":             {files("a.sch", schema("<ns prefix='p' uri='b'/>\n<ns prefix='p' uri='c'/>")), "a.sch:2: prefix p stands for b already: expected the same namespace, not c"},
	"variable without name":    {files("a.sch", schema("<let value='1'/>")), "let has no attribute name"},
	"variable without value":   {files("a.sch", schema("<let name='n'><x/></let>")), "the variable n has no attribute value: expected an expression"},
	"variable empty":           {files("a.sch", schema("<let name='n' value=' &#10; '/>")), "the attribute value of let is empty: expected an expression"},
	"phase without id":         {files("a.sch", schema("<phase/>")), "phase has no attribute id"},
	"phase without pattern":    {files("a.sch", schema("<phase id='a'><active/></phase>")), "active has no attribute pattern"},
	"stray in phase":           {files("a.sch", schema("<phase id='a'><rule/></phase>")), "rule stands in phase: expected active"},
	"phase with bad variable":  {files("a.sch", schema("<phase id='a'><let/></phase>")), "let has no attribute name"},
	"phase with bad include":   {files("a.sch", schema("<phase id='a'><include/></phase>")), "include has no attribute href"},

	"abstract without id":       {files("a.sch", schema("<pattern abstract='true'/>")), "pattern has no attribute id"},
	"abstract twice":            {files("a.sch", schema("<pattern abstract='true' id='x'/>\n<pattern abstract='true' id='x'/>")), "a.sch:2: the abstract pattern x is at a.sch:1 already: expected another id"},
	"abstract unknown":          {files("a.sch", schema("<pattern is-a='x'/>")), `the pattern is-a "x": expected the id of an abstract pattern`},
	"parameter without name":    {files("a.sch", schema("<pattern abstract='true' id='x'/><pattern is-a='x'><param value='a'/></pattern>")), "param has no attribute name"},
	"parameter with dollar":     {files("a.sch", schema("<pattern abstract='true' id='x'/><pattern is-a='x'><param name='a$b' value='1'/></pattern>")), `the parameter "a$b" is no name: expected at most 256 bytes and no $`},
	"parameter without value":   {files("a.sch", schema("<pattern abstract='true' id='x'/><pattern is-a='x'><param name='a'/></pattern>")), "the parameter a has no attribute value"},
	"rule beside parameters":    {files("a.sch", schema("<pattern abstract='true' id='x'/><pattern is-a='x'><rule context='a'/></pattern>")), "rule stands in pattern: expected param"},
	"include beside parameters": {files("a.sch", schema("<pattern abstract='true' id='x'/><pattern is-a='x'><include href='b'/></pattern>")), "read b: file does not exist"},
	"other documents":           {files("a.sch", schema("<pattern documents='a'/>")), "the pattern looks at other documents (attribute documents), which is not supported"},
	"stray in pattern":          {files("a.sch", schema("<pattern><assert test='1'/></pattern>")), "assert stands in pattern: expected let, rule"},
	"instruction in pattern":    {files("a.sch", schema("<pattern><xsl:variable name='a'/></pattern>")), "xsl:variable is not supported here"},
	"bad include in pattern":    {files("a.sch", schema("<pattern><include href=''/></pattern>")), "include has no attribute href"},

	"rule without context":       {files("a.sch", schema("<pattern><rule/></pattern>")), "rule has no attribute context: expected an expression"},
	"stray in rule":              {files("a.sch", rule("<rule context='a'/>")), "rule stands in rule: expected let, assert, report or extends"},
	"bad include in rule":        {files("a.sch", rule("<include href='http://example.com/a.sch'/>")), `include refers to "http://example.com/a.sch": expected a relative path inside the rule set's folder`},
	"assert without test":        {files("a.sch", rule("\n\n<assert id='A'/>")), "a.sch:3: assert has no attribute test: expected an expression"},
	"report with empty test":     {files("a.sch", rule("<report test=''/>")), "the attribute test of report is empty"},
	"diagnostic unknown":         {files("a.sch", rule("<assert test='1' diagnostics='d e'/>")), `assert names the diagnostic "d": expected the id of one`},
	"diagnostic without id":      {files("a.sch", schema("<diagnostics><diagnostic/></diagnostics>")), "diagnostic has no attribute id"},
	"diagnostic twice":           {files("a.sch", schema("<diagnostics><diagnostic id='d'/><diagnostic id='d'/></diagnostics>")), "the diagnostic d is at a.sch:1 already"},
	"stray in diagnostics":       {files("a.sch", schema("<diagnostics><assert/></diagnostics>")), "assert stands in diagnostics: expected diagnostic"},
	"bad include in diagnostics": {files("a.sch", schema("<diagnostics><include href='../b'/></diagnostics>")), `"../b" is no path inside the rule set's folder`},
	"bad diagnostic":             {files("a.sch", schema("<pattern><rule context='a'><assert test='1' diagnostics='d'/></rule></pattern><diagnostics><diagnostic id='d'><value-of select=''/></diagnostic></diagnostics>")), "the attribute select of value-of is empty"},
	"instruction in message":     {files("a.sch", rule("<assert test='1'><xsl:for-each select='a'/></assert>")), "xsl:for-each is not supported here: expected text, value-of, name"},
	"assert in message":          {files("a.sch", rule("<assert test='1'><emph><assert test='1'/></emph></assert>")), "assert stands in emph: expected text"},
	"empty path in message":      {files("a.sch", rule("<assert test='1'><name path=''/></assert>")), "the attribute path of name is empty"},
	"rule unknown":               {files("a.sch", rule("<extends rule='x'/>")), `extends names the rule "x": expected the id of an abstract rule`},
	"extends nothing":            {files("a.sch", rule("<extends/>")), "extends has no attribute rule"},
	"extends no rule":            {files("a.sch", rule("<extends href='b'/>"), "b", "<pattern "+ns+"/>"), "extends refers to pattern: expected a rule"},
	"extends a missing file":     {files("a.sch", rule("<extends href='b'/>")), "a.sch:1: read b: file does not exist"},
	"extends itself":             {files("a.sch", schema("<pattern><rule context='a' id='r'><extends rule='r'/></rule></pattern>")), "extends is nested more than 16 deep"},

	"include missing":           {files("a.sch", schema("\n<include href='b/c.sch'/>")), "a.sch:2: read b/c.sch: file does not exist"},
	"include broken":            {files("a.sch", schema("<include href='b/c.sch'/>"), "b/c.sch", "\n<a"), "b/c.sch:2: "},
	"include outside":           {files("a.sch", schema("<include href='b/c.sch'/>"), "b/c.sch", "<include "+ns+" href='../../d.sch'/>"), `b/c.sch:1: "../d.sch" is no path inside the rule set's folder`},
	"include absolute":          {files("a.sch", schema("<include href='/etc/passwd'/>")), `include refers to "/etc/passwd": expected a relative path`},
	"include by authority":      {files("a.sch", schema("<include href='//host/b'/>")), "expected a relative path"},
	"include by query":          {files("a.sch", schema("<include href='b?c'/>")), "expected a relative path"},
	"include by bad escape":     {files("a.sch", schema("<include href='%zz'/>")), "expected a relative path"},
	"include a schema":          {files("a.sch", schema("<include href='b.sch'/>"), "b.sch", schema("")), "include includes the whole schema b.sch: expected a part of a schema"},
	"include itself":            {files("a.sch", schema("<include href='a.sch'/>")), "include refers to a.sch, which contains it"},
	"include in a circle":       {files("a.sch", schema("<include href='b'/>"), "b", "<include "+ns+" href='c'/>", "c", "<x "+`xmlns:s="http://purl.oclc.org/dsdl/schematron"`+"><s:include href='b'/></x>"), "c:1: s:include refers to b, which contains it"},
	"include by unknown id":     {files("a.sch", schema("<include href='b#x'/>"), "b", "<pattern "+ns+"/>"), `include refers to "b#x": there is no Schematron element with that id in b`},
	"include fragment circle":   {files("a.sch", schema("<include id='i' href='#i'/>")), "include is nested more than 16 deep"},
	"function without name":     {files("a.sch", schema("<xsl:function/>")), "xsl:function has no attribute name"},
	"function without prefix":   {files("a.sch", schema("<xsl:function name='f'/>")), `the function "f" has no known namespace: expected a prefix that is declared`},
	"function of unknown":       {files("a.sch", schema("<xsl:function name='g:f'/>")), `the function "g:f" has no known namespace`},
	"function attribute":        {files("a.sch", schema("<xsl:function name='xs:f' visibility='x'/>")), "xsl:function has the attribute visibility: expected no other than name, as, override"},
	"unknown instruction":       {files("a.sch", function("<xsl:for-each select='a'/>")), "xsl:for-each stands in the body of a function: expected xsl:param, variable"},
	"literal element":           {files("a.sch", function("<p xmlns='x'/>")), "p stands in the body of a function"},
	"parameter after body":      {files("a.sch", function("<xsl:sequence select='1'/><xsl:param name='a'/>")), "xsl:param stands after an instruction"},
	"parameter nested":          {files("a.sch", function("<xsl:if test='1'><xsl:param name='a'/></xsl:if>")), "xsl:param stands in the body of a function"},
	"parameter nameless":        {files("a.sch", function("<xsl:param/>")), "xsl:param has no attribute name"},
	"parameter with default":    {files("a.sch", function("<xsl:param name='a' select='1'/>")), "xsl:param has the attribute select"},
	"local without name":        {files("a.sch", function("<xsl:variable/>")), "xsl:variable has no attribute name"},
	"local with two values":     {files("a.sch", function("<xsl:variable name='v' select='1'>2</xsl:variable>")), "the variable v has both an attribute select and content"},
	"local with bad content":    {files("a.sch", function("<xsl:variable name='v'><x xmlns=''/></xsl:variable>")), "x stands in the body"},
	"local attribute":           {files("a.sch", function("<xsl:variable name='v' static='yes'/>")), "xsl:variable has the attribute static"},
	"sequence without select":   {files("a.sch", function("<xsl:sequence/>")), "xsl:sequence has no attribute select: expected an expression"},
	"sequence attribute":        {files("a.sch", function("<xsl:sequence as='x' select='1'/>")), "xsl:sequence has the attribute as"},
	"value without select":      {files("a.sch", function("<xsl:value-of>1</xsl:value-of>")), "xsl:value-of has no attribute select"},
	"value attribute":           {files("a.sch", function("<xsl:value-of x='1'/>")), "xsl:value-of has the attribute x"},
	"value separator":           {files("a.sch", function("<xsl:value-of select='1' separator='{$a}'/>")), "the separator is computed: expected text without braces"},
	"choice of nothing":         {files("a.sch", function("<xsl:choose><xsl:otherwise/></xsl:choose>")), "xsl:choose has no xsl:when"},
	"choice after all":          {files("a.sch", function("<xsl:choose><xsl:when test='1'/><xsl:otherwise/><xsl:when test='1'/></xsl:choose>")), "xsl:when stands after xsl:otherwise"},
	"choice of others":          {files("a.sch", function("<xsl:choose><xsl:if test='1'/></xsl:choose>")), "xsl:if stands in xsl:choose: expected xsl:when or xsl:otherwise"},
	"choice without test":       {files("a.sch", function("<xsl:choose><xsl:when/></xsl:choose>")), "xsl:when has no attribute test"},
	"choice attribute":          {files("a.sch", function("<xsl:choose a='1'/>")), "xsl:choose has the attribute a: expected none"},
	"choice of bad content":     {files("a.sch", function("<xsl:choose><xsl:when test='1'/><xsl:otherwise><xsl:x/></xsl:otherwise></xsl:choose>")), "xsl:x stands in the body"},
	"branch attribute":          {files("a.sch", function("<xsl:if tst='1'/>")), "xsl:if has the attribute tst: expected no other than test"},
	"branch with bad content":   {files("a.sch", function("<xsl:if test='1'><xsl:x/></xsl:if>")), "xsl:x stands in the body"},
	"text attribute":            {files("a.sch", function("<xsl:text a='1'/>")), "xsl:text has the attribute a"},
	"stylesheet version":        {files("a.sch", `<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="1.0"/>`), `the stylesheet has version "1.0": expected 2.0`},
	"stylesheet without setup":  {files("a.sch", `<xsl:transform xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="2.0"/>`), "there is no template for the document node: expected a stylesheet made by the ISO Schematron skeleton"},
	"stylesheet of others":      {files("a.sch", `<xsl:transform xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="2.0"><xsl:template match="/"><html/></xsl:template></xsl:transform>`), "writes no svrl:schematron-output"},
	"stylesheet imports":        {files("a.sch", stylesheet("<xsl:import href='b'/>")), "xsl:import is not supported here: expected xsl:template"},
	"stylesheet keys":           {files("a.sch", stylesheet("<xsl:key name='a' match='b' use='c'/>")), "keys are not supported"},
	"stylesheet function":       {files("a.sch", stylesheet("<xsl:function name='f'/>")), "has no known namespace"},
	"stylesheet named template": {files("a.sch", stylesheet("<xsl:template name='f'/>")), `the template has mode "" and match ""`},
	"stylesheet other mode":     {files("a.sch", stylesheet("<xsl:template match='a' mode='b'/>")), `the template has mode "b" and match "a": expected a mode M1`},
	"stylesheet no priority":    {files("a.sch", stylesheet("<xsl:template match='a' mode='M1'/>")), `the template has priority "": expected a number`},
	"stylesheet bad priority":   {files("a.sch", stylesheet("<xsl:template match='a' mode='M1' priority='NaN'/>")), `the template has priority "NaN": expected a number`},
	"stylesheet left-over rule": {files("a.sch", stylesheet("<xsl:template match='a' mode='M2' priority='1'/>")), "the mode M2 is never applied"},
	"stylesheet left-over let":  {files("a.sch", stylesheet("<xsl:variable name='a' select='1'/><xsl:template match='a' mode='M2' priority='-1'/>")), "the mode M2 is never applied"},
	"stylesheet late variable":  {files("a.sch", stylesheet("<xsl:variable name='a' select='1'/>")), "the variable a stands after all patterns"},
	"stylesheet variable":       {files("a.sch", stylesheet("<xsl:variable name='a'>1</xsl:variable>")), "xsl:variable has no attribute select"},
	"stylesheet param":          {files("a.sch", stylesheet("<xsl:param select='1'/>")), "xsl:param has no attribute name"},
	"stylesheet param more":     {files("a.sch", stylesheet("<xsl:param name='a' select='1' required='yes'/>")), "xsl:param has the attribute required"},
	"stylesheet two patterns":   {files("a.sch", strings.Replace(stylesheet(""), "<svrl:active-pattern/>", "", 1)), `expected / and the mode of a pattern, after svrl:active-pattern`},
	"stylesheet other select":   {files("a.sch", strings.Replace(stylesheet(""), `select="/"`, `select="//a"`, 1)), `has select "//a" and mode "M1"`},
	"stylesheet loops":          {files("a.sch", strings.Replace(stylesheet(""), "<svrl:active-pattern/>", "<xsl:for-each select='a'/>", 1)), "xsl:for-each stands in svrl:schematron-output"},
	"stylesheet computed id":    {files("a.sch", strings.Replace(stylesheet(""), "<svrl:active-pattern/>", "<svrl:active-pattern id='{1}'/>", 1)), "the attribute id of svrl:active-pattern is computed: expected text without braces"},

	"template attribute":         {files("a.sch", stylesheet("<xsl:template match='a' mode='M1' priority='1' as='x'/>")), "xsl:template has the attribute as"},
	"template without match":     {files("a.sch", stylesheet("<xsl:template mode='M1' priority='1'/>")), "xsl:template has no attribute match"},
	"template with others":       {files("a.sch", templateRule("<xsl:message/>")), "xsl:message stands in the template of a rule"},
	"template with literal":      {files("a.sch", templateRule("<svrl:text/>")), "svrl:text stands in the template of a rule"},
	"template computed role":     {files("a.sch", templateRule("<svrl:fired-rule role='{@a}'/>")), "the attribute role of svrl:fired-rule is computed"},
	"template of another mode":   {files("a.sch", templateRule("<xsl:apply-templates mode='M2' select='*'/>")), `xsl:apply-templates has mode "M2": expected M1, the mode of the rule`},
	"template goes elsewhere":    {files("a.sch", templateRule("<xsl:apply-templates mode='M1' select='@*|//x'/>")), `xsl:apply-templates selects "@*|//x": expected @*, *,`},
	"assert of one branch":       {files("a.sch", templateRule("<xsl:choose><xsl:when test='1'/></xsl:choose>")), "xsl:choose is no assert"},
	"assert of other branches":   {files("a.sch", templateRule("<xsl:choose><xsl:when test='1'/><xsl:when test='2'/></xsl:choose>")), "xsl:choose is no assert"},
	"assert with content":        {files("a.sch", templateRule("<xsl:choose><xsl:when test='1'><a xmlns=''/></xsl:when><xsl:otherwise/></xsl:choose>")), "a stands in xsl:when: expected nothing"},
	"assert writing nothing":     {files("a.sch", templateRule("<xsl:choose><xsl:when test='1'/><xsl:otherwise/></xsl:choose>")), "xsl:otherwise is empty: expected svrl:failed-assert"},
	"assert as report":           {files("a.sch", templateRule("<xsl:if test='1'><svrl:failed-assert/></xsl:if>")), "svrl:failed-assert stands in xsl:if: expected one svrl:successful-report"},
	"report twice":               {files("a.sch", templateRule("<xsl:if test='1'><svrl:successful-report/><svrl:successful-report/></xsl:if>")), "expected one svrl:successful-report"},
	"report without test":        {files("a.sch", templateRule("<xsl:if/>")), "xsl:if has no attribute test"},
	"report attribute":           {files("a.sch", templateRule("<xsl:if test='1' use-when='2'/>")), "xsl:if has the attribute use-when"},
	"assertion with others":      {files("a.sch", templateRule("<xsl:if test='1'><svrl:successful-report><xsl:message/></svrl:successful-report></xsl:if>")), "xsl:message stands in svrl:successful-report"},
	"assertion with computed id": {files("a.sch", templateRule("<xsl:if test='1'><svrl:successful-report><xsl:attribute name='id'><xsl:value-of select='1'/></xsl:attribute></svrl:successful-report></xsl:if>")), "the attribute id is computed: expected text"},
	"text with others":           {files("a.sch", templateRule("<xsl:if test='1'><svrl:successful-report><svrl:text><xsl:copy-of select='.'/></svrl:text></svrl:successful-report></xsl:if>")), "xsl:copy-of stands in a message"},
	"text without select":        {files("a.sch", templateRule("<xsl:if test='1'><svrl:successful-report><svrl:text><b xmlns=''><xsl:value-of/></b></svrl:text></svrl:successful-report></xsl:if>")), "xsl:value-of has no attribute select"},
	"diagnostic with others":     {files("a.sch", templateRule("<xsl:if test='1'><svrl:successful-report><svrl:diagnostic-reference><xsl:copy/></svrl:diagnostic-reference></svrl:successful-report></xsl:if>")), "xsl:copy stands in a message"},
	"rule variable":              {files("a.sch", templateRule("<xsl:variable name='a'/>")), "xsl:variable has no attribute select"},
}

func TestRead_NamesPlaceAndExpectation(t *testing.T) {
	for name, test := range faults {
		t.Run(name, func(t *testing.T) {
			_, err := Read(test.files, "a.sch", Options{})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("error %v\nwant  %s", err, test.want)
			}
			var fault *SourceError
			if !errors.As(err, &fault) || fault.File == "" {
				t.Errorf("error of type %T without a file", err)
			}
		})
	}
}

func TestRead_KeepsTheCause(t *testing.T) {
	_, err := Read(files(), "gone.sch", Options{})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	_, err = Read(files("a.sch", "<a>"), "a.sch", Options{})
	if x := (*xmltree.Error)(nil); !errors.As(err, &x) || x.Code != xmltree.TagMismatch {
		t.Errorf("ill-formed file: %v", err)
	}
	_, err = Read(files(), "../a.sch", Options{})
	if err == nil || !strings.Contains(err.Error(), "is no path inside the rule set's folder") {
		t.Errorf("path outside: %v", err)
	}
	_, err = Read(brokenFS{}, "a.sch", Options{})
	if !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), "a.sch: read a.sch: ") {
		t.Errorf("broken disk: %v", err)
	}
}

var errBroken = errors.New("broken disk")

// brokenFS opens files that cannot be read.
type brokenFS struct{ fs.File }

func (brokenFS) Open(string) (fs.File, error) { return brokenFS{}, nil }
func (brokenFS) Stat() (fs.FileInfo, error)   { return nil, errBroken }
func (brokenFS) Read([]byte) (int, error)     { return 0, errBroken }
func (brokenFS) Close() error                 { return nil }

func TestRead_ObeysItsLimits(t *testing.T) {
	two := files("a.sch", schema(`<include href="b"/><include href="b"/>`), "b", "<pattern "+ns+"/>")
	deep := files("a.sch", schema(`<include href="b"/>`), "b", "<include "+ns+" href='c'/>", "c", "<pattern "+ns+"/>")
	bomb := schema(extensions(20)) // a million assertions without a limit
	wide := schema(`<pattern abstract="true" id="x"><rule context="a"><assert test="` + strings.Repeat("$p", 2000) + `"/></rule></pattern>` +
		`<pattern is-a="x"><param name="p" value="` + strings.Repeat("1", 2000) + `"/></pattern>`)
	for name, test := range map[string]struct {
		files fstest.MapFS
		limit Limits
		want  string
	}{
		"files":          {two, Limits{Files: 1}, "a.sch:1: the rule set has more than 1 files"},
		"bytes":          {two, Limits{Bytes: 160}, "a.sch: read a.sch: the rule set has more than 160 bytes"},
		"bytes together": {two, Limits{Bytes: 215}, "a.sch:1: read b: the rule set has more than 215 bytes"},
		"depth":          {deep, Limits{Depth: 1}, "b:1: include is nested more than 1 deep"},
		"includes":       {two, Limits{Includes: 1}, "the rule set has more than 1 inclusions and extensions"},
		"extensions":     {files("a.sch", bomb), Limits{Depth: 100}, "the rule set has more than 10000 inclusions and extensions"},
		"text":           {files("a.sch", bomb), Limits{Depth: 100, Includes: 1 << 30, Text: 10_000}, "the rule set has more than 10000 bytes when parameters are filled in"},
		"parameters":     {files("a.sch", wide), Limits{Text: 1 << 20}, "the rule set has more than 1048576 bytes when parameters are filled in"},
		"negative":       {two, Limits{Depth: -1}, "read rule set a.sch: limit Depth is -1: expected a positive number, or 0 for 16"},
	} {
		_, err := Read(test.files, "a.sch", Options{Limits: test.limit})
		if err == nil || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", name, err, test.want)
		}
	}
	if _, err := Read(two, "a.sch", Options{Limits: Limits{Files: 2, Includes: 6}}); err != nil {
		t.Errorf("within the limits: %v", err)
	}
}

// extensions gives a pattern with levels of rules, each of which extends the next one twice.
func extensions(levels int) string {
	var b strings.Builder
	b.WriteString(`<pattern><rule context="a"><extends rule="ra"/></rule>`)
	for i := range levels {
		id, next := string(rune('a'+i)), string(rune('b'+i))
		b.WriteString(`<rule abstract="true" id="r` + id + `"><extends rule="r` + next + `"/><extends rule="r` + next + `"/></rule>`)
	}
	b.WriteString(`<rule abstract="true" id="r` + string(rune('a'+levels)) + `"><assert test="1"/></rule></pattern>`)
	return b.String()
}
