package host

import (
	"context"
	"os"
	"os/exec"

	"example.com/rollcall/harness/command"
)

// hasIPVS reports whether the kernel has IP_VS, or a dry run of modprobe finds its module.
func hasIPVS(ctx context.Context) bool {
	if _, err := os.Stat("/proc/net/ip_vs"); err == nil {
		return true
	}
	modprobe, err := exec.LookPath("modprobe")
	if err != nil {
		modprobe = "/sbin/modprobe" // not on the PATH of a Debian user who is not root
	}
	_, err = command.Run(ctx, "%s --dry-run --quiet ip_vs", modprobe)
	return err == nil
}
