package live

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Counted starts a way to the API server that notes requests. It returns the file of a kubectl that goes this way, and a function that
// returns the requests since its last call, such as GET /apis. It ends with the test.
func (c Test) Counted() (kubeconfig string, requests func() []string) {
	c.T.Helper()

	to, err := url.Parse(c.config.Host)
	if err != nil {
		c.T.Fatal(err)
	}

	transport, err := rest.TransportFor(c.config) // It has the token.
	if err != nil {
		c.T.Fatal(err)
	}

	var (
		mu   sync.Mutex
		made []string
	)

	proxy := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)

		mu.Lock()
		defer mu.Unlock()

		made = append(made, r.In.Method+" "+r.In.URL.RequestURI())
	}}

	s := httptest.NewServer(http.Handler(proxy))
	c.T.Cleanup(s.Close)

	k := clientcmdapi.NewConfig()
	k.CurrentContext = "counted"
	k.Contexts["counted"] = &clientcmdapi.Context{Cluster: "counted", Namespace: "default"}
	k.Clusters["counted"] = &clientcmdapi.Cluster{Server: s.URL}

	kubeconfig = filepath.Join(c.T.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*k, kubeconfig); err != nil {
		c.T.Fatal(err)
	}

	return kubeconfig, func() []string {
		mu.Lock()
		defer mu.Unlock()

		out := made
		made = nil

		return out
	}
}
