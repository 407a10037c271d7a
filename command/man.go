package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// manCommand is einvoiced man.
type manCommand struct {
	Command []string `arg:"" optional:"" complete:"command" help:"Command, with its subcommand; by default the program."`
	Into    string   `placeholder:"DIR" help:"Write the pages of the program and of all commands into a folder, such as /usr/local/share/man/man1."`
}

// Run prints one page, or writes all.
func (c *manCommand) Run(m *Main) error {
	parser, err := m.grammar()
	if err != nil {
		return err
	}
	if c.Into != "" {
		return writePages(m, c.Into, parser.Model.Node)
	}
	node := parser.Model.Node
	for _, name := range c.Command {
		i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == name && !n.Hidden })
		if i < 0 {
			return &failure{code: exitUsage, cause: fmt.Errorf("there is no command %s", strings.Join(c.Command, " ")), hint: "einvoiced --help lists the commands"}
		}
		node = node.Children[i]
	}
	_, err = m.Stdout.Write([]byte(page(node)))
	return err
}

// writePages writes the page of a command and those of the commands below it.
func writePages(m *Main, dir string, node *kong.Node) error {
	if node.Hidden {
		return nil
	}
	err := m.write(filepath.Join(dir, pageName(node)+".1"), []byte(page(node)))
	for _, child := range node.Children {
		err = errors.Join(err, writePages(m, dir, child))
	}
	return err
}

// pageName is what man calls the page of a command, such as einvoiced-keys-create.
func pageName(node *kong.Node) string { return strings.ReplaceAll(node.FullPath(), " ", "-") }

// page is the manual page of a command, in the macros of man(7). There is no date in it: the same program has the same pages.
func page(node *kong.Node) string {
	w := &roff{}
	w.line(`.TH %s 1 "" "einvoiced" "einvoiced"`, quoted(strings.ToUpper(pageName(node))))
	w.section("NAME")
	w.line(`%s \- %s`, escaped(pageName(node)), escaped(strings.TrimSuffix(firstLine(node.Help), ".")))
	w.section("SYNOPSIS")
	w.line(`.B %s`, escaped(node.FullPath()))
	w.line("%s", escaped(strings.TrimSpace(strings.TrimPrefix("einvoiced "+node.Summary(), node.FullPath()))))
	if rest := strings.TrimSpace(strings.TrimPrefix(node.Help, firstLine(node.Help))); rest != "" {
		w.section("DESCRIPTION")
		w.line("%s", escaped(rest))
	}
	w.commands(node)
	w.arguments(node)
	w.flags("OPTIONS", node.Flags)
	if node.Parent != nil {
		w.section("SEE ALSO")
		w.line(`.BR %s (1)`, escaped(pageName(node.Parent)))
	}
	return w.text.String()
}

// roff is a manual page that is being written.
type roff struct{ text strings.Builder }

func (w *roff) line(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

func (w *roff) section(name string) { w.line(".SH %s", quoted(name)) }

// item is a paragraph with a tag.
func (w *roff) item(tag, text string) {
	w.line(".TP\n.B %s", escaped(tag))
	w.line("%s", escaped(text))
}

func (w *roff) commands(node *kong.Node) {
	shown := slices.DeleteFunc(slices.Clone(node.Children), func(n *kong.Node) bool { return n.Hidden })
	if len(shown) == 0 {
		return
	}
	w.section("COMMANDS")
	for _, child := range shown {
		w.item(child.Name, child.Help)
	}
}

func (w *roff) arguments(node *kong.Node) {
	if len(node.Positional) == 0 {
		return
	}
	w.section("ARGUMENTS")
	for _, arg := range node.Positional {
		w.item(arg.Summary(), arg.Help)
	}
}

func (w *roff) flags(title string, flags []*kong.Flag) {
	if len(flags) == 0 {
		return
	}
	w.section(title)
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		help := f.Help
		if len(f.Envs) > 0 {
			help += " Environment: " + strings.Join(f.Envs, ", ") + "."
		}
		w.item(f.String(), help)
	}
}

// escaped keeps text from being read as roff: backslashes, hyphens that people copy, and dots and quotes that begin a line.
func escaped(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, `-`, `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// quoted is one argument of a macro.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
