package dataplane

import (
	"slices"
	"strings"

	"example.com/rollcall/harness/usage"
)

// Parse parses a list of kube-proxy's modes, separated by commas or spaces; empty means all.
func Parse(list string) ([]string, error) {
	named := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	if len(named) == 0 {
		return Names(), nil
	}
	var modes []string
	for _, mode := range named {
		if !slices.Contains(Names(), mode) {
			return nil, usage.New("--modes="+mode, "kube-proxy has no such mode", "use some of "+strings.Join(Names(), ", ")+
				usage.Meant(mode, Names()...))
		}
		if !slices.Contains(modes, mode) {
			modes = append(modes, mode)
		}
	}
	return modes, nil
}
