package object

import (
	"bytes"
	"fmt"

	"github.com/crossplane/function-sdk-go/errors"
)

// is reports whether both are the same value, in the same bytes.
func (n Node) is(other Node) bool {
	return n.tag == other.tag && n.IsThere() == other.IsThere() && bytes.Equal(n.body, other.body)
}

// updated returns n with f's result in the place of each value at the end of the path. The first depth segments have
// led to n: with the path spec.tags and depth 1, n is the value of spec.
func (n Node) updated(path Segments, depth int, f func(Node) (Node, error)) (Node, error) {
	if depth == len(path) {
		out, err := f(n)
		if err != nil {
			err = at(path, err)
		}

		return out, err
	}

	sg := path[depth]
	if isItem(sg) {
		return n.updatedItems(path, depth, f)
	}

	if !n.IsNull() && !n.IsObject() {
		return Node{}, at(path[:depth], fmt.Errorf("is %s, not an object", n.Kind()))
	}

	before := n.Field(sg.Field)

	after, err := before.updated(path, depth+1, f)
	if err != nil || after.is(before) {
		return n, err
	}

	return n.with(sg.Field, after), nil
}

// updatedItems is updated for a path whose next segment stands for items of the list n: one item for [0], and all items
// but null for [*].
func (n Node) updatedItems(path Segments, depth int, f func(Node) (Node, error)) (Node, error) {
	sg := path[depth]
	defer func() { path[depth] = sg }()

	if !n.IsNull() && !n.IsList() {
		return Node{}, at(path[:depth], fmt.Errorf("is %s, not a list", n.Kind()))
	}

	i, found := uint(0), isWildcard(sg)

	out, _, err := n.MapItems(func(item Node) (Node, error) {
		path[depth] = Segment{IsIndex: true, Index: i}
		i++

		switch {
		case isWildcard(sg) && item.IsNull(), !isWildcard(sg) && path[depth] != sg:
			return item, nil
		default:
			found = true
			return item.updated(path, depth+1, f)
		}
	})
	if err != nil || found {
		return out, err
	}

	path[depth] = sg

	switch made, err := (Node{}).updated(path, depth+1, f); {
	case err != nil || !made.IsThere():
		return n, err
	case n.IsNull():
		return Node{}, at(path[:depth], errors.New("is null, not a list"))
	default:
		return Node{}, at(path[:depth], fmt.Errorf("has no item %d", sg.Index))
	}
}

// MapItems returns the list n with f's result in the place of each item. If f returns the zero Node, the item is left
// out. changed is false, and the list is n, if f returns each item as it is. MapItems stops at an error of f.
func (n Node) MapItems(f func(Node) (Node, error)) (_ Node, changed bool, _ error) {
	items := make([]Node, 0, n.Len())

	for item := range n.Items() {
		v, err := f(item)
		if err != nil {
			return Node{}, false, err
		}

		changed = changed || !v.is(item)

		if v.IsThere() {
			items = append(items, v)
		}
	}

	if !changed {
		return n, false, nil
	}

	return ListNode(items), true, nil
}
