package command

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/einvoiced/einvoiced/api"
)

// interfaceVersion is the version label of the interface description.
const interfaceVersion = "1.4.0"

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
	line := "einvoiced " + v.Version
	if v.Commit != "" {
		line += ", revision " + v.Commit
	}
	_, err := fmt.Fprintf(m.Stdout, "%s, interface %s, %s\n", line, v.API, v.Go)
	return err
}

// buildVersion tells what the Go tool has noted about the build.
func buildVersion() api.Version {
	v := api.Version{Version: "devel", Go: runtime.Version(), API: interfaceVersion}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
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
