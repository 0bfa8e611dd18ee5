package profile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plexsphere/function-cloud-tags/tags/profile"
)

// TestRefuserOf checks tags that the contract admits against the limits of APIs.
func TestRefuserOf(t *testing.T) {
	const (
		key    = "plexsphere:platform/env"
		hcloud = "server.hcloud.crossplane.io"
		nova   = "compute.openstack.m.crossplane.io"
		s3     = "s3.aws.m.upbound.io"
	)

	for _, tc := range []struct {
		reason, provider, group, kind, key, value string

		want profile.SkipReason
	}{
		{"Hetzner Cloud refuses a colon.", "hetzner", hcloud, "Server", key, "prod", profile.KeyCharacterClass},
		{"The provider matches without case.", "Hetzner", "", "", key, "prod", profile.KeyCharacterClass},
		{"Hetzner Cloud admits a slash.", "hetzner", hcloud, "Server", "platform/env", "prod", ""},
		{"Hetzner Cloud refuses a value that ends in a dash.", "hetzner", hcloud, "Server", "platform/env", "prod-", profile.ValueCharacterClass},
		{"Hetzner Cloud keeps a prefix to itself.", "hetzner", hcloud, "Server", "hetzner.cloud/env", "prod", profile.ReservedPrefix},
		{"A prefix is only reserved where a key begins.", "hetzner", hcloud, "Server", "x-hetzner.cloud/env", "prod", ""},
		{"Nova refuses a slash.", "openstack", nova, "InstanceV2", key, "prod", profile.KeyCharacterClass},
		{"Nova admits any value.", "openstack", nova, "InstanceV2", "env", "a/b", ""},
		{"Cinder admits a slash.", "openstack", "blockstorage.openstack.crossplane.io", "VolumeV3", key, "prod", ""},
		{"Cinder refuses letters beyond ASCII.", "openstack", "blockstorage.openstack.crossplane.io", "VolumeV3", "größe", "prod", profile.KeyCharacterClass},
		{"Keystone refuses a slash.", "openstack", "identity.openstack.crossplane.io", "ProjectV3", key, "prod", profile.KeyCharacterClass},
		{"Neutron admits a slash, though it is unwise.", "openstack", "networking.openstack.crossplane.io", "NetworkV2", key, "a,b", ""},
		{"S3 refuses a comma.", "aws", s3, "Bucket", key, "a,b", profile.ValueCharacterClass},
		{"So it does for a provider that was before.", "aws", "s3.aws.crossplane.io", "Bucket", key, "(a)", profile.ValueCharacterClass},
		{"So it does for AWS's own controller.", "aws", "s3.services.k8s.aws", "Bucket", key, "a&b", profile.ValueCharacterClass},
		{"S3 admits what is in keys.", "aws", s3, "Bucket", key, "a b@c:d/é", ""},
		{"S3 refuses a comma in objects, too.", "aws", s3, "Object", key, "a,b", profile.ValueCharacterClass},
		{"RDS keeps a prefix to itself.", "aws", "rds.aws.m.upbound.io", "Instance", "RDS:env", "prod", profile.ReservedPrefix},
		{"RDS refuses a comma.", "aws", "rds.aws.m.upbound.io", "Instance", key, "a,b", profile.ValueCharacterClass},
		{"RDS has had another API group.", "aws", "database.aws.crossplane.io", "RDSInstance", "rds:env", "prod", profile.ReservedPrefix},
		{"CodeBuild has shorter keys.", "aws", "codebuild.aws.m.upbound.io", "Project", strings.Repeat("k", 128), "prod", profile.KeyTooLong},
		{"CloudTrail refuses an empty value.", "aws", "cloudtrail.aws.m.upbound.io", "Trail", key, "", profile.ValueCharacterClass},
		{"GuardDuty refuses a key with a space.", "aws", "guardduty.aws.m.upbound.io", "Detector", "Team Name", "prod", profile.KeyCharacterClass},
		{"GuardDuty refuses a key beyond ASCII.", "aws", "guardduty.services.k8s.aws", "Detector", "größe", "prod", profile.KeyCharacterClass},
		{"Its + to = has digits and a comma.", "aws", "guardduty.aws.m.upbound.io", "Detector", "a+1=b", "ab", ""},
		{"EC2 admits any value.", "aws", "ec2.aws.m.upbound.io", "VPC", key, "a,b", ""},
		{"SQS has no pattern, so it has the characters that all services share.", "aws", "sqs.aws.m.upbound.io", "Queue", key, "a,b", profile.ValueCharacterClass},
		{"These characters have all letters, digits and some signs.", "aws", "sqs.aws.m.upbound.io", "Queue", key, "é ٣ +-=._:/@", ""},
		{"So does KMS.", "aws", "kms.aws.m.upbound.io", "Key", "Owner", "My & My Team", profile.ValueCharacterClass},
		{"FIS has a pattern that admits all.", "aws", "fis.aws.m.upbound.io", "ExperimentTemplate", key, "a,b", ""},
		{"EMR's document says more.", "aws", "emr.aws.m.upbound.io", "Cluster", key, "a\tb", ""},
		{"ECS keeps values to itself, too.", "aws", "ecs.aws.m.upbound.io", "Cluster", "sse", "aws:kms", profile.ReservedPrefix},
		{"Their case doesn't count.", "aws", "ecs.services.k8s.aws", "Cluster", "sse", "AWS:kms", profile.ReservedPrefix},
		{"Only a value that begins so is reserved.", "aws", "ecs.aws.m.upbound.io", "Cluster", "sse", "x-aws:kms", ""},
		{"S3 has no such values.", "aws", s3, "Bucket", "sse", "aws:kms", ""},
		{"RDS has another prefix of values, too.", "aws", "rds.aws.m.upbound.io", "Instance", "sse", "rds:snap", profile.ReservedPrefix},
		{"So does DMS.", "aws", "dms.aws.m.upbound.io", "Endpoint", "sse", "dms:x", profile.ReservedPrefix},
		{"So does IAM, for roles, too.", "aws", "iam.aws.m.upbound.io", "Role", "sse", "aws:kms", profile.ReservedPrefix},
		{"So do load balancers of the controller.", "aws", "networking.k8s.io", "Ingress", "sse", "aws:kms", profile.ReservedPrefix},
		{"Elastic Beanstalk keeps a prefix of keys to itself.", "aws", "elasticbeanstalk.aws.m.upbound.io", "Application", "elasticbeanstalk:x", "prod", profile.ReservedPrefix},
		{"CodeStar Notifications keeps keys to itself that begin with aws.", "aws", "codestarnotifications.aws.m.upbound.io", "NotificationRule", "awsx", "prod", profile.ReservedPrefix},
		{"Azure's rules are in no contract: they skip the value null.", "azure", "storage.azure.m.upbound.io", "Account", "owner", "null", profile.ReservedPrefix},
		{"The group of another cloud is none of the services.", "azure", s3, "Bucket", key, "a,b", ""},
		{"Traffic Manager refuses a colon.", "azure", "network.azure.m.upbound.io", "TrafficManagerProfile", "plexsphere:env", "prod", profile.KeyCharacterClass},
		{"Storage accounts have shorter names.", "azure", "storage.azure.m.upbound.io", "Account", strings.Repeat("k", 129), "prod", profile.KeyTooLong},
		{"Other kinds don't.", "azure", "compute.azure.m.upbound.io", "Disk", strings.Repeat("k", 129), "prod", ""},
		{"The profile of Google Cloud is what its API admits.", "gcp", "storage.gcp.m.upbound.io", "Bucket", key, "Prod", ""},
		{"What is unknown refuses nothing.", "no-such-cloud", "example.org", "Thing", key, "a,b", ""},
		{"A limit that holds by any rules is no news.", "aws", "controlplane.cluster.x-k8s.io", "AWSManagedControlPlane", key, "a,b", ""},
	} {
		p := profile.Rules("").APIProfileOf(tc.provider, tc.group, tc.kind)

		var got profile.SkipReason
		if p != nil {
			got = p.Check(tc.key, tc.key, tc.value)
		}

		if got != tc.want {
			t.Errorf("\n%s\nRefuserOf(%s, %s, %s): want %q for %s: %s, got %q", tc.reason, tc.provider, tc.group, tc.kind, tc.want, tc.key, tc.value, got)
		}

		if q := profile.Contract.APIProfileOf(tc.provider, tc.group, tc.kind); p != q {
			t.Errorf("\nThe contract's rules admit the same whether they are written out or not.\nRefuserOf(%s, %s, %s): want %v, got %v", tc.provider, tc.group, tc.kind, p, q)
		}

		if profile.Cloud.APIProfileOf(tc.provider, tc.group, tc.kind) != nil || profile.Cloud.RefusingAPIs(tc.provider) != nil {
			t.Errorf("\nA cloud refuses nothing that its own rules admit.\nRefuserOf(%s, %s, %s): want none", tc.provider, tc.group, tc.kind)
		}
	}
}

