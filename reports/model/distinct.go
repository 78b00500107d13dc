package model

import "slices"

// Distinct is what the entries of a list say, each once, in the order in which it is first said.
func Distinct[T any](list []T, says func(T) string) (all []string) {
	for _, entry := range list {
		if said := says(entry); !slices.Contains(all, said) {
			all = append(all, said)
		}
	}
	return all
}
