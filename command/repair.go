package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/einvoiced/einvoiced/worker/repair"
	"github.com/einvoiced/einvoiced/worker/subprocess"
)

// The limits on the repair of a PDF.
const (
	repairMemory = 1 << 30 // bytes
	repairTime   = 20 * time.Second
	mostRepaired = 256 << 20 // bytes of the result
)

// repairCommand is einvoiced repair, which embed starts for damaged PDF files.
type repairCommand struct{}

// Run writes the PDF on standard input anew, to standard output.
func (c *repairCommand) Run(m *Main, _ context.Context) error {
	if err := subprocess.Confine(repairMemory); err != nil {
		fmt.Fprintln(m.Stderr, "einvoiced:", err) // who started this shows it where it dies
	}
	damaged, err := io.ReadAll(m.Stdin)
	if err != nil {
		return fmt.Errorf("read the PDF: %w", err)
	}
	repaired, err := repair.PDF(damaged)
	if err != nil {
		return err
	}
	_, err = m.Stdout.Write(repaired)
	return err
}

// repairer repairs PDF files in processes of a program; nil where it must not be started.
func repairer(program string) func(context.Context, []byte) ([]byte, error) {
	if program == "" {
		return nil
	}
	return func(ctx context.Context, pdf []byte) ([]byte, error) {
		ctx, cancel := context.WithTimeoutCause(ctx, repairTime, errRepairTime)
		defer cancel()
		return subprocess.Filter(ctx, []string{program, "repair"}, pdf, mostRepaired)
	}
}

// errRepairTime is for whoever sent the PDF.
var errRepairTime = errors.New("it takes too long")
