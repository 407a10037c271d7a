package command

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/alecthomas/kong"
)

// warnOfEnvironment tells of variables that look like settings and are none: a misspelt one would change nothing in silence.
func (m *Main) warnOfEnvironment(model *kong.Application) {
	known := variables(model)
	for _, pair := range m.Environ {
		name, value, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "EINVOICED_") && !slices.Contains(known, name) && !othersVariable(name, value) {
			fmt.Fprintf(m.Stderr, "einvoiced: warning: %s is not a setting; the nearest is %s\n", name, nearest(name, known))
		}
	}
}

// variables gives the environment variables of all flags, sorted.
func variables(model *kong.Application) (names []string) {
	for _, command := range model.Leaves(false) {
		for _, flag := range slices.Concat(command.AllFlags(false)...) {
			names = append(names, flag.Envs...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// What Kubernetes and Docker set in the containers beside a service that is called einvoiced.
var (
	serviceVariable = regexp.MustCompile(`_SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$`)
	serviceAddress  = regexp.MustCompile(`^(tcp|udp|sctp)://`)
)

// othersVariable tells whether a variable is set by others than who configures the program: by an orchestrator, or by the tests of the
// repository and their Makefile.
func othersVariable(name, value string) bool {
	return name == "EINVOICED_SHARED" || strings.HasPrefix(name, "EINVOICED_TEST_") ||
		serviceVariable.MatchString(name) || strings.HasSuffix(name, "_PORT") && serviceAddress.MatchString(value)
}

// nearest gives the name that it takes the fewest changes of characters to get from word; of equals the first. There must be one.
func nearest(word string, names []string) string {
	return slices.MinFunc(names, func(a, b string) int {
		return levenshtein.ComputeDistance(word, a) - levenshtein.ComputeDistance(word, b)
	})
}
