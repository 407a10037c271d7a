package command

import (
	"context"
	"fmt"

	"github.com/einvoiced/einvoiced/core/verifactu"
)

// verifactuFlag names who makes records of Spanish invoices.
type verifactuFlag struct {
	VeriFactu string `name:"verifactu" env:"EINVOICED_VERIFACTU" placeholder:"FILE" help:"YAML file with the producer and the installation that make VeriFactu records of Spanish invoices; without one none are made."`
}

// installation reads the file; nil without one.
func (f *verifactuFlag) installation() (*verifactu.Installation, error) {
	if f.VeriFactu == "" {
		return nil, nil
	}
	text, err := readFile(f.VeriFactu, mostSetting)
	if err != nil {
		return nil, verifactuFailure(err)
	}
	installed, err := verifactu.Load(text)
	if err != nil {
		return nil, verifactuFailure(err)
	}
	return installed, nil
}

func verifactuFailure(cause error) error {
	return &failure{code: exitUsage, cause: cause, hint: "--verifactu (EINVOICED_VERIFACTU) names a YAML file as docs/verifactu.md describes it"}
}

// verifactuCommand is einvoiced verifactu.
type verifactuCommand struct {
	Verify verifyChainCommand `cmd:"" help:"Check a chain of records offline: every hash, and that each record names the one before."`
}

// verifyChainCommand is einvoiced verifactu verify.
type verifyChainCommand struct {
	Files []string `arg:"" name:"file" help:"XML files with records, in the order of the chain, such as exports; - for standard input."`
	Part  bool     `help:"The files are a part of a chain: the first record may have one before it."`
	JSON  bool     `name:"json" help:"Give the result as JSON."`
}

// verified is the result as JSON.
type verified struct {
	Valid         bool               `json:"valid"`
	Records       int                `json:"records"`
	Invoices      int                `json:"invoices"`
	Cancellations int                `json:"cancellations"`
	TaxAmount     string             `json:"taxAmount"`
	Total         string             `json:"total"`
	FirstHash     string             `json:"firstHash"`
	LastHash      string             `json:"lastHash"`
	Broken        []verifactu.Broken `json:"broken"`
	BrokenCount   int                `json:"brokenCount"`
}

// Run checks the chain. It fails where a link is broken, and names the first.
func (c *verifyChainCommand) Run(m *Main, ctx context.Context) error {
	chain := verifactu.Chain{Part: c.Part}
	for _, file := range c.Files {
		document, err := m.read(ctx, file)
		if err != nil {
			return err
		}
		batch, err := verifactu.Read(document)
		if err != nil {
			return &failure{code: exitInvalid, cause: fmt.Errorf("%s: %w", file, err)}
		}
		for _, r := range batch.Records {
			chain.Add(r.Link())
		}
	}
	return c.report(m, &chain)
}

func (c *verifyChainCommand) report(m *Main, chain *verifactu.Chain) error {
	result := verified{Valid: chain.BrokenCount == 0, Records: chain.Count, Invoices: chain.Invoices, Cancellations: chain.Cancellations, TaxAmount: chain.Tax.String(),
		Total: chain.Total.String(), FirstHash: chain.First, LastHash: chain.Last, Broken: append([]verifactu.Broken{}, chain.Broken...), BrokenCount: chain.BrokenCount}
	if c.JSON {
		if err := printJSON(m.Stdout, result); err != nil {
			return err
		}
	}
	if result.Valid {
		if !c.JSON {
			fmt.Fprintf(m.Stdout, "the chain holds: %d records, %d invoices, %d cancellations, tax %s, total %s, last hash %s\n",
				result.Records, result.Invoices, result.Cancellations, result.TaxAmount, result.Total, result.LastHash)
		}
		return nil
	}
	first := chain.Broken[0]
	cause := fmt.Errorf("the chain is broken at record %d (invoice %s): %s", first.Position, first.Number, first.Reason)
	return &failure{code: exitInvalid, cause: cause, told: c.JSON}
}
