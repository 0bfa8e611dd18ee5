package field

// unmanaged are the providers that make no resources of a cloud, or none that we could tag: whatever
// they call tags or labels, a cloud bills and searches nothing by it. groups.txt says why of each.
var unmanaged = family{
	Family: Family{Name: "unmanaged"},
}
