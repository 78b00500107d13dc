package host

import (
	"context"
	"os"
	"os/exec"

	"example.com/rollcall/harness/command"
)

// hasIPVS reports whether IP_VS is in the kernel, or is a module that a dry run of modprobe finds.
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
