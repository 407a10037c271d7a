package command

import (
	"context"
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/einvoiced/einvoiced/core/operation"
)

// completionCommand is einvoiced completion.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: bash, zsh or fish."`
}

//go:embed completion/*
var completionScripts embed.FS

// Run prints the script of a shell, which asks the hidden command complete, so that it need not be renewed with the program.
func (c *completionCommand) Run(m *Main) error {
	script, err := completionScripts.ReadFile("completion/einvoiced." + c.Shell)
	if err != nil {
		return fmt.Errorf("read the script of completion: %w", err)
	}
	_, err = m.Stdout.Write(script)
	return err
}

// completeCommand is einvoiced complete: the words of a command line after the name of the program, the last one unfinished.
type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"Words of a command line."`
}

// Run prints what may stand in place of the last word: each in a line, with a tab and what it means; nothing where files may.
func (c *completeCommand) Run(m *Main) error {
	parser, err := m.grammar()
	if err != nil {
		return err
	}
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 {
		words = []string{""}
	}
	at := &cursor{node: parser.Model.Node}
	for _, word := range words[:len(words)-1] {
		at.pass(word)
	}
	last := words[len(words)-1]
	for _, w := range at.candidates(last) {
		if strings.HasPrefix(w.text, last) {
			if _, err := io.WriteString(m.Stdout, w.text+"\t"+w.about+"\n"); err != nil {
				return err
			}
		}
	}
	return nil
}

// candidate is a word that may stand somewhere, and what it means.
type candidate struct{ text, about string }

// cursor is a place in a command line.
type cursor struct {
	node   *kong.Node
	flag   *kong.Flag // that waits for its value
	values []string   // of positional arguments so far
}

// pass goes over a finished word.
func (c *cursor) pass(word string) {
	switch {
	case c.flag != nil:
		c.flag = nil
	case strings.HasPrefix(word, "-"):
		if f := c.find(word); f != nil && !f.IsBool() {
			c.flag = f
		}
	default:
		for _, child := range c.node.Children {
			if child.Name == word {
				c.node = child
				return
			}
		}
		c.values = append(c.values, word)
	}
}

// flags are those of the command and of what is around it.
func (c *cursor) flags() []*kong.Flag { return slices.Concat(c.node.AllFlags(true)...) }

// find gives a flag by its long or short form; nil for others, and for those that bring their value along.
func (c *cursor) find(word string) *kong.Flag {
	for _, f := range c.flags() {
		if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

// candidates are the words that may stand here; none where files may.
func (c *cursor) candidates(last string) (words []candidate) {
	switch {
	case c.flag != nil:
		return c.known(c.flag.Value)
	case strings.HasPrefix(last, "-"):
		for _, f := range c.flags() {
			words = append(words, candidate{"--" + f.Name, f.Help})
		}
	case len(c.node.Children) > 0:
		for _, child := range c.node.Children {
			if !child.Hidden {
				words = append(words, candidate{child.Name, child.Help})
			}
		}
	case len(c.node.Positional) > 0:
		return c.known(c.node.Positional[min(len(c.values), len(c.node.Positional)-1)])
	}
	return words
}

// known are the values of an argument or flag, as far as they are known without a server.
func (c *cursor) known(v *kong.Value) (words []candidate) {
	if v.Enum != "" {
		for _, text := range v.EnumSlice() {
			words = append(words, candidate{text: text})
		}
		return words
	}
	switch v.Tag.Get("complete") {
	case "country":
		return c.countries()
	case "format":
		return c.formats()
	case "sample":
		return c.samples()
	case "command":
		return c.commands()
	}
	return nil
}

func (c *cursor) countries() (words []candidate) {
	for _, country := range served() {
		words = append(words, candidate{strings.ToLower(country.Code), country.Name})
	}
	return words
}

// formats are those of the country that was named before.
func (c *cursor) formats() (words []candidate) {
	for _, country := range served() {
		if len(c.values) > 0 && strings.EqualFold(country.Code, c.values[0]) {
			for _, f := range country.Formats {
				words = append(words, candidate{f.ID, f.Name})
			}
		}
	}
	return words
}

func (c *cursor) samples() (words []candidate) {
	if len(c.values) < 2 {
		return nil
	}
	list, err := (&samplesCommand{Country: c.values[0], Format: c.values[1]}).chosen()
	if err != nil {
		return nil
	}
	for _, s := range list {
		words = append(words, candidate{s.Name, s.About})
	}
	return words
}

// commands are those below the ones that were named before.
func (c *cursor) commands() []candidate {
	root := c.node
	for root.Parent != nil {
		root = root.Parent
	}
	below := &cursor{node: root}
	for _, name := range c.values {
		below.pass(name)
	}
	if len(below.values) > 0 || len(below.node.Children) == 0 {
		return nil
	}
	return below.candidates("")
}

// served are the countries; without rulebooks, which take their time and say nothing of names.
func served() []operation.Country {
	service, err := (&operationFlags{}).service(nil)
	if err != nil {
		return nil
	}
	return service.Countries(context.Background())
}
