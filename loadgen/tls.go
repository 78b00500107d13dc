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
	CA          []byte `json:"ca,omitempty"`          // certificates in PEM, that are trusted; empty: those of the system
	ServerName  string `json:"server_name,omitempty"` // that is asked for, and that the certificate has to name; empty: the target's host
	Insecure    bool   `json:"insecure,omitempty"`    // the certificate may be any
	MinVersion  uint16 `json:"min_version,omitempty"` // such as [tls.VersionTLS13]; 0: Go's
	Certificate []byte `json:"certificate,omitempty"` // of the client, in PEM
	Key         []byte `json:"key,omitempty"`         // of that
}

// config is for a target of a host. Each connection is a whole handshake: there are no session tickets.
func (t *TLS) config(host string) (*tls.Config, error) {
	if t == nil {
		t = &TLS{}
	}
	c := &tls.Config{
		ServerName: cmp.Or(t.ServerName, host), InsecureSkipVerify: t.Insecure, //nolint:gosec // since that was asked for
		MinVersion: t.MinVersion, NextProtos: []string{"http/1.1"}, SessionTicketsDisabled: true,
	}
	if len(t.CA) > 0 {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(t.CA) {
			return nil, errors.New("CA: there is no certificate in PEM")
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

// tlsFault is what an error of TLS says, if it is one. Package tls has no type for an alert of the peer but its Op.
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

// secure has what goes over a connection encrypted from now on.
func (s *direct) secure(w *httpConn) error {
	w.below = &peekable{Conn: w.conn}
	secured := tls.Client(w.below, s.tls)
	w.stream = secured
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
		return handshakeError{err}
	}
	return nil
}

// noteCertificate notes one that is not that of the connection before.
func (s *direct) noteCertificate(shown *x509.Certificate) {
	if last := s.shown.Swap(shown); last != nil && last.Equal(shown) {
		return
	}
	s.note(evidence.CertificateSeen, evidence.DescribeCertificate(shown))
}

// noteFailure notes how TLS failed, if that is known by no other name.
func (s *direct) noteFailure(err error) {
	if s.tls != nil && faultByType(err) == evidence.HandshakeFailed {
		s.note(evidence.TLSFailed, err.Error())
	}
}

// note notes something about the lane, now.
func (s *direct) note(kind evidence.EventKind, detail string) {
	if s.noted != nil {
		s.noted(evidence.Event{At: s.clock.at(time.Now()), Kind: kind, Object: s.ID, Detail: detail})
	}
}

// A peekable is a connection below TLS. Over one that is idle a server may have sent something that TLS takes without anybody
// hearing of it, such as tickets (RFC 8446, 4.6), or its end: who wants to know which reads what is there, and does not wait.
type peekable struct {
	net.Conn
	peeking bool
}

// Read reads what is there.
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

// idleTLS is idle of a connection over TLS.
func (w *httpConn) idleTLS() bool {
	w.below.peeking = true
	defer func() { w.below.peeking, w.readErr = false, nil }()
	w.left = headerLimit
	_, err := w.in.Peek(1)
	return errors.Is(err, os.ErrDeadlineExceeded)
}
