package xmltree

// event is what a test compares documents by: a node, or the end of an element as the zero event.
type event struct {
	Kind  Kind
	Name  Name
	Value string
}

// eventsOf walks d by its axes.
func eventsOf(d *Document) []event {
	var events []event
	var walk func(n Node)
	walk = func(n Node) {
		switch kind := d.Kind(n); kind {
		case KindElement:
			events = append(events, event{Kind: kind, Name: Name{d.Namespace(n), d.Local(n)}})
			first, count := d.Attributes(n)
			for a := first; a < first+Node(count); a++ {
				events = append(events, event{KindAttribute, Name{d.Namespace(a), d.Local(a)}, d.String(a)})
			}
			defer func() { events = append(events, event{}) }()
		case KindDocument:
		default:
			events = append(events, event{kind, Name{d.Namespace(n), d.Local(n)}, d.String(n)})
		}
		for c := d.FirstChild(n); c != None; c = d.NextSibling(c) {
			walk(c)
		}
	}
	walk(0)
	return events
}
