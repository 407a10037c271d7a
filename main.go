// Command einvoiced is the e-invoice daemon: it writes e-invoices from JSON and reads them back, over HTTP and on files.
package main

import (
	"os"

	"github.com/einvoiced/einvoiced/command"
)

func main() { os.Exit(command.Execute(os.Args[1:])) }
