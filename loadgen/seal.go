package loadgen

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"
)

// A user's requests may carry secrets, and a spool is a folder on a disk of a node. There they are encrypted with the agent's
// token, which its next process is given too.

// seal returns an order as it is kept on the spool.
func (a *Agent) seal(o startRequest, began time.Time) (kept spooledOrder, err error) {
	kept = spooledOrder{Instance: a.instance, Boot: bootID(), Began: began, Order: o}
	if o.UserHTTP == nil {
		return kept, nil
	}
	text, err := json.Marshal(o.UserHTTP)
	if err != nil {
		return kept, err
	}
	aead, err := a.aead()
	if err != nil {
		return kept, err
	}
	kept.Order.UserHTTP, kept.UserHTTP = nil, aead.Seal(nil, nil, text, nil)
	return kept, nil
}

// unseal returns the order that was kept.
func (a *Agent) unseal(kept spooledOrder) (o startRequest, err error) {
	o = kept.Order
	if kept.UserHTTP == nil {
		return o, nil
	}
	aead, err := a.aead()
	if err != nil {
		return o, err
	}
	text, err := aead.Open(nil, nil, kept.UserHTTP, nil)
	if err != nil {
		return o, fmt.Errorf("%s: it was sealed with another token: %w", orderFile, err)
	}
	return o, json.Unmarshal(text, &o.UserHTTP)
}

func (a *Agent) aead() (cipher.AEAD, error) {
	key := sha256.Sum256([]byte(a.token))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
