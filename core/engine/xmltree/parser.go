package xmltree

import (
	"sync"
	"sync/atomic"
)

// Parser parses documents under one set of options. It is safe for concurrent use; one for the whole program is best, because
// it keeps the names, the tags that were met, and the working memory from one document to the next.
type Parser struct {
	options  Options
	names    atomic.Pointer[Names]
	scanners sync.Pool
	arenas   sync.Pool
}

// NewParser gives a Parser, or an error when a limit is out of range.
func NewParser(opt Options) (*Parser, error) {
	limits, err := opt.Limits.withDefaults()
	if err != nil {
		return nil, err
	}
	opt.Limits = limits
	p := &Parser{options: opt}
	p.names.Store(newNames())
	return p, nil
}

// Parse parses src with a Parser of its own. Programs that parse many documents keep a Parser.
func Parse(src []byte, opt Options) (*Document, error) {
	p, err := NewParser(opt)
	if err != nil {
		return nil, err
	}
	return p.Parse(src)
}

// Parse parses one document. A refused document gives an *Error. The document refers to src, which must stay unchanged while
// it is used.
func (p *Parser) Parse(src []byte) (*Document, error) {
	if len(src) > p.options.Limits.Size {
		return nil, newError(nil, LimitSize, 0, "the document has more than %d bytes", p.options.Limits.Size)
	}
	s, a := p.scanner(), p.arena()
	text, err := s.parse(src, a)
	// The table is read before the scanner is free for others, who may begin another one with it.
	table := s.lex.names
	p.scanners.Put(s)
	if err != nil {
		p.giveBack(a)
		return nil, err
	}
	d := &Document{src: text, decoded: a.decoded, nodes: a.nodes, decls: a.decls, names: *table.list.Load(), table: table, home: p, arena: a}
	return d, nil
}

// scanner gives a scanner that works with the present table of names. What is indexed by numbers of the table or of the
// lexicon goes with them.
func (p *Parser) scanner() *scanner {
	names := p.names.Load()
	if names.full() {
		p.names.CompareAndSwap(names, newNames())
		names = p.names.Load()
	}
	s, _ := p.scanners.Get().(*scanner)
	if s == nil {
		s = &scanner{limits: p.options.Limits, strip: p.options.StripBlank, subset: p.options.InternalSubset}
	}
	if s.lex.names != names {
		s.lex = newLexicon(names)
		s.bound, s.met, s.stamps, s.spaceIn = nil, nil, nil, nil
	}
	return s
}

func (p *Parser) arena() *arena {
	if a, _ := p.arenas.Get().(*arena); a != nil {
		return a
	}
	return &arena{}
}

// giveBack keeps an arena for the next document unless it is huge.
func (p *Parser) giveBack(a *arena) {
	if cap(a.nodes) <= keepNodes && cap(a.decoded) <= keepDecoded {
		p.arenas.Put(a)
	}
}
