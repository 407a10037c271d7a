package kinds

import (
	"github.com/einvoiced/einvoiced/core/operation"
	"github.com/einvoiced/einvoiced/job"
	"github.com/einvoiced/einvoiced/job/answers"
)

// pdfEntitlement is what making a PDF takes; the country is in lower case, or *.
func pdfEntitlement(country, _ string) string { return job.CreateEntitlement(country, "pdf") }

// bareAlways gives the PDF in place of any answer that has one: pages are to be looked at.
func bareAlways([]byte) (map[string]string, bool) { return nil, true }

// pagesOutcome is what comes of making pages.
func pagesOutcome(a *operation.PagesAnswer, err error) (*job.Outcome, error) {
	if err != nil {
		return nil, err
	}
	document := &job.Document{Filename: a.Filename, MimeType: a.MimeType, Hash: a.Hash, Data: a.Data}
	return &job.Outcome{Answer: answers.JSON(a), Document: document, Clean: len(a.Warnings) == 0}, nil
}
