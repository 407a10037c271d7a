// Command judge prints what the official rules say about the files it is given: one line for each file, one for each
// finding below it. It ends with 1 when a file is not valid and with 3 when the rules could not be asked.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/einvoiced/einvoiced/test/oracles"
)

func main() {
	valid, err := judge(context.Background(), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(3)
	}
	if !valid {
		os.Exit(1)
	}
}

func judge(ctx context.Context, files []string) (valid bool, err error) {
	j, err := oracles.StartJudge(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	valid = true
	for _, file := range files {
		v, err := j.Verdict(file)
		if err != nil {
			return false, err
		}
		show(file, v)
		valid = valid && v.Valid
	}
	return valid, nil
}

func show(file string, v oracles.Verdict) {
	word := "valid"
	if !v.Valid {
		word = "INVALID"
	}
	fmt.Printf("%s: %s %v\n", file, word, v.RuleSets)
	for _, f := range v.Findings {
		place := f.Place
		if f.Line > 0 {
			place = fmt.Sprintf("line %d", f.Line)
		}
		fmt.Printf("  %-11s %s at %s: %s\n", f.Level, f.ID, place, f.Text)
	}
}
