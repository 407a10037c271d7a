package repository

import (
	"io/fs"
	"os"
	"testing"
)

var root = os.DirFS("../..")

func load(t *testing.T) []*File {
	t.Helper()
	files, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no Go files found")
	}
	return files
}

func report(t *testing.T, faults []string) {
	t.Helper()
	for _, fault := range faults {
		t.Error(fault)
	}
}

func TestSource_KeepsTheDirectionOfImports(t *testing.T)     { report(t, Layering(load(t))) }
func TestSource_DocumentsWhatItExports(t *testing.T)         { report(t, DocComments(load(t))) }
func TestSource_NamesPackagesAfterWhatTheyGive(t *testing.T) { report(t, Names(load(t))) }
func TestSource_HasNoUnwantedHabits(t *testing.T)            { report(t, Habits(load(t))) }
func TestSource_ShowsByExample(t *testing.T)                 { report(t, Examples(load(t))) }
func TestTexts_AreThere(t *testing.T)                        { report(t, Texts(root)) }

func TestTexts(t *testing.T) {
	for name, check := range map[string]func(fs.FS) ([]string, error){
		"no unwanted words":       Words,
		"go.mod replaces nothing": Module,
		"links lead somewhere":    Links,
		"the changelog has news":  News,
		"architecture names every room": func(repository fs.FS) ([]string, error) {
			return Rooms(repository, load(t))
		},
	} {
		t.Run(name, func(t *testing.T) {
			faults, err := check(root)
			if err != nil {
				t.Fatal(err)
			}
			report(t, faults)
		})
	}
}

// TestShape prints the table of sizes (make shape) and holds the bars.
func TestShape(t *testing.T) {
	files := load(t)
	source, tests := Measure(files, false), Measure(files, true)
	t.Logf("\n%s", Table(source, tests))
	for _, line := range Longest(files, 5) {
		t.Log("long:", line)
	}
	report(t, source.Faults())
}
