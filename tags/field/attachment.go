package field

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags/object"
)

// An Attachment is a kind of resources that attach volumes to others, such as VolumeAttachment to an Instance.
type Attachment struct {
	family, kind string // The kind has the service in front, as ec2/VolumeAttachment.

	// The field has the ID of the instance, such as instanceId. Its reference and its selector are beside it: instanceIdRef and
	// instanceIdSelector.
	field string
}

// newAttachment reads the text VolumeAttachment.instanceId of the launch l.
func newAttachment(l *launch, text string) *Attachment {
	kind, name, _ := strings.Cut(text, ".")
	service, _, _ := strings.Cut(l.kind, "/")

	return &Attachment{family: l.family, kind: service + "/" + kind, field: name}
}

// Is reports whether resources of the kind attach volumes.
func (a *Attachment) Is(gk schema.GroupKind) bool {
	f, service := familyOf(gk)
	return a != nil && f.Name == a.family && service+"/"+gk.Kind == a.kind
}

// An Instance says which instance a resource names, by an ID, a name or a selector. At most one of them is set.
type Instance struct {
	ID, Name string
	Selector object.Node
}

// InstanceOf returns the instance that the resource names, which attaches a volume to it. The status of the observed resource has the ID to
// which its provider has resolved a name or a selector. The spec doesn't count, since people may edit it. The result is zero if the resource names
// none yet.
func (a *Attachment) InstanceOf(desired, observed object.Object) Instance {
	if id := observed.Node().Field("status").Field("atProvider").Field(a.field).Text(); id != "" {
		return Instance{ID: id}
	}

	for _, part := range []string{"forProvider", "initProvider"} {
		fields := desired.Node().Field("spec").Field(part)

		switch name, selector := fields.Field(a.field+"Ref").Field("name").Text(), fields.Field(a.field+"Selector"); {
		case fields.Field(a.field).Text() != "":
			return Instance{ID: fields.Field(a.field).Text()}
		case name != "":
			return Instance{Name: name}
		case selector.IsObject():
			return Instance{Selector: selector}
		}
	}

	return Instance{}
}
