package kind

import (
	"errors"
	"os"
)

// Condemn has nobody use the cluster any more. The next run makes it anew.
func (c *Cluster) Condemn(because string) error {
	c.condemned.Store(&because)
	if err := os.Remove(noteFile(c.state)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// Condemned is why nobody is to use the cluster any more; empty: anybody may.
func (c *Cluster) Condemned() string {
	if because := c.condemned.Load(); because != nil {
		return *because
	}
	return ""
}
