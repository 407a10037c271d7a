package command

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/einvoiced/einvoiced/testdata"
)

// samplesCommand is einvoiced samples.
type samplesCommand struct {
	Country string `arg:"" optional:"" complete:"country" help:"Country code, e.g. de; by default all countries."`
	Format  string `arg:"" optional:"" complete:"format" help:"Format token, e.g. xrechnung."`
	Name    string `arg:"" optional:"" complete:"sample" help:"Name of the request to print; by default they are listed."`
	Into    string `placeholder:"DIR" help:"Write the requests into a folder, which must exist, instead of listing them."`
	JSON    bool   `name:"json" help:"List one line of JSON for each request."`
}

// sample is an example request.
type sample struct {
	Country string `json:"country"`
	Format  string `json:"format"`
	Name    string `json:"name"`
	About   string `json:"about"`
	Status  int    `json:"status"` // of the answer
	data    []byte
}

// sampleSets are the folders with requests, by what they are requests for.
var sampleSets = []struct {
	country, format string
	files           func() (files embed.FS, folder, answers string)
}{
	{"de", "xrechnung", testdata.XRechnung},
}

// Run lists the requests, prints one or writes them all into a folder.
func (c *samplesCommand) Run(m *Main) error {
	if c.Country != "" && c.Format == "" {
		return &failure{code: exitUsage, cause: errors.New("country and format belong together"), hint: "einvoiced samples lists what there is"}
	}
	samples, err := c.chosen()
	switch {
	case err != nil:
		return err
	case len(samples) == 0:
		return &failure{code: exitUsage, cause: fmt.Errorf("there is no example request for %s", strings.TrimSpace(c.Country+" "+c.Format+" "+c.Name)),
			hint: "einvoiced samples lists what there is"}
	case c.Into != "":
		return c.write(m, samples)
	case c.Name != "":
		_, err := m.Stdout.Write(samples[0].data)
		return err
	}
	return sampleColumns.print(m.Stdout, c.JSON, slices.Values(samples))
}

var sampleColumns = columns[sample]{
	head:  []string{"COUNTRY", "FORMAT", "NAME", "ANSWER", "ABOUT"},
	cells: func(s sample) []string { return []string{s.Country, s.Format, s.Name, strconv.Itoa(s.Status), s.About} },
}

// chosen gives the requests that the command line is about, in the order of their names.
func (c *samplesCommand) chosen() ([]sample, error) {
	var chosen []sample
	for _, set := range sampleSets {
		if c.Country != "" && !(strings.EqualFold(c.Country, set.country) && strings.EqualFold(c.Format, set.format)) {
			continue
		}
		files, folder, answers := set.files()
		samples, err := readSamples(files, folder, answers)
		if err != nil {
			return nil, fmt.Errorf("read the example requests: %w", err)
		}
		for _, s := range samples {
			if s.Country, s.Format = set.country, set.format; c.Name == "" || s.Name == c.Name {
				chosen = append(chosen, s)
			}
		}
	}
	ofCountries, err := c.ofCountries()
	return append(chosen, ofCountries...), err
}

// ofCountries gives the request of each country, for each format that can be generated of it.
func (c *samplesCommand) ofCountries() (chosen []sample, err error) {
	files, folder := testdata.Countries()
	for _, country := range served() {
		code := strings.ToLower(country.Code)
		for _, f := range country.Formats {
			if !f.Generate || c.Country != "" && !(strings.EqualFold(c.Country, code) && strings.EqualFold(c.Format, f.ID)) || c.Name != "" && c.Name != code {
				continue
			}
			s := sample{Country: code, Format: f.ID, Name: code, About: "Goods at the rates of " + country.Name + ", for each of its formats.", Status: http.StatusOK}
			if s.data, err = files.ReadFile(path.Join(folder, code+".json")); err != nil {
				return nil, fmt.Errorf("read the example request of %s: %w", country.Name, err)
			}
			chosen = append(chosen, s)
		}
	}
	return chosen, nil
}

// readSamples reads the requests of a folder, with what the answers say of them.
func readSamples(files fs.FS, folder, answers string) ([]sample, error) {
	text, err := fs.ReadFile(files, answers)
	if err != nil {
		return nil, err
	}
	about := map[string]sample{}
	if err := json.Unmarshal(text, &about); err != nil {
		return nil, err
	}
	var samples []sample
	for _, name := range slices.Sorted(maps.Keys(about)) {
		s := about[name]
		s.Name = name
		if s.data, err = fs.ReadFile(files, path.Join(folder, name+".json")); err != nil {
			return nil, err
		}
		samples = append(samples, s)
	}
	return samples, nil
}

// write puts each request into a file.
func (c *samplesCommand) write(m *Main, samples []sample) error {
	written := map[string]bool{} // the request of a country is that of each of its formats
	for _, s := range samples {
		if written[s.Name] {
			continue
		}
		if err := m.write(filepath.Join(c.Into, s.Name+".json"), s.data); err != nil {
			return err
		}
		written[s.Name] = true
	}
	_, err := fmt.Fprintf(m.Stderr, "%d requests are in %s\n", len(written), c.Into)
	return err
}
