package host

import (
	"fmt"
	"os"
	"path/filepath"
)

// StateDir is where Rollcall keeps locks, cluster state and the build folders of node images:
// "rollcall" in the user's cache directory.
func StateDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("host: %w", err)
	}
	return filepath.Join(cache, "rollcall"), nil
}
