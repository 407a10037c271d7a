package invoice

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestClone_SharesNothing ensures for every input that the copy is equal, and that no list or group of the one is the other's.
func TestClone_SharesNothing(t *testing.T) {
	files, err := filepath.Glob(inputFolder + "/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no inputs: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		body, _, err := Decode(data, Options{Limits: Limits{MaxItems: 1000}})
		if err != nil || body.Invoice == nil {
			continue // inputs that are refused
		}
		cloned := body.Invoice.Clone()
		if diff := cmp.Diff(body.Invoice, cloned); diff != "" {
			t.Fatalf("%s:\n%s", file, diff)
		}
		if shared := sharedPlace(reflect.ValueOf(body.Invoice).Elem(), reflect.ValueOf(cloned).Elem(), "invoice"); shared != "" {
			t.Errorf("%s: the copy shares %s", file, shared)
		}
	}
}

// TestClone_OfEveryMemberSharesNothing does the same for an invoice that has every member, and two entries in each list.
func TestClone_OfEveryMemberSharesNothing(t *testing.T) {
	full := &Invoice{}
	fillAll(reflect.ValueOf(full).Elem(), 0)
	cloned := full.Clone()
	if diff := cmp.Diff(full, cloned); diff != "" {
		t.Fatal(diff)
	}
	if shared := sharedPlace(reflect.ValueOf(full).Elem(), reflect.ValueOf(cloned).Elem(), "invoice"); shared != "" {
		t.Errorf("the copy shares %s", shared)
	}
	first := &cloned.Items[0]
	first.Attributes = append(first.Attributes, Attribute{Name: "more"})
	if cloned.Items[1].Attributes[0].Name == "more" {
		t.Error("adding to a line's list changes the next line's")
	}
}

// fillAll sets what a value refers to, lines within lines to the depth of two.
func fillAll(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillAll(v.Elem(), depth)
	case reflect.Slice:
		if depth > 2 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fillAll(v.Index(i), depth+1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillAll(v.Field(i), depth)
			}
		}
	}
}

// sharedPlace names a place where two values refer to the same memory that could be changed; empty where there is none.
func sharedPlace(a, b reflect.Value, at string) string {
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() {
			return ""
		}
		if a.Pointer() == b.Pointer() {
			return at
		}
		return sharedPlace(a.Elem(), b.Elem(), at)
	case reflect.Slice:
		if a.Len() > 0 && a.Pointer() == b.Pointer() && a.Type().Elem().Kind() != reflect.Uint8 {
			return at
		}
		for i := range a.Len() {
			if place := sharedPlace(a.Index(i), b.Index(i), at+"[]"); place != "" {
				return place
			}
		}
	case reflect.Map:
		if a.Len() > 0 && a.Pointer() == b.Pointer() {
			return at
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if f := a.Type().Field(i); f.IsExported() {
				if place := sharedPlace(a.Field(i), b.Field(i), at+"."+f.Name); place != "" {
					return place
				}
			}
		}
	}
	return ""
}

// BenchmarkClone copies an invoice of 25,000 lines.
func BenchmarkClone(b *testing.B) {
	inv := &Invoice{Items: make([]Item, 25_000)}
	for i := range inv.Items {
		inv.Items[i].SubItems = []Item{{Description: "part"}}
	}
	for b.Loop() {
		inv.Clone()
	}
}
