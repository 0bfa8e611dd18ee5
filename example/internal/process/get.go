package process

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// Get the text at a URL of a program.
func Get(ctx context.Context, client *http.Client, url string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return "", err
	}

	rsp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer rsp.Body.Close() //nolint:errcheck // It was read.

	text, err := io.ReadAll(rsp.Body)
	if err == nil && rsp.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s: %s", url, rsp.Status, text)
	}

	return string(text), err
}
