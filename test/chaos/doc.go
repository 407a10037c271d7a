// Package chaos starts the program as processes on real services, breaks things, and holds that nothing is lost and nothing is done
// twice. docs/chaos.md lists the scenarios. The tests have the build tag chaos: make chaos runs them whole, make e2e the end-to-end
// suite alone.
package chaos
