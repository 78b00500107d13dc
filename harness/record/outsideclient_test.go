package record

import (
	"strings"
	"testing"
)

func TestStartOutside(t *testing.T) {
	c, err := startOutside()
	if err != nil {
		t.Fatal(err)
	}
	if id, err := c.remote.Status(t.Context()); err != nil || id.Instance == "" {
		t.Errorf("%+v, %v", id, err)
	}
	if !strings.HasPrefix(c.remote.URL, "http://127.0.0.1:") {
		t.Errorf("it listens at %s, beyond loopback", c.remote.URL)
	}
	stranger := c.remote
	stranger.Token = "guessed"
	if _, err := stranger.Status(t.Context()); err == nil {
		t.Error("it obeys another token")
	}
	if !c.alive(t.Context()) {
		t.Error("it has ended by itself")
	}
	c.close()
	if c.alive(t.Context()) || c.status(t.Context()) != "the client on this host has ended" {
		t.Errorf("after its end: %s", c.status(t.Context()))
	}
}
