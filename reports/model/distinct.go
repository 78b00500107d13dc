package model

import "slices"

// Distinct returns what says returns for the entries of a list, each value once, in the order of the list.
func Distinct[T any](list []T, says func(T) string) (all []string) {
	for _, entry := range list {
		if said := says(entry); !slices.Contains(all, said) {
			all = append(all, said)
		}
	}
	return all
}
