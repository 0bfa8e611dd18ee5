package field

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/plexsphere/function-cloud-tags/tags"
)

// services are the kinds that admit less than the rest of their clouds do, by API
// group and kind, in both of which a * matches any run of characters. The first
// that matches wins.
var services = []struct{ group, kind, service string }{
	{"s3.aws.*", "BucketObject", tags.ServiceS3Object},
	{"s3.aws.*", "Object", tags.ServiceS3Object},
	{"s3.aws.*", "ObjectCopy", tags.ServiceS3Object},
	{"rds.aws.*", "*", tags.ServiceRDS},
	{"neptune.aws.*", "*", tags.ServiceRDS},

	{"compute.openstack.*", "InstanceV2", tags.ServiceNova},
	{"blockstorage.openstack.*", "Volume*", tags.ServiceCinder},
	{"identity.openstack.*", "ProjectV3", tags.ServiceKeystone},

	{"storage.azure.*", "Account", tags.ServiceStorageAccount},
	{"network.azure.*", "TrafficManagerProfile", tags.ServiceTrafficManager},
	{"network.azure.*", "FrontDoor*", tags.ServiceFrontDoor},
	{"network.azure.*", "FrontdoorFirewallPolicy", tags.ServiceFrontDoor},
	{"network.azure.*", "DNS*", tags.ServiceDNS},
	{"network.azure.*", "PrivateDNS*", tags.ServiceDNS},
	{"cdn.azure.*", "Frontdoor*", tags.ServiceFrontDoor},
	{"cdn.azure.*", "*", tags.ServiceFifteenTags},
	{"automation.azure.*", "*", tags.ServiceFifteenTags},
	{"keyvault.azure.*", "Certificate", tags.ServiceFifteenTags},
	{"keyvault.azure.*", "Key", tags.ServiceFifteenTags},
	{"keyvault.azure.*", "Secret", tags.ServiceFifteenTags},
	{"operationalinsights.azure.*", "LogAnalyticsSavedSearch", tags.ServiceFifteenTags},
}

// ServiceOf returns what the rules of tag profiles call the service that the
// supplied kind belongs to, if it admits less than the rest of its cloud does. That
// is what dialects of the clouds' own rules differ by.
func ServiceOf(k schema.GroupVersionKind) string {
	if !strings.Contains(k.Group, ".") {
		return ""
	}

	for _, s := range services {
		if tags.NewPattern(s.group).Matches(k.Group) && tags.NewPattern(s.kind).Matches(k.Kind) {
			return s.service
		}
	}

	return ""
}
