package cases

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// issueCertificates applies the Secrets tls-1 and tls-2, whose certificates are of two authorities. It writes ca-1.pem and ca-both.pem, for
// clients that trust one or both, and renewed.yaml, in which tls-1 has what tls-2 has.
func issueCertificates(t *testing.T, f folder) {
	t.Helper()
	host := "web." + f.namespace + ".svc"
	one, other := issue(t, host), issue(t, host)
	f.write(t, "ca-1.pem", one.authority)
	f.write(t, "ca-both.pem", one.authority+other.authority)
	f.write(t, "certificates.yaml", one.secret(t, f.namespace, "tls-1")+"\n---\n"+other.secret(t, f.namespace, "tls-2"))
	f.write(t, "renewed.yaml", other.secret(t, f.namespace, "tls-1"))
	f.sh(t, "kubectl apply -f - <certificates.yaml")
}

// An issued is a certificate with its key and its authority, in PEM.
type issued struct{ authority, certificate, key string }

// issue makes an authority, and a certificate of it for a host. All authorities have one name, as those that a chart makes anew.
func issue(t *testing.T, host string) issued {
	t.Helper()
	from, to := time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: from, NotAfter: to,
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	server := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{host}, NotBefore: from, NotAfter: to,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	authorityKey, serverKey := newKey(t), newKey(t)
	key, err := x509.MarshalPKCS8PrivateKey(serverKey)
	if err != nil {
		t.Fatal(err)
	}
	return issued{authority: sign(t, authority, authority, authorityKey.Public(), authorityKey),
		certificate: sign(t, server, authority, serverKey.Public(), authorityKey), key: inPEM("PRIVATE KEY", key)}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t *testing.T, certificate, by *x509.Certificate, of crypto.PublicKey, with *ecdsa.PrivateKey) string {
	t.Helper()
	signed, err := x509.CreateCertificate(rand.Reader, certificate, by, of, with)
	if err != nil {
		t.Fatal(err)
	}
	return inPEM("CERTIFICATE", signed)
}

func inPEM(kind string, data []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
}

// secret returns the manifest of a Secret with the certificate.
func (i issued) secret(t *testing.T, namespace, name string) string {
	t.Helper()
	text, err := json.Marshal(corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Type: corev1.SecretTypeTLS,
		Data: map[string][]byte{corev1.TLSCertKey: []byte(i.certificate), corev1.TLSPrivateKeyKey: []byte(i.key)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A client that trusts one authority alone accepts no certificate of the other, though both have one name.
func TestCertificatesOfTwoAuthorities(t *testing.T) {
	const host = "web.shop.svc"
	one, other := issue(t, host), issue(t, host)
	for _, row := range []struct {
		sentence  string
		trusts    string
		of        issued
		wantValid bool
	}{
		{"of the trusted one", one.authority, one, true},
		{"of the other", one.authority, other, false},
		{"of either of both", one.authority + other.authority, other, true},
	} {
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM([]byte(row.trusts))
		block, _ := pem.Decode([]byte(row.of.certificate))
		shown, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := shown.Verify(x509.VerifyOptions{Roots: roots, DNSName: host}); (err == nil) != row.wantValid {
			t.Errorf("%s: %v", row.sentence, err)
		}
	}
}
