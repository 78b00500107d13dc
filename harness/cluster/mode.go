package cluster

import (
	"slices"
	"strings"

	"rollcall/harness/usage"
)

// Modes are the kube-proxy modes, in the order suites run and reports show them.
func Modes() []string { return []string{"iptables", "nftables", "ipvs"} }

// ParseModes reads a list of modes separated by commas or spaces; empty means all.
func ParseModes(list string) ([]string, error) {
	named := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	if len(named) == 0 {
		return Modes(), nil
	}
	var modes []string
	for _, mode := range named {
		if !slices.Contains(Modes(), mode) {
			return nil, usage.New("mode "+mode, "kube-proxy has no such mode", "use some of "+strings.Join(Modes(), ", "))
		}
		if !slices.Contains(modes, mode) {
			modes = append(modes, mode)
		}
	}
	return modes, nil
}
