package field

// grafana is what grafana/crossplane-provider-grafana makes in Grafana Cloud: stacks have labels.
// What it makes in a stack is unmanaged.
var grafana = family{
	Family: Family{Name: "grafana", Profile: "grafana", Upjet: true},
	kinds:  map[string][]*candidate{"Stack": {at("labels", "labels")}},
}
