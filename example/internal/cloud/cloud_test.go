package cloud

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTags leads the tags of a resource through calls of each cloud's API.
func TestTags(t *testing.T) {
	t.Parallel()

	const (
		arn = `"ResourceArn": "arn:aws:dynamodb:::table/orders"`
		url = `"QueueUrl": "http://x/0/jobs"`

		first  = "00000000-0000-0000-0000-000000000001"
		dc     = "/cloudapi/v6/datacenters/1/"
		server = dc + "servers/" + first

		tagging = "<Tagging><TagSet><Tag><Key>a:b/c</Key><Value>prod</Value></Tag></TagSet></Tagging>"
	)

	type step struct {
		// call is the method and the path, or what AWS calls the action.
		call, body string

		status int
		says   string
		want   Tags
	}

	cases := map[string]struct {
		reason string
		cloud  *Cloud
		name   string
		target string
		steps  []step
	}{
		"Hetzner": {
			reason: "Labels are replaced as a whole, and only those that are legal.",
			cloud:  Hetzner(), name: "office",
			steps: []step{
				{call: "POST /v1/networks", body: `{"name": "office", "labels": {"env": "prod", "a.io/b": ""}}`, status: 201, want: Tags{"env": "prod", "a.io/b": ""}},
				{call: "POST /v1/networks", body: `{"name": "office"}`, status: 409, says: "uniqueness_error", want: Tags{"env": "prod", "a.io/b": ""}},
				{call: "PUT /v1/networks/1", body: `{"labels": {"a:b": "c"}}`, status: 422, says: "invalid_input", want: Tags{"env": "prod", "a.io/b": ""}},
				{call: "PUT /v1/networks/1", body: `{"labels": {"env": "a b"}}`, status: 422, says: "invalid_input", want: Tags{"env": "prod", "a.io/b": ""}},
				{call: "PUT /v1/networks/1", body: `{"name": "office"}`, status: 200, says: `"prod"`, want: Tags{"env": "prod", "a.io/b": ""}},
				{call: "PUT /v1/networks/1", body: `{"labels": {"env": "test"}}`, status: 200, says: `"test"`, want: Tags{"env": "test"}},
				{call: "GET /v1/networks?name=office", status: 200, says: `"test"`, want: Tags{"env": "test"}},
				{call: "GET /v1/networks/1", status: 200, says: `"test"`, want: Tags{"env": "test"}},
				{call: "GET /v1/networks/2", status: 404, says: "not_found", want: Tags{"env": "test"}},
				{call: "GET /v1/servers", status: 404, says: "not_found", want: Tags{"env": "test"}},
				{call: "DELETE /v1/networks/1", status: 204},
			},
		},
		"IONOS": {
			reason: "Labels are made and deleted one by one, and their keys may have slashes.",
			cloud:  IONOS(), name: "web",
			steps: []step{
				{call: "POST " + dc + "servers", body: `{"properties": {"name": "web"}, "entities": {"volumes": {"items": [{"properties": {"size": 5}}]}}}`, status: 202, says: "RUNNING", want: Tags{}},
				{call: "GET /cloudapi/v6/requests/1/status", status: 200, says: "DONE", want: Tags{}},
				{call: "POST " + server + "/labels", body: `{"properties": {"key": "a:b/c", "value": "prod"}}`, status: 201, says: "a:b/c", want: Tags{"a:b/c": "prod"}},
				{call: "POST " + server + "/labels", body: `{"properties": {"key": "a:b/c", "value": "test"}}`, status: 422, says: "there already", want: Tags{"a:b/c": "prod"}},
				{call: "GET " + server + "/labels?depth=1", status: 200, says: `"prod"`, want: Tags{"a:b/c": "prod"}},
				{call: "PATCH " + server, body: `{"cores": 2}`, status: 202, says: `"cores":2`, want: Tags{"a:b/c": "prod"}},
				{call: "GET " + server + "?depth=4", status: 200, says: `"size":5`, want: Tags{"a:b/c": "prod"}},
				{call: "GET " + server + "/volumes/" + first, status: 200, says: `"size":5`, want: Tags{"a:b/c": "prod"}},
				{call: "DELETE " + server + "/labels/a:b%2Fc", status: 200, want: Tags{}},
				{call: "DELETE " + server + "/labels/a:b%2Fc", status: 404, says: "does not exist", want: Tags{}},
				{call: "GET " + dc + "servers/2", status: 404, says: "does not exist", want: Tags{}},
				{call: "GET /cloudapi/v6/images", status: 404, says: "no such path", want: Tags{}},
				{call: "DELETE " + dc + "volumes/" + first, status: 202, want: Tags{}},
				{call: "DELETE " + server, status: 202},
			},
		},
		"IONOS's buckets": {
			reason: "All tags are put at once.",
			cloud:  IONOS(), name: "pictures",
			steps: []step{
				{call: "HEAD /pictures", status: 404},
				{call: "PUT /pictures", body: "<CreateBucketConfiguration/>", status: 200, want: Tags{}},
				{call: "GET /pictures?location", status: 200, says: "eu-central-3", want: Tags{}},
				{call: "GET /pictures?object-lock", status: 404, want: Tags{}},
				{call: "GET /pictures?tagging", status: 404, want: Tags{}},
				{call: "PUT /pictures?tagging", body: tagging, status: 200, want: Tags{"a:b/c": "prod"}},
				{call: "PUT /pictures?tagging", body: "<Tagging>", status: 400, says: "EOF", want: Tags{"a:b/c": "prod"}},
				{call: "GET /pictures?tagging", status: 200, says: tagging, want: Tags{"a:b/c": "prod"}},
				{call: "DELETE /pictures?tagging", status: 200, want: Tags{}},
				{call: "DELETE /pictures", status: 200},
			},
		},
		"DynamoDB": {
			reason: "Tags are added and taken away by their keys.",
			cloud:  DynamoDB(), name: "orders", target: "DynamoDB_20120810.",
			steps: []step{
				{call: "DescribeTable", body: `{"TableName": "orders"}`, status: 400, says: "ResourceNotFoundException"},
				{call: "CreateTable", body: `{"TableName": "orders", "Tags": [{"Key": "env", "Value": "prod"}]}`, status: 200, says: "ACTIVE", want: Tags{"env": "prod"}},
				{call: "TagResource", body: `{` + arn + `, "Tags": [{"Key": "owner", "Value": "a"}]}`, status: 200, want: Tags{"env": "prod", "owner": "a"}},
				{call: "ListTagsOfResource", body: `{` + arn + `}`, status: 200, says: `"Key":"owner"`, want: Tags{"env": "prod", "owner": "a"}},
				{call: "UntagResource", body: `{` + arn + `, "TagKeys": ["env"]}`, status: 200, want: Tags{"owner": "a"}},
				{call: "DeleteTable", body: `{"TableName": "orders"}`, status: 200},
			},
		},
		"SQS": {
			reason: "As with tables, and a queue has no more than 50.",
			cloud:  SQS(), name: "jobs", target: "AmazonSQS.",
			steps: []step{
				{call: "GetQueueUrl", body: `{"QueueName": "jobs"}`, status: 400, says: "QueueDoesNotExist"},
				{call: "CreateQueue", body: `{"QueueName": "jobs", "tags": {"env": "prod"}}`, status: 200, says: "/jobs", want: Tags{"env": "prod"}},
				{call: "TagQueue", body: `{` + url + `, "Tags": {"owner": "a"}}`, status: 200, want: Tags{"env": "prod", "owner": "a"}},
				{call: "TagQueue", body: `{` + url + `, "Tags": {` + fifty() + `}}`, status: 400, says: "too many tags", want: Tags{"env": "prod", "owner": "a"}},
				{call: "UntagQueue", body: `{` + url + `, "TagKeys": ["env"]}`, status: 200, want: Tags{"owner": "a"}},
				{call: "ListQueueTags", body: `{` + url + `}`, status: 200, says: `"owner":"a"`, want: Tags{"owner": "a"}},
				{call: "DeleteQueue", body: `{` + url + `}`, status: 200},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			for _, s := range tc.steps {
				method, path, isPath := strings.Cut(s.call, " ")
				if !isPath {
					method, path = http.MethodPost, "/"
				}

				req := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(s.body))
				if !isPath {
					req.Header.Set("X-Amz-Target", tc.target+s.call)
				}

				w := httptest.NewRecorder()
				tc.cloud.ServeHTTP(w, req)

				says, err := io.ReadAll(w.Body)
				if err != nil {
					t.Fatal(err)
				}

				if w.Code != s.status || !strings.Contains(string(says), s.says) {
					t.Errorf("%s\n%s %s: want %d and %q, got %d and %s", tc.reason, s.call, s.body, s.status, s.says, w.Code, says)
				}

				if diff := cmp.Diff(s.want, tc.cloud.Tags(tc.name)); diff != "" {
					t.Errorf("%s\n%s %s: tags: -want, +got:\n%s", tc.reason, s.call, s.body, diff)
				}
			}
		})
	}
}

