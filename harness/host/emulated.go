package host

import (
	"os"
	"strings"
)

// Emulated reports whether this machine is User-Mode Linux, by the vendor in its /proc/cpuinfo (arch/um/kernel/um_arch.c).
func Emulated() bool { return emulated("/proc/cpuinfo") }

func emulated(cpuinfo string) bool {
	text, _ := os.ReadFile(cpuinfo)
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "vendor_id" {
			return strings.TrimSpace(value) == "User Mode Linux"
		}
	}
	return false
}
