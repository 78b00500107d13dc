package userapp

import (
	"crypto/tls"

	"example.com/rollcall/harness/usage"
	"example.com/rollcall/loadgen"
)

// A Secure has the settings of TLS. Files are in PEM.
type Secure struct {
	CA                    string // trusted certificate authorities; empty: the host's
	ServerName            string // sent (SNI), and expected in the certificate; empty: the target's
	Insecure              bool   // the server's certificate is not verified
	TLSMin                string // 1.2 or 1.3; empty: 1.2
	ClientCert, ClientKey string
}

// TLS returns the settings for clients, or nil if none is set.
func (s Secure) TLS() (*loadgen.TLS, error) {
	if s == (Secure{}) {
		return nil, nil
	}
	least, known := map[string]uint16{"": 0, "1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}[s.TLSMin]
	if !known {
		return nil, usage.New("--tls-min="+s.TLSMin, "it is not a version of TLS that is supported", "use 1.2 or 1.3")
	}
	t := &loadgen.TLS{ServerName: s.ServerName, Insecure: s.Insecure, MinVersion: least}
	for _, of := range []struct {
		flag, name string
		to         *[]byte
	}{{"--ca=", s.CA, &t.CA}, {"--client-cert=", s.ClientCert, &t.Certificate}, {"--client-key=", s.ClientKey, &t.Key}} {
		if of.name == "" {
			continue
		}
		var err error
		if *of.to, err = usage.File(of.name); err != nil {
			return nil, usage.New(of.flag+of.name, usage.OneLine(err), "name an existing file")
		}
	}
	return t, nil
}
