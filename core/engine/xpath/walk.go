package xpath

// parts gives the expressions directly inside an expression, in the order of the source. Every analysis goes by it: what is
// missing here would be neither counted nor searched.
func parts(e expr) []expr {
	switch e := e.(type) {
	case *sequence:
		return e.items
	case *step:
		return append([]expr{e.in}, conditions(e.preds)...)
	case *slash:
		return []expr{e.left, e.right}
	case *filter:
		return append([]expr{e.base}, conditions(e.preds)...)
	case *call:
		return e.args
	case *userCall:
		return e.args
	case *arithmetic:
		return []expr{e.left, e.right}
	case *negation:
		return []expr{e.operand}
	case *comparison:
		return []expr{e.left, e.right}
	case *nodeComparison:
		return []expr{e.left, e.right}
	case *logic:
		return e.operands
	case *conditional:
		return []expr{e.cond, e.yes, e.no}
	case *loop:
		return []expr{e.in, e.ret}
	case *quantified:
		return []expr{e.in, e.cond}
	case *binding:
		return []expr{e.value, e.in}
	case *setOp:
		return []expr{e.left, e.right}
	case *rangeOf:
		return []expr{e.from, e.to}
	case *instanceOf:
		return []expr{e.operand}
	case *convert:
		return []expr{e.operand}
	case *cast:
		return []expr{e.operand}
	case *atomize:
		return []expr{e.operand}
	case *textNode:
		return []expr{e.operand}
	}
	return nil
}

func conditions(preds []predicate) []expr {
	list := make([]expr, len(preds))
	for i, p := range preds {
		list[i] = p.cond
	}
	return list
}

// visit calls f for an expression and everything inside.
func visit(e expr, f func(expr)) {
	f(e)
	for _, p := range parts(e) {
		visit(p, f)
	}
}

// countUses counts how often each expression occurs in the program, and what indexes would be good for.
func (k *compiler) countUses() {
	count := func(e expr) {
		if key := e.info().key; key != 0 {
			k.uses[key]++
		}
		if chain := chainOf(e); chain != nil {
			k.followed[k.builder.keyText(anys(chain)...)]++
		}
		k.countLookups(e)
	}
	for _, e := range k.builder.exprs {
		visit(e.root, count)
	}
	for _, p := range k.builder.patterns {
		visit(p.root, count)
	}
	for _, v := range k.builder.variables {
		if v.value != nil {
			visit(v.value, count)
		}
	}
	for _, u := range k.builder.functions {
		if u.body != nil {
			visit(u.body, count)
		}
	}
}
