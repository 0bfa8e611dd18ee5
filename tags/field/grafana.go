package field

// grafana is what grafana/crossplane-provider-grafana makes in Grafana Cloud: stacks have labels.
// What it makes in a stack is unmanaged.
var grafana = family{
	Family:  Family{Name: "grafana", Profile: "grafana", Upjet: true},
	domains: []string{"cloud.grafana.crossplane.io", "cloud.grafana.m.crossplane.io"},
	configs: map[string]configs{
		"cloud.grafana.crossplane.io":   {group: "grafana.crossplane.io", version: "v1beta1"},
		"cloud.grafana.m.crossplane.io": {group: "grafana.m.crossplane.io", version: "v1beta1", namespaced: true},
	},
	kinds: map[string][]*candidate{"*/Stack": {at("labels", "labels")}},
}
