package repository

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// A room is a part of the program and the rooms that it may import besides itself. The first room whose folder matches counts.
type room struct {
	Folder string
	May    []string
	Tests  []string // further rooms for its tests
	Why    string
}

// rooms is the structure of docs/architecture.md: main → command → api, worker, scheduler → job → core, storage.
var rooms = []room{
	{Folder: ".", May: []string{"command"},
		Why: "the program is a screen that starts the command line"},
	{Folder: "command", May: []string{"api", "worker", "scheduler", "job", "core", "storage", "rulebooks", "docs", "testdata"}, Tests: []string{"test"},
		Why: "the command line wires the rooms together and is no room for tests or tools"},
	{Folder: "docs",
		Why: "the guides are texts; they import nothing of ours"},
	{Folder: "api", May: []string{"job", "core", "storage", "docs"}, Tests: []string{"worker"},
		Why: "the API decodes, authenticates and answers; it hands work to core and to the ledger, and never to another door"},
	{Folder: "worker", May: []string{"job", "core", "storage"}, Tests: []string{"test"},
		Why: "a worker does what the API does inline, so it must not depend on the API"},
	{Folder: "job", May: []string{"core", "storage"},
		Why: "a kind of job is described once for the door that takes it and the worker that runs it, so it must know neither"},
	{Folder: "scheduler", May: []string{"core", "storage"}, Tests: []string{"worker", "job"},
		Why: "the scheduler acts on rows; the doors must not be needed for it"},
	{Folder: "storage",
		Why: "storage keeps bytes and rows and knows nothing of invoices or of HTTP"},
	{Folder: "rulebooks", Tests: []string{"core"},
		Why: "rulebooks are data; they import nothing of ours"},
	{Folder: "core/engine/decimal",
		Why: "decimals are the ground that everything stands on"},
	{Folder: "core/engine", May: []string{"core/finding"}, Tests: []string{"rulebooks", "test"},
		Why: "the engine knows XML and rules, not invoices; of core it has the levels of findings alone"},
	{Folder: "core/operation", May: []string{"core", "rulebooks"}, Tests: []string{"docs", "test", "testdata"},
		Why: "operations are the top of core"},
	{Folder: "core/pdf", May: []string{"core", "rulebooks"}, Tests: []string{"test"},
		Why: "documents to look at are made from what they are given; of core they need exact numbers, and for tests what reads PDF files"},
	{Folder: "core", May: []string{"core/pdf", "rulebooks"}, Tests: []string{"test"},
		Why: "core is invoice knowledge alone, so that command line, API and worker can share it"},
	{Folder: "test/oracles",
		Why: "an oracle must not depend on what it judges"},
	{Folder: "test/mutants",
		Why: "mutants are test data, which must not depend on what it tests"},
	{Folder: "test/bench", May: []string{"core", "test", "internal"},
		Why: "a measurement holds the engine against others and serves nobody"},
	{Folder: "test/growth", May: []string{"core", "rulebooks"},
		Why: "it counts the work of operations and serves nobody"},
	{Folder: "test/chaos",
		Why: "the chaos tests know the program from outside alone"},
	{Folder: "testdata",
		Why: "example requests are data; they import nothing of ours"},
	{Folder: "internal/tabletest", May: []string{"core"},
		Why: "it checks the tables of the formats, for their tests"},
	{Folder: "internal/taxoffice", May: []string{"core", "rulebooks"},
		Why: "it judges what is sent by schema and chain, for the tests of who sends"},
	{Folder: "internal",
		Why: "what is internal is for the tests of every room"},
}

// A ban forbids a package, and what is below it, in the source of a room.
type ban struct {
	Folder  string
	Package string
	Why     string
}

