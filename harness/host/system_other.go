//go:build !linux

package host

import (
	"errors"
	"math"
	"os"
)

// Clusters need Linux. On other systems Rollcall uses clusters that exist already, and reads recordings.

var errNotLinux = errors.New("this is not Linux")

func checkRealtime() error { return errNotLinux }

func setRealtime(string) error { return errNotLinux }

// SetRealtime does nothing: the real-time policy is Linux's.
func SetRealtime(int) error { return nil }

func hasNFTables() bool { return false }

func diskOf(folder string) (d Disk, device uint64) { return Disk{folder, math.MaxInt64}, 0 }

func kernelRelease() string { return "" }

func ownedBy(os.FileInfo, uint32) bool { return false }

func writable(string) error { return errNotLinux }
