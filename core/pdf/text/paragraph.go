package text

import (
	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/segmenter"
)

// paragraph is what is known of each character of a paragraph, or of a part of a long one; its memory is used again for the next.
type paragraph struct {
	runes   []rune
	style   []*Style
	levels  []uint8
	breaks  []bool // after the character
	scripts []language.Script
	faces   []*face
	before  context

	bidi  bidi.Paragraph
	lines segmenter.Segmenter
}

// context is what the next part of a paragraph has to know of those before.
type context struct {
	within bool  // there are parts before
	base   uint8 // the level of the paragraph
	script language.Script
	style  *Style // of the last character
	face   *face
}

func (p *paragraph) clear() { p.runes, p.style = p.runes[:0], p.style[:0] }

func (p *paragraph) add(r rune, style *Style) {
	p.runes, p.style = append(p.runes, r), append(p.style, style)
}

// together tells whether a character belongs to the piece of the one before.
func (p *paragraph) together(i int) bool {
	return !p.breaks[i-1] && p.style[i] == p.style[i-1] && p.levels[i] == p.levels[i-1] && p.faces[i] == p.faces[i-1] &&
		p.scripts[i] == p.scripts[i-1] && (p.runes[i] == ' ') == (p.runes[i-1] == ' ')
}

// analyse finds directions, places to break and scripts.
func (p *paragraph) analyse(end partEnd) {
	n := len(p.runes)
	p.levels, p.breaks = append(p.levels[:0], make([]uint8, n)...), append(p.breaks[:0], make([]bool, n)...)
	p.scripts = append(p.scripts[:0], make([]language.Script, n)...)
	p.findLevels(end)
	p.lines.Init(p.runes)
	for it := p.lines.LineIterator(); it.Next(); {
		if line := it.Line(); len(line.Text) > 0 {
			p.breaks[line.Offset+len(line.Text)-1] = true
		}
	}
	p.breaks[n-1] = end != tornEnd
	p.findScripts()
}

// findScripts gives characters that many scripts use the script of what is before them, or else of what comes first.
func (p *paragraph) findScripts() {
	script := p.before.script
	if !p.before.within {
		script = p.firstScript()
	}
	for i, r := range p.runes {
		if found := language.LookupScript(r); found.Strong() {
			script = found
		}
		p.scripts[i] = script
	}
	p.before.script = script
}

func (p *paragraph) firstScript() language.Script {
	for _, r := range p.runes {
		if found := language.LookupScript(r); found.Strong() {
			return found
		}
	}
	return language.Latin
}

func (s *Setter) findFaces(p *paragraph) {
	p.faces = p.faces[:0]
	var c *chain
	if p.before.within {
		c = s.chain(p.before.style)
	} else {
		p.before.style, p.before.face = nil, nil
	}
	for i, r := range p.runes {
		if p.style[i] != p.before.style {
			p.before.style, p.before.face = p.style[i], nil
			c = s.chain(p.before.style)
		}
		p.before.face = s.find(c, r, p.before.face)
		p.faces = append(p.faces, p.before.face)
	}
}
