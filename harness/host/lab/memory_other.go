//go:build !linux

package lab

import "os"

func memoryFolder() string { return os.TempDir() }
