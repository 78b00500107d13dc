package loadgen

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.com/rollcall/harness/evidence"
)

// sharing returns a lane over HTTP/2 without TLS.
func sharing(target string) evidence.Lane {
	l := lane(evidence.Reused, target, 1)
	l.ID, l.Protocol = "worker-h2c", evidence.H2C
	return l
}

// serveH2C serves an app over HTTP/1.1 and, without TLS, HTTP/2. change may change the server before it begins.
func serveH2C(t testing.TB, app http.HandlerFunc, change func(*http.Server)) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(app)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	if change != nil {
		change(server.Config)
	}
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// A framePeer is a server of HTTP/2 that sends what a test says, on one connection.
type framePeer struct {
	*http2.Framer
	conn *net.TCPConn
	t    *testing.T
}

// servePeer has each connection to it answered by the next of some functions, and the last one answer all that follow.
func servePeer(t *testing.T, each ...func(*framePeer)) (target string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; ; n++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			p := &framePeer{http2.NewFramer(conn, conn), conn.(*net.TCPConn), t}
			if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
				continue
			}
			_ = p.WriteSettings()
			each[min(n, len(each)-1)](p)
		}
	}()
	t.Cleanup(func() { listener.Close(); <-done })
	return "http://" + listener.Addr().String()
}

// request reads up to the end of the next request, and returns its stream; 0 if the client left.
func (p *framePeer) request() (stream uint32) {
	for {
		f, err := p.ReadFrame()
		if err != nil {
			return 0
		}
		if p.answerPing(f); f.Header().Flags.Has(http2.FlagDataEndStream) && f.Header().Type <= http2.FrameHeaders {
			return f.Header().StreamID
		}
	}
}

func (p *framePeer) answerPing(f http2.Frame) {
	if ping, is := f.(*http2.PingFrame); is && !ping.IsAck() {
		_ = p.WritePing(true, ping.Data)
	}
}

// reply sends a whole reply of the app's.
func (p *framePeer) reply(stream uint32) {
	h := http.Header{}
	nameApp(h)
	var block bytes.Buffer
	fields := hpack.NewEncoder(&block)
	_ = fields.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	for name, values := range h {
		_ = fields.WriteField(hpack.HeaderField{Name: string(bytes.ToLower([]byte(name))), Value: values[0]})
	}
	_ = p.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: block.Bytes(), EndHeaders: true, EndStream: true})
}

// serve replies until the client leaves.
func (p *framePeer) serve() {
	for stream := p.request(); stream != 0; stream = p.request() {
		p.reply(stream)
	}
}

// listen reads until the client leaves, and answers pings alone.
func (p *framePeer) listen() {
	for f, err := p.ReadFrame(); err == nil; f, err = p.ReadFrame() {
		p.answerPing(f)
	}
}

// hangUp ends the connection by FIN: with something unread it would be by RST.
func (p *framePeer) hangUp() {
	_ = p.conn.CloseWrite()
	_, _ = io.Copy(io.Discard, p.conn)
}

// reset ends the connection by RST.
func (p *framePeer) reset() {
	_ = p.conn.SetLinger(0)
	p.conn.Close()
}
