package kind

import (
	"errors"
	"os"
	"path/filepath"
)

// condemnedFile, in a cluster's state folder, is why nobody is to use it any more.
func (c *Cluster) condemnedFile() string { return filepath.Join(c.state, "condemned") }

// Condemn has nobody use the cluster any more. The next run makes it anew.
func (c *Cluster) Condemn(because string) error {
	err := os.Remove(noteFile(c.state))
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.WriteFile(c.condemnedFile(), []byte(because), 0o644))
}

// Condemned is why nobody is to use the cluster any more; empty: anybody may.
func (c *Cluster) Condemned() string {
	because, err := os.ReadFile(c.condemnedFile())
	if err != nil {
		return ""
	}
	return string(because)
}
