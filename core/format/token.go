package format

// Token is what a path segment {format} stands for.
type Token struct {
	ID          string // lower case
	Name        string
	Description string
	MimeType    string
	Extension   string   // without the dot
	Versions    []string // that formatOptions may ask for
	Default     string   // the version that counts where none is asked for and the document does not tell. Default: the last one
	Profiles    []string // that formatOptions may ask for
	Profile     string   // the profile that counts where none is asked for. Default: the format has none
	Carries     bool     // its documents may have one of any syntax inside
	JudgedOnly  bool     // its documents are validated, and neither written nor parsed
}

// Version is the version that counts where none is asked for; empty for formats without versions.
func (t Token) Version() string {
	if t.Default != "" || len(t.Versions) == 0 {
		return t.Default
	}
	return t.Versions[len(t.Versions)-1]
}
