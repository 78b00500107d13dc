package kind

import (
	"errors"
	"os"
)

// Condemn marks the cluster as unusable. The next run creates a new one in its place.
func (c *Cluster) Condemn(because string) error {
	c.condemned.Store(&because)
	if err := os.Remove(noteFile(c.state)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Condemned returns the reason given to Condemn; empty if the cluster may be used.
func (c *Cluster) Condemned() string {
	if because := c.condemned.Load(); because != nil {
		return *because
	}
	return ""
}
