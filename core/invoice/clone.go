package invoice

import (
	"reflect"
	"slices"
	"sync"
)

// Clone gives a copy whose lists and groups are its own, so that what is done to the copy does not show in the invoice. Values that
// are never changed in place, such as the bytes of attachments, are shared.
func (inv *Invoice) Clone() *Invoice {
	if inv == nil {
		return nil
	}
	cloned := *inv
	clonePlan().own(reflect.ValueOf(&cloned).Elem())
	cloned.Items = cloneItems(inv.Items)
	return &cloned
}

// cloneItems copies lines. What all of them have in one member is copied into one piece of memory: invoices have many lines.
func cloneItems(items []Item) []Item {
	if len(items) == 0 {
		return items
	}
	cloned := slices.Clone(items)
	ownEach(cloned, func(i *Item) **int { return &i.Position })
	ownEach(cloned, func(i *Item) **StandardItemID { return &i.StandardItemID })
	ownEach(cloned, func(i *Item) **Period { return &i.ServicePeriod })
	ownEach(cloned, func(i *Item) **Discount { return &i.Discount })
	ownEach(cloned, func(i *Item) **bool { return &i.WithholdingFlag })
	ownEach(cloned, func(i *Item) **IncomeClassification { return &i.IncomeClassification })
	ownLists(cloned, func(i *Item) *[]Classification { return &i.Classification })
	ownLists(cloned, func(i *Item) *[]Attribute { return &i.Attributes })
	ownLists(cloned, func(i *Item) *[]LineCharge { return &i.Allowances })
	ownLists(cloned, func(i *Item) *[]LineCharge { return &i.Charges })
	for i := range cloned {
		cloned[i].SubItems = cloneItems(cloned[i].SubItems)
	}
	return cloned
}

// ownEach gives lines their own of what a member refers to.
func ownEach[T any](items []Item, member func(*Item) **T) {
	n := 0
	for i := range items {
		if *member(&items[i]) != nil {
			n++
		}
	}
	own := make([]T, 0, n)
	for i := range items {
		if p := member(&items[i]); *p != nil {
			own = append(own, **p)
			*p = &own[len(own)-1]
		}
	}
}

// ownLists gives lines their own of a list, which has no room for more: adding to it leaves the next one's alone.
func ownLists[T any](items []Item, member func(*Item) *[]T) {
	n := 0
	for i := range items {
		n += len(*member(&items[i]))
	}
	own := make([]T, 0, n)
	for i := range items {
		if l := member(&items[i]); *l != nil {
			from := len(own)
			own = append(own, *l...)
			*l = own[from:len(own):len(own)]
		}
	}
}

// clonePlan tells what an invoice has to be copied.
var clonePlan = sync.OnceValue(func() *copies {
	return copiesOf(reflect.TypeFor[Invoice](), map[reflect.Type]*copies{})
})

// copies are the fields of a struct that refer to what the copy needs of its own.
type copies struct {
	fields []copied
}

// copied is a field: a pointer, a list, or a struct with such fields.
type copied struct {
	index int
	kind  reflect.Kind
	inner *copies // of the struct that it is, or refers to; nil for other values
}

// copiesOf plans a struct; lines have a way of their own. A type that is within itself has one plan.
func copiesOf(t reflect.Type, known map[reflect.Type]*copies) *copies {
	if plan := known[t]; plan != nil {
		return plan
	}
	plan := &copies{}
	known[t] = plan
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() || f.Type == reflect.TypeFor[[]Item]() {
			continue
		}
		c := copied{index: i, kind: f.Type.Kind()}
		of := f.Type
		if c.kind == reflect.Pointer || c.kind == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() == reflect.Struct {
			c.inner = copiesOf(of, known)
		}
		if refers := c.kind == reflect.Pointer || c.kind == reflect.Slice && of.Kind() != reflect.Uint8; refers || c.kind == reflect.Struct {
			plan.fields = append(plan.fields, c)
		}
	}
	return plan
}

// own gives a struct, which was copied, its own of what it refers to.
func (c *copies) own(v reflect.Value) {
	for _, f := range c.fields {
		field := v.Field(f.index)
		switch {
		case f.kind == reflect.Struct:
			f.inner.own(field)
		case field.IsNil():
		case f.kind == reflect.Pointer:
			cloned := reflect.New(field.Type().Elem())
			cloned.Elem().Set(field.Elem())
			field.Set(cloned)
			f.inside(cloned.Elem())
		default:
			cloned := reflect.MakeSlice(field.Type(), field.Len(), field.Len())
			reflect.Copy(cloned, field)
			field.Set(cloned)
			for i := 0; f.inner != nil && len(f.inner.fields) > 0 && i < cloned.Len(); i++ {
				f.inside(cloned.Index(i))
			}
		}
	}
}

// inside goes on within what was copied, where that is a struct.
func (c *copied) inside(v reflect.Value) {
	if c.inner != nil {
		c.inner.own(v)
	}
}
