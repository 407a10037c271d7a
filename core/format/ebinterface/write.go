package ebinterface

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"strconv"

	"github.com/einvoiced/einvoiced/core/engine/xmltree"
	"github.com/einvoiced/einvoiced/core/invoice"
	m "github.com/einvoiced/einvoiced/core/mapping"
)

// What a document and each line take in bytes, by and large.
const (
	documentSize = 4 << 10
	lineSize     = 800
)

// write writes the canonical invoice, and what it holds of ebInterface beside the table.
func (f *Format) write(ctx context.Context, w *xmltree.Writer, inv *invoice.Invoice, every bool) ([]m.Unwritten, error) {
	size := documentSize + len(inv.Items)*lineSize
	env := m.Env{Edition: V61, Every: every}
	told := nationalOf(inv)
	if len(told) == 0 {
		w.Grow(size)
		return f.mapping.Write(ctx, w, inv, env)
	}
	plain := xmltree.NewWriter(xmltree.WriterOptions{Compact: true})
	plain.Grow(size)
	unwritten, err := f.mapping.Write(ctx, plain, inv, env)
	if err == nil {
		err = plain.Finish()
	}
	if err != nil {
		return nil, err
	}
	document, told := inLists(plain.Bytes(), told)
	unplaced, err := nationals.Write(w, document, told)
	if err != nil {
		return nil, fmt.Errorf("write what is national: %w", err)
	}
	for _, path := range unplaced {
		unwritten = append(unwritten, m.Unwritten{Field: "countrySpecific.national." + path})
	}
	return unwritten, nil
}

func nationalOf(inv *invoice.Invoice) invoice.National {
	if inv.CountrySpecific == nil {
		return nil
	}
	return inv.CountrySpecific.National
}

// inLists shares the lines among so many lists as the invoice had. Where the numbers are not those of its lines there is one list.
func inLists(document []byte, told invoice.National) ([]byte, invoice.National) {
	counts := told[itemLists]
	if counts == nil {
		return document, told
	}
	const line, between = "<ListLineItem>", "</ItemList><ItemList>"
	parts := bytes.Split(document, []byte(line))
	var shared bytes.Buffer
	shared.Write(parts[0])
	at := 1
	for i, text := range counts {
		count, err := strconv.Atoi(text)
		if err != nil || count < 1 || count > len(parts)-at || i == len(counts)-1 && count != len(parts)-at {
			return document, told
		}
		if i > 0 {
			shared.WriteString(between)
		}
		for range count {
			shared.WriteString(line)
			shared.Write(parts[at])
			at++
		}
	}
	told = maps.Clone(told)
	delete(told, itemLists)
	return shared.Bytes(), told
}