var bans = []ban{
	{"core", "net", "core touches no network; interfaces such as Fetcher are wired in main"},
	{"core", "database/sql", "core touches no database"},
	{"core", "os", "core touches no disk and no process; it takes and gives bytes"},
	{"core", "log", "core reports by findings and errors; the doors log"},
	{"core", "github.com/hibiken/asynq", "core knows no queue"},
	{"core", "github.com/redis", "core knows no queue"},
	{"core", "github.com/jmoiron/sqlx", "core touches no database"},
	{"core", "github.com/minio", "core touches no object store"},
	{"core", "github.com/gorilla/mux", "core knows no HTTP"},
	{"job", "github.com/gorilla/mux", "jobs know no routes"},
	{"storage", "net/http", "storage answers errors, not statuses"},
	{"storage", "github.com/gorilla/mux", "storage knows no HTTP"},
}

// excused is what a folder inside a banned room may import all the same, because it is what the folder is for.
var excused = []ban{
	{"storage/blob", "net/http", "an object store is asked over HTTP"},
}

// excuses tells whether a folder may import what its room may not.
func excuses(folder, imported string) bool {
	return slices.ContainsFunc(excused, func(e ban) bool { return folder == e.Folder && imported == e.Package })
}

// harmless packages below a banned one do no input or output.
var harmless = []string{"net/url", "net/netip", "net/mail", "net/textproto"}

// Layering finds the imports that run against the design.
func Layering(files []*File) []string {
	var faults []string
	for _, f := range files {
		for _, spec := range f.AST.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue // the parser has refused it
			}
			if why := forbidden(f, imported); why != "" {
				faults = append(faults, f.fault(spec.Pos(), "%s must not import %s: %s", f.Folder(), imported, why))
			}
		}
	}
	return faults
}

// forbidden gives the reason against an import; empty when there is none.
func forbidden(f *File, imported string) string {
	if imported == module || strings.HasPrefix(imported, module+"/") {
		return forbiddenRoom(f, cmp.Or(strings.TrimPrefix(strings.TrimPrefix(imported, module), "/"), "."))
	}
	if f.IsTest() || slices.Contains(harmless, imported) || excuses(f.Folder(), imported) {
		return ""
	}
	for _, b := range bans {
		if within(f.Folder(), b.Folder) && within(imported, b.Package) {
			return b.Why
		}
	}
	return ""
}

func forbiddenRoom(f *File, imported string) string {
	from, to := roomOf(f.Folder()), roomOf(imported)
	switch {
	case from == nil || to == nil:
		return "this folder is in no room of the design; give it a place in the table of rooms"
	case within(to.Folder, "internal") && f.IsTest():
		return ""
	case to.Folder == "command" && from.Folder != "." && from != to:
		return "nothing but the program imports the command line"
	case to.Folder == "core/operation" && strings.HasPrefix(from.Folder, "core") && from != to:
		return "operations are the top of core; what is below must not know them"
	case siblings(f.Folder(), imported):
		return "formats do not import each other; what two of them need belongs below both"
	case from == to:
		return ""
	case within(from.Folder, "core") && to.Folder == "core/engine/decimal", from.Folder == "core" && to.Folder == "core/engine":
		return ""
	case includes(from.May, imported), f.IsTest() && includes(from.Tests, imported):
		return ""
	}
	return from.Why
}

// includes tells whether one of the folders holds the imported one.
func includes(folders []string, imported string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return within(imported, folder) })
}

func roomOf(folder string) *room {
	for i := range rooms {
		if r := &rooms[i]; folder == r.Folder || r.Folder != "." && within(folder, r.Folder) {
			return r
		}
	}
	return nil
}

// siblings tells whether two folders belong to two different formats.
func siblings(a, b string) bool {
	const formats = "core/format/"
	if !strings.HasPrefix(a, formats) || !strings.HasPrefix(b, formats) {
		return false
	}
	return top(a[len(formats):]) != top(b[len(formats):])
}

func within(name, folder string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }

func top(folder string) string {
	first, _, _ := strings.Cut(folder, "/")
	return first
}
