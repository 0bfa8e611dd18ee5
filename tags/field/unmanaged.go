package field

// unmanaged is what makes no resources of a cloud, or none that we could tag: whatever
// it calls tags or labels, a cloud bills and searches nothing by it.
var unmanaged = family{
	Family: Family{Name: "unmanaged"},
}
