package typeface_test

import (
	"fmt"
	"log"

	"github.com/einvoiced/einvoiced/core/pdf/typeface"
)

// Which face has the letters of an invoice: the one that stands for the family that was asked for comes first, those for Arabic and Japanese
// after it. A file gets those of its glyphs alone that it needs.
func ExampleLibrary_Chain() {
	library := typeface.NewLibrary(nil)
	for _, character := range "R請ف" {
		for _, face := range library.Chain("Helvetica", true, false) {
			loaded, err := face.Load()
			if err != nil {
				log.Fatal(err)
			}
			glyph, has := loaded.Font.NominalGlyph(character)
			if has {
				fmt.Printf("%c is in %s (%s), %d bytes by itself\n", character, face.Name, loaded.PostScript, len(loaded.Subset([]int{int(glyph)})))
				break
			}
		}
	}
	// Output:
	// R is in Liberation Sans Bold (LiberationSans-Bold), 4344 bytes by itself
	// 請 is in M+ 1p (mplus-1p-regular), 1288 bytes by itself
	// ف is in Noto Sans Arabic Bold (NotoSansArabic-Bold), 580 bytes by itself
}
