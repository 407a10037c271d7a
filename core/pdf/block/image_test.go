package block_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"

	"github.com/einvoiced/einvoiced/core/pdf/block"
)

// TestRender_BoundsThePixelsOfAllImages ensures that many images of few bytes do not keep a processor for minutes.
func TestRender_BoundsThePixelsOfAllImages(t *testing.T) {
	t.Parallel()
	var blocks []string
	for i := range 5 {
		var data bytes.Buffer
		if err := png.Encode(&data, image.NewPaletted(image.Rect(0, 0, 5000, 5000-i), color.Palette{color.Black})); err != nil {
			t.Fatal(err)
		}
		blocks = append(blocks, fmt.Sprintf(`{"type":"image","data":{"src":"data:image/png;base64,%s"}}`, base64.StdEncoding.EncodeToString(data.Bytes())))
	}
	for n, want := range map[int]string{4: "", 5: "100 million pixels"} {
		parsed, err := block.Parse(with(strings.Join(blocks[:n], ",")))
		if err != nil {
			t.Fatal(err)
		}
		_, err = parsed.Render(t.Context(), input(t, []byte("{}")))
		var faults block.Faults
		switch {
		case want == "" && err != nil:
			t.Errorf("%d images: %.200v", n, err)
		case want != "" && (!errors.As(err, &faults) || !strings.Contains(faults[0].Message, want) || faults[0].Path != "body.blocks[4].data.src"):
			t.Errorf("%d images: %.200v", n, err)
		}
	}
}
