package load

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// services are kinds of 20 services of AWS, with the first words of their API groups. All have room for 20 labels.
var services = [][2]string{
	{"acm", "Certificate"},
	{"amplify", "App"},
	{"cloudtrail", "Trail"},
	{"codebuild", "Project"},
	{"docdb", "Cluster"},
	{"dynamodb", "Table"},
	{"ec2", "VPC"},
	{"ecs", "Cluster"},
	{"eks", "Cluster"},
	{"guardduty", "Detector"},
	{"iam", "Role"},
	{"kms", "Key"},
	{"lambda", "Function"},
	{"rds", "Instance"},
	{"s3", "Bucket"},
	{"sagemaker", "App"},
	{"sns", "Topic"},
	{"sqs", "Queue"},
	{"workspaces", "Directory"},
	{"xray", "Group"},
}

// Services returns a settled request with so many resources of 20 services of AWS in turn, and with so many labels of the
// composite resource, by the rules.
func Services(rules profile.Rules, resources, labels int, function Function) (*fnv1.RunFunctionRequest, error) {
	req := request(resources, labels)
	req.Input.Fields["profileRules"] = structpb.NewStringValue(string(rules))

	for i, name := range slices.Sorted(maps.Keys(req.GetDesired().GetResources())) {
		service := services[i%len(services)]

		for _, r := range []*fnv1.Resource{req.GetDesired().GetResources()[name], req.GetObserved().GetResources()[name]} {
			r.Resource.Fields["apiVersion"] = structpb.NewStringValue(fmt.Sprintf("%s.aws.upbound.io/v1beta1", service[0]))
			r.Resource.Fields["kind"] = structpb.NewStringValue(service[1])
		}
	}

	return tagged(req, Settled, labels, function)
}
