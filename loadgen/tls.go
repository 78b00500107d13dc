package loadgen

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A TLS is how connections to an https target are secured.
type TLS struct {
	CA          []byte `json:"ca,omitempty"`          // trusted certificates in PEM; empty: those of the system
	ServerName  string `json:"server_name,omitempty"` // requested by SNI, and required of the certificate; empty: the target's host
	Insecure    bool   `json:"insecure,omitempty"`    // any certificate is accepted
	MinVersion  uint16 `json:"min_version,omitempty"` // such as [tls.VersionTLS13]; 0: Go's default
	Certificate []byte `json:"certificate,omitempty"` // of the client, in PEM
	Key         []byte `json:"key,omitempty"`         // of Certificate, in PEM
}

// config returns the settings for a target's host. Each connection makes a whole handshake: there are no session tickets.
func (t *TLS) config(host string) (*tls.Config, error) {
	if t == nil {
		t = &TLS{}
	}
	c := &tls.Config{
		ServerName: cmp.Or(t.ServerName, host), InsecureSkipVerify: t.Insecure, //nolint:gosec // the user asked for it
		MinVersion: t.MinVersion, NextProtos: []string{"http/1.1"}, SessionTicketsDisabled: true,
	}
	if len(t.CA) > 0 {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(t.CA) {
			return nil, errors.New("CA: no certificate in PEM")
		}
	}
	if len(t.Certificate)+len(t.Key) > 0 {
		own, err := tls.X509KeyPair(t.Certificate, t.Key)
		if err != nil {
			return nil, fmt.Errorf("certificate of the client: %w", err)
		}
		c.Certificates = []tls.Certificate{own}
	}
	return c, nil
}

// A handshakeError is why a handshake failed.
type handshakeError struct{ error }

// Unwrap returns the cause.
func (e handshakeError) Unwrap() error { return e.error }

// tlsFault returns the fault of an error of TLS, else NoFault. Package tls marks an alert of the peer only by the Op of a
// [net.OpError].
func tlsFault(err error) evidence.Fault {
	var invalid x509.CertificateInvalidError
	var header tls.RecordHeaderError
	var alert *net.OpError
	switch {
	case errors.As(err, &header) && string(header.RecordHeader[:]) == "HTTP/":
		return evidence.PlainHTTP
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return evidence.CertExpired
	case errors.As(err, new(x509.HostnameError)):
		return evidence.CertWrongName
	case errors.As(err, new(x509.UnknownAuthorityError)):
		return evidence.CertUnknownAuthority
	case errors.As(err, new(handshakeError)), errors.As(err, &alert) && alert.Op == "remote error":
		return evidence.HandshakeFailed
	default:
		return evidence.NoFault
	}
}

// secure makes the TLS handshake over a connection, whose stream is encrypted from then on.
func (s *direct) secure(w *httpConn) (err error) {
	w.below = &peekable{Conn: w.conn}
	w.stream, err = s.handshake(w.below)
	return err
}

// handshake makes the TLS handshake over a connection. The error is why it failed; the connection is there in any case.
func (s *direct) handshake(below net.Conn) (*tls.Conn, error) {
	secured := tls.Client(below, s.tls)
	err := secured.Handshake()
	shown := secured.ConnectionState().PeerCertificates
	var refused *tls.CertificateVerificationError
	if errors.As(err, &refused) {
		shown = refused.UnverifiedCertificates
	}
	if len(shown) > 0 {
		s.noteCertificate(shown[0])
	}
	if err != nil {
		return secured, handshakeError{err}
	}
	return secured, nil
}

// noteCertificate notes a certificate that differs from that of the previous connection.
func (s *direct) noteCertificate(shown *x509.Certificate) {
	if last := s.shown.Swap(shown); last != nil && last.Equal(shown) {
		return
	}
	s.note(evidence.CertificateSeen, evidence.DescribeCertificate(shown))
}

// noteFailure notes the error of a handshake whose fault only says that it failed.
func (s *direct) noteFailure(err error) {
	if s.tls != nil && faultByType(err) == evidence.HandshakeFailed {
		s.note(evidence.TLSFailed, err.Error())
	}
}

// note passes on an event of the lane at the current time.
func (s *direct) note(kind evidence.EventKind, detail string) {
	if s.noted != nil {
		s.noted(evidence.Event{At: s.clock.at(time.Now()), Kind: kind, Object: s.ID, Detail: detail})
	}
}

// A peekable is a connection below TLS. On an idle one a server may have sent its end, or something that TLS handles by itself,
// such as tickets (RFC 8446, 4.6). To tell these apart, TLS reads what is there while peeking is set, without waiting for more.
type peekable struct {
	net.Conn
	peeking bool
}

// Read reads, without waiting if peeking is set.
func (p *peekable) Read(to []byte) (int, error) {
	if !p.peeking {
		return p.Conn.Read(to)
	}
	n, err := readNow(p.Conn, to)
	switch {
	case errors.Is(err, errNothing):
		return 0, os.ErrDeadlineExceeded // after which TLS may be read again
	case n == 0 && err == nil:
		return 0, io.EOF
	default:
		return n, err
	}
}

// readTLSNow is readNow for a connection over TLS.
func (w *httpConn) readTLSNow() (n int, err error) {
	w.below.peeking = true
	defer func() { w.below.peeking, w.readErr = false, nil }()
	w.left = headerLimit
	got, err := w.in.Peek(1)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = errNothing
	}
	return len(got), err
}