// TestRulesLeftOut shows that the zero Rules choose the contract's profile for each provider and kind.
func TestRulesLeftOut(t *testing.T) {
	for _, provider := range append(profile.Names(), "no-such-cloud") {
		for _, group := range []string{"", "s3.aws.m.upbound.io", "compute.openstack.m.crossplane.io", "storage.azure.com", "compute.cnrm.cloud.google.com"} {
			for _, kind := range []string{"", "Object", "InstanceV2", "StorageAccount"} {
				if got, want := profile.Rules("").ProfileOf(provider, group, kind), profile.Contract.ProfileOf(provider, group, kind); got != want {
					t.Errorf("ProfileOf(%s, %s, %s): want the contract's profile, got %+v", provider, group, kind, got)
				}

				// A refuser has the name of its cloud.
				if p := profile.Rules("").APIProfileOf(provider, group, kind); p != nil && p.Name != profile.Of(provider).Name {
					t.Errorf("APIProfileOf(%s, %s, %s): got the profile %s", provider, group, kind, p.Name)
				}
			}
		}
	}
}

func TestRefusersOf(t *testing.T) {
	got := make(map[string]string)

	for _, provider := range append(profile.Names(), "no-such-cloud") {
		var services []string
		for _, r := range profile.Rules("").RefusingAPIs(provider) {
			services = append(services, r.Service)
		}

		// README.md has all services of AWS.
		if provider == "aws" {
			services = services[:2]
		}

		if services != nil {
			got[provider] = strings.Join(services, "; ")
		}
	}

	want := map[string]string{
		"aws":       "load-balancer-controller; accessanalyzer, athena, backup, lightsail, s3, sfn, swf, vpclattice",
		"azure":     "storage; traffic-manager; front-door; cdn; dns; automation, cdn, keyvault, operationalinsights",
		"hetzner":   "",
		"openstack": "compute; blockstorage; identity",
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nThe clouds whose APIs refuse what the contract admits should be known, with their services.\nRefusersOf(...): -want, +got:\n%s", diff)
	}
}
