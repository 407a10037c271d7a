package text

import (
	"slices"
	"strings"
	"unicode"

	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/language"
	unibidi "golang.org/x/text/unicode/bidi"
)

// findLevels finds the embedding level of each character (UAX #9): odd where it runs from right to left.
func (p *paragraph) findLevels(end partEnd) {
	turned := p.rightToLeft()
	if !p.before.within && turned {
		p.before.base = p.direction()
	}
	if !turned && p.before.base == 0 {
		return
	}
	runs := p.bidi.Segment(p.runes, bidi.Direction(map[uint8]bidi.Direction{0: bidi.LeftToRight, 1: bidi.RightToLeft}[p.before.base]))
	mixed, before := p.before.base == 0 && !slices.ContainsFunc(p.runes, directs), unibidi.L
	for i := range runs.NumRuns() {
		run := runs.Run(i)
		p.level(run.Start, run.End, uint8(run.Level))
		if !mixed {
			continue
		}
		last := p.strongIn(run.Start, run.End, before)
		if run.IsLeftToRight() {
			p.levelNumbers(run.Start, run.End, before, last)
		}
		before = last
	}
	if end == spacedEnd {
		p.joinSpaces()
	}
}

func (p *paragraph) level(start, end int, level uint8) {
	for i := start; i < end; i++ {
		p.levels[i] = level
	}
}

// levelNumbers gives levels to what runs from left to right in a paragraph that does so as well: 0, but 2 to numbers that belong to what runs from
// right to left before or behind them (UAX #9, I1). Package bidi has both in one run, with the level of its first character. Of the letters, L, R or
// AL, before is the last one before the run and last that at its end.
func (p *paragraph) levelNumbers(start, end int, before, last unibidi.Class) {
	p.level(start, end, 0)
	if start > 0 {
		p.level(start, p.numberAfter(start, end, before), 2)
	}
	if end < len(p.runes) {
		p.level(p.numberBefore(start, end, last), end, 2)
	}
}

// numberAfter gives the end of the number that the characters begin with (UAX #9, W2 and W4 to W7). European digits behind a Latin letter are none: they
// belong to it.
func (p *paragraph) numberAfter(start, end int, before unibidi.Class) int {
	number, european := start, false
	for i := start; i < end; i++ {
		switch class := classOf(p.runes[i]); {
		case class == unibidi.AN, class == unibidi.EN && before != unibidi.L:
			number, european = i+1, class == unibidi.EN && before == unibidi.R
		case class == unibidi.NSM, class == unibidi.BN, class == unibidi.ET && european:
			if number == i {
				number++
			}
		case class != unibidi.ES && class != unibidi.CS && class != unibidi.ET:
			return number
		}
	}
	return number
}

// numberBefore gives the start of the number that the characters end with, of which last is the last letter.
func (p *paragraph) numberBefore(start, end int, last unibidi.Class) int {
	number, european := end, false
	for i := end - 1; i >= start; i-- {
		switch class := classOf(p.runes[i]); {
		case class == unibidi.AN, class == unibidi.EN && last != unibidi.L, class == unibidi.ET && european && number == i+1:
			number, european = i, class != unibidi.AN && last == unibidi.R
		case class != unibidi.ES && class != unibidi.CS && class != unibidi.ET && class != unibidi.NSM && class != unibidi.BN:
			return number
		}
	}
	return number
}

// strongIn is the class of the last letter, L, R or AL, or else that of the one before.
func (p *paragraph) strongIn(start, end int, before unibidi.Class) unibidi.Class {
	for i := end - 1; i >= start; i-- {
		if class := classOf(p.runes[i]); class == unibidi.L || class == unibidi.R || class == unibidi.AL {
			return class
		}
	}
	return before
}

func classOf(r rune) unibidi.Class {
	properties, _ := unibidi.LookupRune(r)
	return properties.Class()
}

// joinSpaces gives the spaces at the end of a part the level of what they stand behind: at the end of a paragraph they have its own (UAX #9,
// L1), but this is none.
func (p *paragraph) joinSpaces() {
	n := len(p.runes)
	for n > 0 && p.runes[n-1] == ' ' {
		n--
	}
	for i := n; n > 0 && i < len(p.runes); i++ {
		p.levels[i] = p.levels[n-1]
	}
}

// rightToLeft tells whether there may be anything that runs from right to left, so that directions must be looked at.
func (p *paragraph) rightToLeft() bool {
	return slices.ContainsFunc(p.runes, turns)
}

// RightToLeft tells whether a text has anything that runs from right to left.
func RightToLeft(text string) bool { return strings.ContainsFunc(text, turns) }

// turns tells whether a character runs from right to left, or makes others do so.
func turns(r rune) bool {
	return r >= 0x0590 && (r <= 0x08FF || r == 0x200F || directs(r) ||
		r >= 0xFB1D && r <= 0xFDFF || r >= 0xFE70 && r <= 0xFEFF || r >= 0x10800 && r <= 0x10FFF || r >= 0x1E800 && r <= 0x1EFFF)
}

// directs tells whether a character embeds, overrides or isolates others.
func directs(r rune) bool { return r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 }

// direction is the level of the paragraph: that of its first letter (UAX #9, P2 and P3).
func (p *paragraph) direction() uint8 {
	for _, r := range p.runes {
		if !unicode.IsLetter(r) {
			continue
		}
		switch language.LookupScript(r) {
		case language.Arabic, language.Hebrew, language.Syriac, language.Thaana, language.Nko:
			return 1
		}
		return 0
	}
	return 0
}
