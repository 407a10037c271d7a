// Package repair writes damaged PDF files anew, with pdfcpu. What it works on is from outside and may take any time and memory, so it is for
// processes of their own (see subprocess.Filter).
package repair

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/pdfcpu/pdfcpu/pkg/api"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
)

// PDF writes a file anew whose cross-reference data is broken: what can be found of it, under new cross-reference data. The error says why it
// cannot.
func PDF(damaged []byte) (_ []byte, err error) {
	defer func() {
		if r := recover(); r != nil { // the reader of damaged files is not ours
			err = fmt.Errorf("repair the PDF: %v", r)
		}
	}()
	api.DisableConfigDir() // it would write into the folder of the user
	conf := model.NewDefaultConfiguration()
	conf.ValidationMode = model.ValidationRelaxed
	conf.Offline = true
	file, err := api.ReadContext(bytes.NewReader(damaged), conf)
	if err != nil {
		return nil, fmt.Errorf("repair the PDF: %w", err)
	}
	var out bytes.Buffer
	if err := api.WriteContext(file, &out); err != nil {
		return nil, fmt.Errorf("repair the PDF: %w", err)
	}
	if out.Len() == 0 {
		return nil, errors.New("repair the PDF: nothing is left of it")
	}
	return out.Bytes(), nil
}
