package evidence

import (
	"cmp"
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"strings"
	"time"
)

// DescribeCertificate returns the Detail of a [CertificateSeen]: the certificate's subject, its expiry and the SHA-256 of its DER.
func DescribeCertificate(c *x509.Certificate) string {
	return fmt.Sprintf("%q, valid until %s, SHA-256 %x", cmp.Or(c.Subject.String(), strings.Join(c.DNSNames, " ")),
		c.NotAfter.UTC().Format(time.RFC3339), sha256.Sum256(c.Raw))
}
