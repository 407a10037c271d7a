package text_test

import (
	"fmt"

	"github.com/einvoiced/einvoiced/core/pdf/text"
	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

// The name of an item in a narrow column: lines break at spaces and hyphens, and an amount with its currency stays whole, because the spaces
// in it are such as do not break.
func ExampleSetter_Set() {
	setter := text.NewSetter(typeface.NewLibrary(nil))
	item := setter.Set(text.Span{Text: "Wartungs-Vertrag Kältetechnik, je Jahr 10\u00a0000\u00a0€", Style: text.Style{Size: 10}})
	for _, line := range item.Lines(90) {
		for _, piece := range line.Pieces {
			fmt.Print(piece.Text)
		}
		fmt.Printf(" (%.0f points)\n", line.Width)
	}
	fmt.Println(text.RightToLeft("فاتورة ضريبية"), len(setter.Missing()))
	// Output:
	// Wartungs-Vertrag (78 points)
	// Kältetechnik, je (68 points)
	// Jahr 10 000 € (61 points)
	// true 0
}
