// Command rules prints the folder that holds the official rule sets as compiled stylesheets, after fetching them where they
// are not there yet. It ends with 3 when they cannot be had.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/einvoiced/einvoiced/test/oracles"
)

func main() {
	folder, err := oracles.CompiledRules(context.Background())
	if err != nil {
		fmt.Fprintln(os.Stderr, "rules:", err)
		os.Exit(3)
	}
	fmt.Println(folder)
}
