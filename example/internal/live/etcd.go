package live

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// An etcd is called by its gateway for JSON, without a client of gRPC: see
// etcd.io/docs/v3.6/dev-guide/api_grpc_gateway.
type etcd struct {
	url    string
	client *http.Client
}

// etcdAt returns the etcd that listens at a socket.
func etcdAt(socket string) etcd {
	return etcd{url: "http://etcd", client: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", strings.TrimPrefix(socket, "unix://"))
		},
	}}}
}

// A keyRange is all keys with a prefix.
type keyRange struct {
	Key      []byte `json:"key"`
	RangeEnd []byte `json:"range_end"` //nolint:tagliatelle // As etcd has it, like all below.

	KeysOnly      bool  `json:"keys_only,omitempty"`             //nolint:tagliatelle // As above.
	StartRevision int64 `json:"start_revision,string,omitempty"` //nolint:tagliatelle // As above.
}

func withPrefix(prefix string) keyRange {
	end := []byte(prefix)
	end[len(end)-1]++

	return keyRange{Key: []byte(prefix), RangeEnd: end}
}

// A keyValue is what is stored at a key.
type keyValue struct {
	Key   []byte `json:"key"`
	Value []byte `json:"value"`

	// ModRevision is the revision of the last write. Version counts the writes since the key was made.
	ModRevision int64 `json:"mod_revision,string"` //nolint:tagliatelle // As above.
	Version     int64 `json:"version,string"`
}

type revision struct {
	Revision int64 `json:"revision,string"`
}

// list returns the stored keys and values, and their revision.
func (e etcd) list(ctx context.Context, keys keyRange) ([]keyValue, int64, error) {
	body, err := e.post(ctx, "/v3/kv/range", keys)
	if err != nil {
		return nil, 0, err
	}
	defer body.Close() //nolint:errcheck // It was read.

	var out struct {
		Header revision   `json:"header"`
		KVs    []keyValue `json:"kvs"`
	}

	err = json.NewDecoder(body).Decode(&out)

	return out.KVs, out.Header.Revision, err
}

// deleted is the type of an event after which a key is gone.
const deleted = "DELETE"

// An etcdEvent is a write of a key.
type etcdEvent struct {
	Type string   `json:"type"` // deleted, or nothing.
	KV   keyValue `json:"kv"`
}

// errCompacted says that etcd has compacted the revision, and doesn't have its writes any more.
var errCompacted = errors.New("etcd has forgotten writes")

// watch calls see for all writes since a revision, in their order, until there is an error.
func (e etcd) watch(ctx context.Context, keys keyRange, see func(etcdEvent)) error {
	body, err := e.post(ctx, "/v3/watch", map[string]any{"create_request": keys})
	if err != nil {
		return err
	}
	defer body.Close() //nolint:errcheck // It was read.

	for d := json.NewDecoder(body); ; {
		var out struct {
			Result struct {
				Canceled  bool        `json:"canceled"`
				Reason    string      `json:"cancel_reason"`           //nolint:tagliatelle // As above.
				Compacted int64       `json:"compact_revision,string"` //nolint:tagliatelle // As above.
				Events    []etcdEvent `json:"events"`
			} `json:"result"`
			Error *struct {
				Message string `json:"message"`
			} `json:"error"`
		}

		switch err := d.Decode(&out); {
		case err != nil:
			return err
		case out.Error != nil:
			return errors.New(out.Error.Message)
		case out.Result.Compacted > 0:
			return fmt.Errorf("%w from revision %d to %d", errCompacted, keys.StartRevision, out.Result.Compacted)
		case out.Result.Canceled:
			return errors.New(out.Result.Reason)
		}

		for _, event := range out.Result.Events {
			see(event)
		}
	}
}

func (e etcd) post(ctx context.Context, path string, request any) (io.ReadCloser, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}

	rsp, err := e.client.Do(req)
	if err != nil {
		return nil, err
	}

	if rsp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(rsp.Body)
		_ = rsp.Body.Close()

		return nil, fmt.Errorf("POST %s: %s: %s", path, rsp.Status, text)
	}

	return rsp.Body, nil
}
