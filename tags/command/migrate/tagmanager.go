package migrate

// ignoreResource is the annotation by which function-tag-manager leaves a resource alone.
const ignoreResource = "tag-manager.fn.crossplane.io/ignore-resource"
