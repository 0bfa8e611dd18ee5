package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// TestNewestConnections proves that the newest connections without TLS stay open, and no others. So nobody is kept out.
func TestNewestConnections(t *testing.T) {
	address := freeAddress(t)
	start(t, &Command{Insecure: true, MaxRecvMessageSize: 4, HealthAddress: address, New: fake{}.make})

	if _, err := probe(t, address, ready); err != nil { // It listens.
		t.Fatal(err)
	}

	var conns []net.Conn

	for range maxPlain + 1 {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}

		t.Cleanup(func() { _ = conn.Close() })

		conns = append(conns, conn)
	}

	for i, conn := range conns {
		isOpen := i > 0
		wait := 10 * time.Second

		if isOpen {
			wait = 10 * time.Millisecond
		}

		_ = conn.SetReadDeadline(time.Now().Add(wait))

		_, err := io.Copy(io.Discard, conn) // The server greets who connects.
		if got := errors.Is(err, os.ErrDeadlineExceeded); got != isOpen {
			t.Errorf("connection %d of %d: want it to be open: %t, got %v", i, len(conns), isOpen, err)
		}
	}

	if got, err := probe(t, address, alive); err != nil {
		t.Errorf("Check(...): want an answer, though others hold all connections, got %s, %v", got, err)
	}
}

// TestUnreadMetrics has clients that ask for metrics again and again, and never read them. Others are turned away meanwhile, but not for
// longer than a scrape may take.
func TestUnreadMetrics(t *testing.T) {
	t.Parallel()

	address := freeAddress(t)
	start(t, &Command{Insecure: true, MaxRecvMessageSize: 4, MetricsAddress: address, New: fake{}.make})

	requests := bytes.Repeat([]byte("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"), 1000)

	for range 2 * maxScrapes {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}

		t.Cleanup(func() { _ = conn.Close() })

		_ = conn.(*net.TCPConn).SetReadBuffer(maxUnread) //nolint:forcetypeassert // It is one.

		go func() {
			for err == nil {
				_, err = conn.Write(requests)
			}
		}()
	}

	for _, want := range []int{http.StatusServiceUnavailable, http.StatusOK} {
		if err := eventually(2*scrapeTimeout, func() error { return scrapes(t, address, want) }); err != nil {
			t.Error(err)
		}
	}
}

// eventually calls objection until it returns nil, or for the time.
func eventually(timeout time.Duration, objection func() error) error {
	for end := time.Now().Add(timeout); ; time.Sleep(10 * time.Millisecond) {
		if err := objection(); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// scrapes returns an error unless a scrape has the status.
func scrapes(t *testing.T, address string, want int) error {
	t.Helper()

	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}

	rsp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = rsp.Body.Close() }()

	if rsp.StatusCode != want {
		return fmt.Errorf("GET /metrics: want the status %d, got %s", want, rsp.Status)
	}

	return nil
}
