package rulebooks

// ManifestFile is the name of the file in the folder of a rulebook that holds its Manifest as YAML.
const ManifestFile = "manifest.yaml"

// ManifestFormat is the version of the manifest's form.
const ManifestFormat = 1

// Manifest describes one version of a rule set. A document is judged by the schemas first, then by the rules in their order.
type Manifest struct {
	Format  int    `yaml:"manifest"`        // ManifestFormat
	ID      string `yaml:"id"`              // name of the rule set, e.g. en16931-ubl: a-z, 0-9, dots and hyphens
	Version string `yaml:"version"`         // the publisher's
	Title   string `yaml:"title,omitempty"` // for people
	Syntax  string `yaml:"syntax"`          // of the documents it judges: ubl, cii, fatturapa …
	Valid   Period `yaml:"valid,omitempty"` // when it is in force. Default: always
	// Announce has the rules judge documents before the rulebook is in force: what is new in it is in its warning phase until then.
	// Default: they judge nothing before
	Announce bool `yaml:"announce,omitempty"`

	Schemas []Schema `yaml:"xsd,omitempty"`
	Rules   []Rules  `yaml:"schematron,omitempty"`

	Bindings    []Binding         `yaml:"bindings,omitempty"`    // which documents it judges, and with which other rulebooks
	Levels      map[string]string `yaml:"levels,omitempty"`      // rule to level, where it is not the publisher's: fatal, warning, information
	EnforceFrom []Pending         `yaml:"enforceFrom,omitempty"` // rules in a warning phase
	HouseCodes  map[string]string `yaml:"houseCodes,omitempty"`  // rule of this rulebook, or of those before it in a binding, to stable code of the API. Default: SPEC_RULE_FAILED
	StandsFor   map[string]string `yaml:"standsFor,omitempty"`   // rule to the id that the publisher's rules report for the same finding, such as ~1a2b3c4d

	Source  Source  `yaml:"source,omitempty"`
	Licence Licence `yaml:"licence,omitempty"`

	Count    int               `yaml:"rules,omitempty"`    // how many rules there are; asserts and reports with one id are one. Default: they are counted
	Subjects []string          `yaml:"subjects,omitempty"` // files with what rules are about (Subjects); of several for one rule the first counts. What the texts of rules name is read from them where no file says it
	Files    map[string]string `yaml:"files"`              // path to SHA-256 in hexadecimal, of every file that the rulebook uses
}

// Period is a range of dates (YYYY-MM-DD), both included. An empty end is open.
type Period struct {
	From   string `yaml:"from,omitempty"`
	To     string `yaml:"to,omitempty"`
	Source string `yaml:"source,omitempty"` // where the publisher says so, for people
}

// Schema is the entry file of an XML Schema.
type Schema struct {
	File string `yaml:"file"`
	Root string `yaml:"root,omitempty"` // expanded name of the document element, {namespace}local. Default: any that the schema declares
}

// Rules is the entry file of a Schematron rule set, as a source or compiled.
type Rules struct {
	File       string `yaml:"file"`
	Phase      string `yaml:"phase,omitempty"`      // default: the rule set's own
	Parameters string `yaml:"parameters,omitempty"` // which of several parameters with one name counts: first, last. Default: first
}

// Binding says that a kind of document is judged by this rulebook.
type Binding struct {
	Name          string            `yaml:"name"`
	Root          string            `yaml:"root"`                    // expanded name of the document element, {namespace}local
	Specification string            `yaml:"specification,omitempty"` // specification identifier of the document (BT-24); with a star at its end its beginning. Default: any that no other binding names
	Processes     []string          `yaml:"processes,omitempty"`     // business processes (BT-23): the binding counts for documents with one of them. Default: always
	Formats       []string          `yaml:"formats,omitempty"`       // of the API, as token-version (zugferd-2.4): the binding counts where one of them is asked for. Default: always
	After         []string          `yaml:"after,omitempty"`         // rulebooks that judge before this one: id, or id@version to pin it
	Levels        map[string]string `yaml:"levels,omitempty"`        // rule of any of these rulebooks to level, in documents of this kind
}

// Pending is a warning phase: until the date the rules warn only.
type Pending struct {
	Date  string   `yaml:"date"` // YYYY-MM-DD, the first day on which they are enforced
	Rules []string `yaml:"rules"`
	Spec  string   `yaml:"spec,omitempty"` // id of the publication that announces them
}

// Source says where the files come from.
type Source struct {
	Publisher string `yaml:"publisher,omitempty"`
	URL       string `yaml:"url,omitempty"`
	Revision  string `yaml:"revision,omitempty"` // commit, release or file name
	Note      string `yaml:"note,omitempty"`
}

// Licence says on which terms.
type Licence struct {
	SPDX string `yaml:"spdx,omitempty"` // identifier, e.g. EUPL-1.2
	Note string `yaml:"note,omitempty"`
}
