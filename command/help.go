package command

import "context"

// helpCommand is einvoiced help.
type helpCommand struct {
	Command []string `arg:"" optional:"" complete:"command" help:"Command, with its subcommand, such as: keys create."`
}

// Run prints what --help of the command prints.
func (c *helpCommand) Run(m *Main, ctx context.Context) error {
	if err := m.Parse(append(c.Command, "--help")); err != nil {
		return err
	}
	return m.Run(ctx)
}
