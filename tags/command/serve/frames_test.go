package serve

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"net"
	"runtime"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

// TestFragmentedFrames sends a request in frames of one byte. For each of these bytes, gRPC v1.81 held more than 40 bytes. The
// server must hold a fraction of it.
func TestFragmentedFrames(t *testing.T) {
	const frames, limit = 1 << 18, 24

	grpcConn, _, _ := start(t, &Command{Insecure: true, MaxRecvMessageSize: 4, New: fake{}.make})

	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", grpcConn.Target())
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() { _ = conn.Close() })

	w := bufio.NewWriterSize(conn, writeBuffer)
	framer := http2.NewFramer(w, conn)

	var failed error

	do := func(err error) {
		if failed == nil {
			failed = err
		}
	}

	// The server answers a ping once it has read all frames before.
	synchronize := func() {
		do(framer.WritePing(false, [8]byte{1}))
		do(w.Flush())

		for failed == nil {
			f, err := framer.ReadFrame()
			do(err)

			if ping, ok := f.(*http2.PingFrame); ok && ping.IsAck() && ping.Data == [8]byte{1} {
				return
			}
		}

		t.Fatal(failed)
	}

	_, err = w.WriteString(http2.ClientPreface)
	do(err)
	do(framer.WriteSettings())

	headers := &bytes.Buffer{}
	encoder := hpack.NewEncoder(headers)

	for _, f := range [][2]string{{":method", "POST"}, {":scheme", "http"}, {":path", fnv1.FunctionRunnerService_RunFunction_FullMethodName}, {":authority", "localhost"}, {"content-type", "application/grpc"}, {"te", "trailers"}} {
		do(encoder.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]}))
	}

	do(framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: headers.Bytes(), EndHeaders: true}))
	do(framer.WriteData(1, false, binary.BigEndian.AppendUint32([]byte{0}, frames+1))) // The last byte never comes.
	synchronize()

	// So the server reads nothing until a part of the frames has come.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))

	before := heap()

	for range frames {
		do(framer.WriteData(1, false, []byte{0}))
	}

	synchronize()

	if got := (heap() - before) / frames; got > limit {
		t.Errorf("want at most %d bytes to be held for each byte of a request that comes a byte at a time, got %d", limit, got)
	}
}

// heap returns the number of used bytes of the heap.
func heap() int64 {
	runtime.GC() // Garbage must not count.

	var m runtime.MemStats

	runtime.ReadMemStats(&m)

	return int64(m.HeapAlloc) //nolint:gosec // No machine has as much memory.
}
