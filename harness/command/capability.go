package command

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// capabilities are the names of Linux capabilities by bit, from include/uapi/linux/capability.h (Linux 6.18).
var capabilities = [...]string{
	"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_DAC_READ_SEARCH", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_SETGID",
	"CAP_SETUID", "CAP_SETPCAP", "CAP_LINUX_IMMUTABLE", "CAP_NET_BIND_SERVICE", "CAP_NET_BROADCAST", "CAP_NET_ADMIN",
	"CAP_NET_RAW", "CAP_IPC_LOCK", "CAP_IPC_OWNER", "CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_SYS_CHROOT",
	"CAP_SYS_PTRACE", "CAP_SYS_PACCT", "CAP_SYS_ADMIN", "CAP_SYS_BOOT", "CAP_SYS_NICE", "CAP_SYS_RESOURCE",
	"CAP_SYS_TIME", "CAP_SYS_TTY_CONFIG", "CAP_MKNOD", "CAP_LEASE", "CAP_AUDIT_WRITE", "CAP_AUDIT_CONTROL",
	"CAP_SETFCAP", "CAP_MAC_OVERRIDE", "CAP_MAC_ADMIN", "CAP_SYSLOG", "CAP_WAKE_ALARM", "CAP_BLOCK_SUSPEND",
	"CAP_AUDIT_READ", "CAP_PERFMON", "CAP_BPF", "CAP_CHECKPOINT_RESTORE",
}

// MissingCapabilities returns the names of the capabilities that the kernel knows but this process's bounding set does not have. Neither
// the process nor a program that it runs can ever get them.
func MissingCapabilities() []string {
	status, _ := os.ReadFile("/proc/self/status")
	last, _ := os.ReadFile("/proc/sys/kernel/cap_last_cap")
	highest, err := strconv.Atoi(strings.TrimSpace(string(last)))
	if err != nil {
		return nil
	}
	return missingCapabilities(string(status), highest)
}

func missingCapabilities(status string, highest int) []string {
	_, rest, found := strings.Cut(status, "CapBnd:")
	if !found {
		return nil
	}
	bound, err := strconv.ParseUint(strings.Fields(rest)[0], 16, 64)
	if err != nil {
		return nil
	}
	var list []string
	for bit := range highest + 1 {
		if bound&(1<<bit) != 0 {
			continue
		}
		if bit < len(capabilities) {
			list = append(list, capabilities[bit])
		} else {
			list = append(list, fmt.Sprintf("CAP_%d", bit))
		}
	}
	return list
}
