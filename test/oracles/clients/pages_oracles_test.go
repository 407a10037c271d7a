//go:build oracles

package clients

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// patience is how long a page may take to show what is waited for.
const patience = 3 * time.Minute

// pages ensures that a browser shows the pages without an error and without what shuts people out.
func (d *door) pages(t *testing.T) {
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1280, 800))
	allocator, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	browser, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(browser); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	t.Run("an operation can be tried", func(t *testing.T) { d.tryOperation(t, browser) })
	for name, path := range map[string]string{"start": "/", "documentation": "/docs/"} {
		for _, scheme := range []string{"light", "dark"} {
			t.Run(name+" in "+scheme, func(t *testing.T) { d.checkAccess(t, browser, path, scheme) })
		}
	}
}

// generate is the place of an operation on the page of the documentation.
const generate = "#operations-Invoice_Generation-generate"

// tryOperation opens the documentation, counts the operations, and generates the example as it stands there.
func (d *door) tryOperation(t *testing.T, browser context.Context) {
	p := openPage(t, browser)
	p.do(t, chromedp.Navigate(d.base+"/docs/"), chromedp.WaitVisible(generate))
	if shown, want := see(t, p, chromedp.Evaluate[int]("document.querySelectorAll('.opblock').length")), d.operations(t); shown != want {
		t.Errorf("the page shows %d operations and events, described are %d", shown, want)
	}
	const boxes = "[...document.querySelectorAll('.errors-wrapper, .failed-config')].map(e => e.innerText).join('; ')"
	if errors := see(t, p, chromedp.Evaluate[string](boxes)); errors != "" {
		t.Errorf("the page shows an error: %s", errors)
	}
	p.do(t, chromedp.Click(".auth-wrapper .authorize"), chromedp.SendKeys("#auth-bearer-value", d.key),
		chromedp.Click(".auth-btn-wrapper .authorize"), chromedp.Click(".auth-btn-wrapper .btn-done"),
		chromedp.Click(generate+" .opblock-summary-control"), chromedp.Click(generate+" .try-out__btn"), chromedp.Click(generate+" .execute"))
	const live = generate + " .live-responses-table .response "
	status, answer := see(t, p, chromedp.Text(live+".response-col_status")), see(t, p, chromedp.TextContent(live+".highlight-code"))
	if !strings.Contains(status, "200") || !strings.Contains(answer, "2026-0117-xrechnung.xml") {
		t.Errorf("the example of generate answered %q: %.300s", status, answer)
	}
	p.checkConsole(t)
}

// operations counts the operations and events of the description.
func (d *door) operations(t *testing.T) (n int) {
	t.Helper()
	var description struct{ Paths, Webhooks map[string]map[string]any }
	if err := json.Unmarshal(d.description, &description); err != nil {
		t.Fatal(err)
	}
	for _, items := range []map[string]map[string]any{description.Paths, description.Webhooks} {
		for _, item := range items {
			for _, method := range []string{"get", "post", "patch", "put", "delete"} {
				if item[method] != nil {
					n++
				}
			}
		}
	}
	return n
}

// finding is what axe has to say against a page.
type finding struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		HTML string `json:"html"`
	} `json:"nodes"`
}

// checkAccess lets axe look at a page in a colour scheme. Critical findings are faults, the others are logged.
func (d *door) checkAccess(t *testing.T, browser context.Context, path, scheme string) {
	p := openPage(t, browser)
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(p.tab, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}
	answer := see(t, p, chromedp.NavigateResponse(d.base+path))
	checkHTML(t, path, answer)
	if path == "/docs/" { // with one operation that can be tried
		p.do(t, chromedp.Click(generate+" .opblock-summary-control"), chromedp.Click(generate+" .try-out__btn"), chromedp.WaitVisible(generate+" .execute"))
	}
	axe := string(read(t, filepath.Join(d.modules, "node_modules", "axe-core", "axe.min.js")))
	p.do(t, chromedp.Evaluate[chromedp.Void](axe))
	found := see(t, p, chromedp.Evaluate[struct{ Violations, Passes []finding }]("axe.run(document)", chromedp.EvalAwaitPromise))
	for _, f := range found.Violations {
		report := t.Logf
		if f.Impact == "critical" {
			report = t.Errorf
		}
		report("%s: %s, %s (%d places, such as %.200s)", f.Impact, f.ID, f.Help, len(f.Nodes), f.Nodes[0].HTML)
	}
	if len(found.Passes) < 5 {
		t.Errorf("only %d rules of axe had something to look at", len(found.Passes))
	}
	p.checkConsole(t)
}

func checkHTML(t *testing.T, path string, answer *network.Response) {
	t.Helper()
	if answer.Status != http.StatusOK || answer.MimeType != "text/html" {
		t.Fatalf("%s is no page: %d %s", path, answer.Status, answer.MimeType)
	}
}

// page is a tab of the browser.
type page struct {
	tab     context.Context
	console iter.Seq2[chromedp.ConsoleMessage, error]
}

// openPage opens a tab that ends with the test.
func openPage(t *testing.T, browser context.Context) page {
	t.Helper()
	tab, end := chromedp.NewContext(browser)
	t.Cleanup(end)
	if err := chromedp.Do(tab); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	limited, end := context.WithTimeout(tab, patience)
	t.Cleanup(end)
	return page{limited, chromedp.Console(limited)}
}

func (p page) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(p.tab, steps...); err != nil {
		t.Fatal(err)
	}
}

// see gives what an action sees in a page.
func see[V any](t *testing.T, p page, action chromedp.Action[V]) V {
	t.Helper()
	v, err := chromedp.Run(p.tab, action)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// checkConsole reads what the browser and the page have complained of until now: errors of scripts, requests that failed, content that the
// policy of the page forbids.
func (p page) checkConsole(t *testing.T) {
	t.Helper()
	const last = "that was all"
	p.do(t, chromedp.Evaluate[chromedp.Void]("console.log('"+last+"')"))
	for m, err := range p.console {
		switch {
		case err != nil:
			t.Fatal(err)
		case m.Text == last:
			return
		case m.IsException(), m.Type == "error":
			t.Errorf("%s %s", m, m.URL)
		}
	}
}
