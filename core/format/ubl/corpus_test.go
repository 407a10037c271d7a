//go:build corpus

package ubl

import (
	"context"
	"fmt"
	"os"
	"sort"
	"testing"

	"einvoiced/core/xmltree"
	"einvoiced/internal/corpus"
)

func TestTry(t *testing.T) {
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	terms := map[string]int{}
	ex := map[string]string{}
	n := 0
	for _, d := range corpus.UBL(t) {
		if !d.Valid {
			continue
		}
		n++
		src, _ := os.ReadFile(d.Path)
		doc, err := xmltree.Parse(src, xmltree.Options{})
		if err != nil {
			t.Error(d.Path, err)
			continue
		}
		r, err := f.Read(context.Background(), doc)
		if err != nil {
			t.Error(d.Path, err)
			continue
		}
		fatal := d.Fatal("en16931") || d.Fatal("be") || d.Fatal("nl") || d.Fatal("cius-pt") || d.Fatal("pint")
		for _, l := range r.Account.Leaves {
			k := fmt.Sprint(l.Term, " fatal=", fatal, " ", l.Reason)
			if l.Term == "" || fatal {
				continue
			}
			terms[k]++
			ex[k] = d.Set + "/" + d.Name + l.Path + "=" + l.Value
		}
	}
	var keys []string
	for k := range terms {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Println(terms[k], k, ex[k])
	}
	fmt.Println(n)
}