// fifty tags, in JSON.
func fifty() string {
	tags := make([]string, 50)
	for i := range tags {
		tags[i] = `"n` + strings.Repeat("n", i) + `": "x"`
	}

	return strings.Join(tags, ", ")
}

// TestWrites proves that a cloud lists calls with changes, and their callers. It counts all others.
func TestWrites(t *testing.T) {
	t.Parallel()

	c := Hetzner()

	for _, call := range []struct{ method, path, body string }{
		{http.MethodPost, "/v1/networks", `{"name": "office"}`},
		{http.MethodGet, "/v1/networks/1", ""},
	} {
		req := httptest.NewRequestWithContext(t.Context(), call.method, call.path, strings.NewReader(call.body))
		req.Header.Set("User-Agent", "controller/1 (linux)")
		c.ServeHTTP(httptest.NewRecorder(), req)
	}

	c.Edit(func(tags Tags) { tags["backup"] = "daily" })

	if writes := c.Writes(); len(writes) != 1 || !strings.HasSuffix(writes[0], ` controller/1: POST /v1/networks {"name": "office"}: 201`) {
		t.Errorf("Writes(): want the call that made a network, got %q", writes)
	}

	if got := c.Reads(); got != 1 {
		t.Errorf("Reads(): want 1, got %d", got)
	}

	if diff := cmp.Diff(Tags{"backup": "daily"}, c.Tags("office")); diff != "" {
		t.Errorf("Tags(): -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff([]string{"office"}, c.Names()); diff != "" {
		t.Errorf("Names(): -want, +got:\n%s", diff)
	}
}
