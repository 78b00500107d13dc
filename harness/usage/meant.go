package usage

import (
	"slices"
	"strings"
)

// mostMeant is the most names that Meant suggests.
const mostMeant = 5

// Meant returns an end for a remedy that suggests the names closest to a misspelt word by edit distance or, if none is close, the names
// that contain the word. It is empty if there are none either.
func Meant(word string, names ...string) string {
	var near []string
	letters := len(strings.TrimLeft(word, "-"))
	least := max(1, letters/3)
	for _, name := range names {
		switch d := distance(word, name); {
		case d < least:
			near, least = []string{name}, d
		case d == least:
			near = append(near, name)
		}
	}
	if len(near) == 0 && letters > 2 {
		near = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.Contains(name, word) })
	}
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near[:min(mostMeant, len(near))], ", ") + "?"
}

// distance returns the edit distance of a and b: how many letters have to be inserted, deleted, replaced or swapped with the next.
func distance(a, b string) int {
	var before, last []int // rows of the dynamic programming table: the last but one, and the last
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			replaced := last[j]
			if a[i] != b[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
