package serve

import (
	"context"
	"net"
	"slices"
	"sync"

	"github.com/crossplane/function-sdk-go/errors"
)

// Limits of a port without TLS: how many connections are open at once, and how many bytes of answers that a client doesn't read the
// system keeps for each. Linux would keep 4 MB, which count as memory of the container.
const (
	maxPlain  = 64
	maxUnread = 64 << 10
)

// listenPlain listens at an address that anybody in the network may reach, for connections of such things as metrics. Only the
// newest connections stay open. So who opens thousands takes little memory, and keeps neither a scrape nor a probe from being
// answered: each is a new connection, and short.
func listenPlain(ctx context.Context, things, address string) (net.Listener, error) {
	lis, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, errors.Wrapf(err, "cannot listen for %s connections at address %q", things, address)
	}

	return &plainListener{Listener: lis}, nil
}

type plainListener struct {
	net.Listener

	mutex sync.Mutex
	open  []*plainConn // the oldest first
}

type plainConn struct {
	net.Conn

	from *plainListener
}

// Accept returns the next connection. If that is one too many, it closes the oldest.
func (l *plainListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}

	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(maxUnread) // Without it, the connection serves as well.
	}

	c := &plainConn{Conn: conn, from: l}

	l.mutex.Lock()
	defer l.mutex.Unlock()

	if len(l.open) == maxPlain {
		_ = l.open[0].Conn.Close()
		l.open = l.open[1:]
	}

	l.open = append(l.open, c)

	return c, nil
}

// Close closes the connection.
func (c *plainConn) Close() error {
	c.from.mutex.Lock()
	defer c.from.mutex.Unlock()

	c.from.open = slices.DeleteFunc(c.from.open, func(other *plainConn) bool { return other == c })

	return c.Conn.Close()
}
