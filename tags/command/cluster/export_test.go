package cluster

import (
	"context"
	"net/http"
	"strings"
)

// Passes reports whether the proxy passes the request, such as GET /apis.
func (c *Cluster) Passes(ctx context.Context, request string) (bool, error) {
	method, path, _ := strings.Cut(request, " ")

	req, err := http.NewRequestWithContext(ctx, method, "http://localhost"+path, http.NoBody)
	if err != nil {
		return false, err
	}

	rsp, err := c.http.Do(req)
	if err != nil {
		return false, err
	}

	return rsp.StatusCode != http.StatusForbidden, rsp.Body.Close()
}
