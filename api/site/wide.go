package site

import (
	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// wide renders what may be wider than a page, tables and code, so that it can be scrolled by itself, also with the keyboard.
type wide struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (wide) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(tables.KindTable, renderTable)
	r.Register(ast.KindFencedCodeBlock, renderCode)
	r.Register(ast.KindCodeBlock, renderCode)
}

func renderTable(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "</table></div>\n"
	if entering {
		tag = `<div class="wide" role="group" aria-label="Table" tabindex="0"><table>` + "\n"
	}
	_, err := w.WriteString(tag)
	return ast.WalkContinue, err
}

func renderCode(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	tag := "</code></pre>\n"
	if entering {
		tag = `<pre tabindex="0"><code>`
	}
	if _, err := w.WriteString(tag); err != nil || !entering {
		return ast.WalkContinue, err
	}
	for _, line := range n.Lines().Sliced(0, n.Lines().Len()) {
		if _, err := w.Write(util.EscapeHTML(line.Value(source))); err != nil {
			return ast.WalkStop, err
		}
	}
	return ast.WalkContinue, nil
}
