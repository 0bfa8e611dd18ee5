package field

// ibm is crossplane-contrib/provider-ibm-cloud. A tag is one word of at most 128 characters, in
// which a colon parts key and value, say the documents of IBM Cloud.
//
// Not tags: workerPool.labels (Kubernetes labels).
var ibm = family{
	Family: Family{Name: "ibm", Profile: "ibm"},
	fields: []*candidate{at("tags", "tags").words(":").upTo(128)},
}
