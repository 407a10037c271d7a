package xpath

import (
	"strconv"
	"strings"
	"sync"

	"github.com/einvoiced/einvoiced/core/engine/xpath/xdm"
)

// function is a function of the library with a number of parameters.
type function struct {
	name       string
	params     []wanted
	variadic   bool // the last parameter may be repeated
	result     seqType
	like       []int // the arguments whose item types the result has as well
	refine     func(args []expr) seqType
	needs      needs
	keepsOrder bool // gives items of the first argument in their order
	hidden     bool // cannot be called with this number of arguments, because the resolver adds one
	xslt       bool
	items      itemFunc
	sequences  sequenceFunc
	hooks
}

// hooks are ways to compile a function that are better than the general one. Those that a function has must suffice to
// compile it when it has neither an itemFunc nor a sequenceFunc; a nil result stands for the general way.
type hooks struct {
	truth truthHook
	text  textHook
	one   oneHook
	each  eachHook
}

type (
	truthHook func(k *compiler, args []expr) boolFunc
	textHook  func(k *compiler, args []expr) textFunc
	oneHook   func(k *compiler, args []expr) oneFunc
	eachHook  func(k *compiler, args []expr, sink itemSink) walkFunc
)

// itemFunc computes a function whose arguments and result have at most one item each; the zero Item is none.
type itemFunc func(m *Machine, args []xdm.Item) xdm.Item

// sequenceFunc computes any function; it appends the result to out. args are only valid during the call.
type sequenceFunc func(m *Machine, args [][]xdm.Item, out []xdm.Item) []xdm.Item

// entry declares a function: its parameter types and its result as F&O writes them. A parameter that ends with ... may be
// repeated. In the result, 1* means any number of items of the first argument's type.
type entry struct {
	name, params, result string
	impl                 any // itemFunc, sequenceFunc, or nil where hooks suffice
	truth                truthHook
	text                 textHook
	one                  oneHook
	each                 eachHook
	needs                needs
	refine               func(args []expr) seqType
	keepsOrder           bool
	hidden               bool
	xslt                 bool
}

// library gives the functions by name and number of arguments; variadic ones by their least number.
var library = sync.OnceValue(func() map[string]*function {
	all := map[string]*function{}
	for _, family := range [][]entry{booleanFunctions, stringFunctions, patternFunctions, numericFunctions, sequenceFunctions,
		aggregateFunctions, nodeFunctions, dateFunctions, nameFunctions, uriFunctions, contextFunctions} {
		for _, e := range family {
			f := e.function()
			all[f.name+"/"+strconv.Itoa(len(f.params))] = f
		}
	}
	return all
})

// variadic are the functions that take any number of arguments from the given one on.
var variadic = map[string]int{"concat": 2}

func findFunction(name string, arity int) *function {
	if least, ok := variadic[name]; ok && arity > least {
		arity = least
	}
	return library()[name+"/"+strconv.Itoa(arity)]
}

func (e entry) function() *function {
	f := &function{name: e.name, needs: e.needs, refine: e.refine, keepsOrder: e.keepsOrder, hidden: e.hidden, xslt: e.xslt,
		hooks: hooks{e.truth, e.text, e.one, e.each}}
	for _, p := range strings.Fields(e.params) {
		p, f.variadic = strings.CutSuffix(p, "...")
		f.params = append(f.params, libraryType(p))
	}
	if n, err := strconv.Atoi(e.result[:1]); err == nil {
		f.like = append(f.like, n-1)
		f.result.occurs = indicators[lastByte(e.result[1:])]
	} else {
		f.result = libraryType(e.result).seqType()
	}
	switch impl := e.impl.(type) {
	case itemFunc:
		f.items = impl
	case sequenceFunc:
		f.sequences = impl
	}
	return f
}

func lastByte(s string) byte {
	if s == "" {
		return 0
	}
	return s[len(s)-1]
}

// libraryType reads a type as tables write it.
func libraryType(s string) wanted {
	w := wanted{occurs: oneItem, text: s}
	if o, ok := indicators[lastByte(s)]; ok {
		w.occurs, s = o, s[:len(s)-1]
	}
	switch s {
	case "item()":
		w.anyItem = true
	case "node()":
		w.test = &nodeTest{kinds: anyNode}
	case "element()":
		w.test = &nodeTest{kinds: elements}
	case "numeric":
		w.atomic = xdm.Numeric
	case "empty-sequence()":
		w.occurs = noItem
	default:
		w.atomic, _ = xdm.TypeNamed(strings.TrimPrefix(s, "xs:"))
	}
	w.setKey()
	return w
}

// param is the type of the argument with that index.
func (f *function) param(i int) wanted { return f.params[min(i, len(f.params)-1)] }

// resultType is what is known about the result for given arguments.
func (f *function) resultType(args []expr) seqType {
	if f.refine != nil {
		return f.refine(args)
	}
	t := f.result
	for _, i := range f.like {
		t.kinds |= args[i].info().typ.kinds
		if t.occurs == atMostOne {
			t.occurs = optionalIfAny(args[i])
		}
	}
	return t
}
