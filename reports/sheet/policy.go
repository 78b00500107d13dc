package sheet

import (
	"crypto/sha256"
	"encoding/base64"
)

// PolicySource names an inline text in a Content-Security-Policy.
func PolicySource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
