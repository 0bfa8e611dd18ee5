package field

// ack is AWS Controllers for Kubernetes, aws-controllers-k8s/<service>-controller. A controller
// adds tags of its own at AWS: see --resource-tags in pkg/config/config.go of
// aws-controllers-k8s/runtime. It leaves those keys out of comparisons, but before runtime v0.60
// they got into the spec with the next change. Some controllers don't look at tags of what is
// there: these stay as they were created, which does no harm. spec.tags has all tags of a resource: the
// controller takes other tags off at AWS. Few kinds report the tags that AWS has.
//
// Not tags of the resource itself: tagSpecifications of a LaunchTemplate and of an ECS Service,
// recoveryPointTags, resourceTags of a RepositoryCreationTemplate, tags of ecsParameters,
// ecsTaskParameters and managedVPCResource (of what the resource makes); and.tags of a
// Bucket's rules and listOfTags of a BackupSelection (filters); labels (of Kubernetes
// nodes, of Pods, and of Docker); userPoolTags, which are sent at creation only, whereas a UserPool's
// tags are kept in step.
var ack = native("ack", "aws", at(".spec.tags", ".status.tagList").as(Map, KeyValueList)).
	adding(anyField, "services.k8s.aws/controller-version", "services.k8s.aws/namespace", "app.kubernetes.io/managed-by", "kro.run/kro-version").
	kind("s3/Bucket", at(".spec.tagging.tagSet").as(KeyValueList)).
	kind("networkfirewall/Firewall", at(".spec.tags", ".status.firewall.tags").as(KeyValueList)).
	kind("networkfirewall/FirewallPolicy", at(".spec.tags", ".status.firewallPolicyResponse.tags").as(KeyValueList)).
	kind("networkfirewall/RuleGroup", at(".spec.tags", ".status.ruleGroupResponse.tags").as(KeyValueList)).
	// Crossplane would write our tags into the spec again, for ever.
	kind("apigatewayv2/DomainName apigatewayv2/Stage apigatewayv2/VPCLink ecs/Service ssm/Document",
		at(".spec.tags").as(Map, KeyValueList).request("the controller never sends a later change, and writes the tags of AWS into the spec instead")).
	kind("apigatewayv2/API mq/Broker", at(".spec.tags").as(Map, KeyValueList).request("a later change is never sent, but tried again each time")).
	kind("ssm/Parameter", at(".spec.tags").as(Map, KeyValueList).request("a later change is sent along with Overwrite, which AWS refuses with tags")).
	kind("sagemaker/ModelPackage", at(".spec.tags").as(Map, KeyValueList).request("AWS refuses to create one with both tags and a group")).
	kind("eks/IdentityProviderConfig emrcontainers/JobRun", at(".spec.tags").as(Map).once(refusedByRule)).
	kind("elasticsearchservice/ElasticsearchDomain", at(".spec.tagList").as(KeyValueList).request("its controller was left in 2021 without any update"))
