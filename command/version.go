package command

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/einvoiced/einvoiced/api"
)

// interfaceVersion is the version label of the interface description.
const interfaceVersion = "1.4.0"

// release is the version of the program. The linker puts that of a release here: make release, docker build.
var release = "v0.1.0-dev"

// versionCommand is einvoiced version.
type versionCommand struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run prints the version.
func (c *versionCommand) Run(m *Main) error {
	v := buildVersion()
	if c.JSON {
		return printJSON(m.Stdout, v)
	}
	_, err := fmt.Fprintln(m.Stdout, versionLine(v))
	return err
}

// versionLine is the version for people.
func versionLine(v api.Version) string {
	line := "einvoiced " + v.Version
	if v.Commit != "" {
		line += ", revision " + v.Commit
	}
	return fmt.Sprintf("%s, interface %s, %s", line, v.API, v.Go)
}

// buildVersion tells what the Go tool has noted about the build.
func buildVersion() api.Version {
	v := api.Version{Version: release, Go: runtime.Version(), API: interfaceVersion}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if tagged := info.Main.Version; strings.HasPrefix(tagged, "v") && !strings.HasPrefix(tagged, "v0.0.0-") { // of go install …@v1.2.3
		v.Version = tagged
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Built = s.Value
		}
	}
	return v
}
