package cloud

import (
	"maps"
	"net/http"
	"strings"
)

// awsMost is how many tags a resource of AWS may have.
const awsMost = 50

// account is the only one that there is in AWS here.
const account = "000000000000"

// callerIdentity is the answer of STS to each caller.
const callerIdentity = `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>` +
	`<Arn>arn:aws:iam::` + account + `:user/controller</Arn><UserId>controller</UserId><Account>` + account + `</Account>` +
	`</GetCallerIdentityResult></GetCallerIdentityResponse>`

// DynamoDB has tables: see docs.aws.amazon.com/amazondynamodb/latest/APIReference.
func DynamoDB() *Cloud { return newCloud(dynamoDB) }

func dynamoDB(c *Cloud, in *call) reply {
	name := in.text("TableName")
	if arn := in.text("ResourceArn"); arn != "" {
		_, name, _ = strings.Cut(arn, "/")
	}

	table := c.resources[name]

	switch {
	case in.action == "GetCallerIdentity":
		return reply{status: http.StatusOK, body: callerIdentity, header: map[string]string{"Content-Type": "text/xml"}}
	case in.action == "CreateTable" && table == nil:
		return c.create(name, keysAndValues(in.body["Tags"]), tableOf(name, in.body), func(r *resource) any {
			return object{"TableDescription": r.says}
		})
	case table == nil:
		return awsRefuses("com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "there is no table "+name)
	}

	switch in.action {
	case "DescribeTable":
		return found(object{"Table": table.says})
	case "DeleteTable":
		delete(c.resources, name)
		return found(object{"TableDescription": table.says})
	case "ListTagsOfResource":
		list := array{}
		for key, value := range table.tags {
			list = append(list, object{"Key": key, "Value": value})
		}

		return found(object{"Tags": list})
	case "TagResource":
		return table.tag(keysAndValues(in.body["Tags"]))
	case "UntagResource":
		return table.untag(in.body["TagKeys"])
	case "DescribeTimeToLive":
		return found(object{"TimeToLiveDescription": object{"TimeToLiveStatus": "DISABLED"}})
	case "DescribeContinuousBackups":
		return found(object{"ContinuousBackupsDescription": object{
			"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": object{"PointInTimeRecoveryStatus": "DISABLED"},
		}})
	case "DescribeContributorInsights":
		return found(object{"TableName": name, "ContributorInsightsStatus": "DISABLED"})
	case "GetResourcePolicy":
		return awsRefuses("com.amazonaws.dynamodb.v20120810#PolicyNotFoundException", "there is no policy")
	default:
		return awsRefuses("com.amazonaws.dynamodb.v20120810#UnknownOperationException", in.action)
	}
}

// tableOf returns the description by DynamoDB of a table, from the request to make it.
func tableOf(name string, asked object) object {
	return object{
		"TableName": name, "TableArn": "arn:aws:dynamodb:us-east-1:" + account + ":table/" + name, "TableStatus": "ACTIVE",
		"AttributeDefinitions": asked["AttributeDefinitions"], "KeySchema": asked["KeySchema"],
		"BillingModeSummary":        object{"BillingMode": asked["BillingMode"]},
		"ProvisionedThroughput":     object{"NumberOfDecreasesToday": 0, "ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
		"DeletionProtectionEnabled": false, "CreationDateTime": 1767225600, "ItemCount": 0, "TableSizeBytes": 0,
	}
}

// SQS has queues: see docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference.
func SQS() *Cloud { return newCloud(sqs) }

func sqs(c *Cloud, in *call) reply {
	name := in.text("QueueName")
	if at := in.text("QueueUrl"); at != "" {
		name = at[strings.LastIndex(at, "/")+1:]
	}

	var (
		queue = c.resources[name]
		at    = object{"QueueUrl": "http://" + in.host + "/" + account + "/" + name}
	)

	switch {
	case in.action == "CreateQueue" && queue == nil:
		return c.create(name, tagsIn(in.body["tags"]), queueOf(name, in.body), func(*resource) any { return at })
	case queue == nil:
		out := awsRefuses("com.amazonaws.sqs#QueueDoesNotExist", "there is no queue "+name)
		out.header = map[string]string{"X-Amzn-Query-Error": "AWS.SimpleQueueService.NonExistentQueue;Sender"}

		return out
	}

	switch in.action {
	case "GetQueueUrl":
		return found(at)
	case "GetQueueAttributes":
		return found(object{"Attributes": queue.says})
	case "SetQueueAttributes":
		attributes, _ := in.body["Attributes"].(object)
		maps.Copy(queue.says, attributes)

		return found(object{})
	case "ListQueueTags":
		return found(object{"Tags": queue.tags})
	case "TagQueue":
		return queue.tag(tagsIn(in.body["Tags"]))
	case "UntagQueue":
		return queue.untag(in.body["TagKeys"])
	case "DeleteQueue":
		delete(c.resources, name)
		return found(object{})
	default:
		return awsRefuses("com.amazonaws.sqs#UnsupportedOperation", in.action)
	}
}

// queueOf are the attributes of a queue that SQS was asked to make.
func queueOf(name string, asked object) object {
	out := object{
		"QueueArn": "arn:aws:sqs:us-east-1:" + account + ":" + name, "VisibilityTimeout": "30", "DelaySeconds": "0", "MaximumMessageSize": "262144",
		"MessageRetentionPeriod": "345600", "ReceiveMessageWaitTimeSeconds": "0", "SqsManagedSseEnabled": "true",
	}

	attributes, _ := asked["Attributes"].(object)
	maps.Copy(out, attributes)

	return out
}

// create a resource with tags, if these aren't too many.
func (c *Cloud) create(name string, tags Tags, says object, answer func(*resource) any) reply {
	r := &resource{tags: Tags{}, says: says}

	out := r.tag(tags)
	if out.status == http.StatusOK {
		c.resources[name], out = r, found(answer(r))
	}

	return out
}

// tag a resource, unless it would have too many tags.
func (r *resource) tag(with Tags) reply {
	tags := maps.Clone(r.tags)
	maps.Copy(tags, with)

	if len(tags) > awsMost {
		return awsRefuses("ValidationException", "too many tags")
	}

	r.tags = tags

	return found(object{})
}

// untag a resource: take away the tags of a list of keys.
func (r *resource) untag(keys any) reply {
	list, _ := keys.(array)
	for _, key := range list {
		key, _ := key.(string)
		delete(r.tags, key)
	}

	return found(object{})
}

// keysAndValues returns the tags of a list of AWS: [{"Key": "env", "Value": "prod"}].
func keysAndValues(body any) Tags {
	out := Tags{}

	list, _ := body.(array)
	for _, tag := range list {
		tag, _ := tag.(object)
		key, _ := tag["Key"].(string)
		out[key], _ = tag["Value"].(string)
	}

	return out
}

func found(body any) reply { return reply{status: http.StatusOK, body: body} }

func awsRefuses(kind, message string) reply {
	return reply{status: http.StatusBadRequest, body: object{"__type": kind, "message": message}}
}
