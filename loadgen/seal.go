package loadgen

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// A user's requests and their URLs may carry secrets, and a spool is a folder on a disk of a node. There they are encrypted with the
// agent's token, which its next process is given too.
type sealed struct {
	UserHTTP *UserHTTP `json:"user_http,omitempty"`
	Targets  []string  `json:"targets"` // of the lanes
}

// seal returns an order as it is kept on the spool.
func (a *Agent) seal(o startRequest, began time.Time) (kept spooledOrder, err error) {
	kept = spooledOrder{Instance: a.instance, Boot: bootID(), Began: began, Order: o}
	kept.Order.UserHTTP, kept.Order.Lanes = nil, slices.Clone(o.Lanes)
	hidden := sealed{UserHTTP: o.UserHTTP}
	for i, lane := range o.Lanes {
		hidden.Targets = append(hidden.Targets, lane.Target)
		kept.Order.Lanes[i].Target = ""
	}
	text, err := json.Marshal(hidden)
	if err != nil {
		return kept, err
	}
	aead, err := a.aead()
	if err != nil {
		return kept, err
	}
	kept.Sealed = aead.Seal(nil, nil, text, nil)
	return kept, nil
}

// unseal returns the order that was kept.
func (a *Agent) unseal(kept spooledOrder) (o startRequest, err error) {
	o = kept.Order
	if kept.Sealed == nil { // by an agent of an earlier Rollcall, for lanes without secrets
		return o, nil
	}
	aead, err := a.aead()
	if err != nil {
		return o, err
	}
	text, err := aead.Open(nil, nil, kept.Sealed, nil)
	if err != nil {
		return o, fmt.Errorf("%s: it was sealed with another token: %w", orderFile, err)
	}
	var hidden sealed
	if err := json.Unmarshal(text, &hidden); err != nil {
		return o, err
	}
	if len(hidden.Targets) != len(o.Lanes) {
		return o, fmt.Errorf("%s: %d lanes have %d targets", orderFile, len(o.Lanes), len(hidden.Targets))
	}
	o.UserHTTP = hidden.UserHTTP
	for i, target := range hidden.Targets {
		o.Lanes[i].Target = target
	}
	return o, nil
}

func (a *Agent) aead() (cipher.AEAD, error) {
	key := sha256.Sum256([]byte(a.token))
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}
