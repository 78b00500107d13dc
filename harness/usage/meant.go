package usage

import (
	"slices"
	"strings"
)

// mostMeant is how many names are suggested at most.
const mostMeant = 5

// Meant ends a remedy with the names that whoever wrote a word may have meant: those that are nearest to it by letters, or else those that
// contain it. It is empty where none is near.
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

// distance is how many letters have to be put in, left out, replaced or swapped with the next to make b of a.
func distance(a, b string) int {
	var before, last []int // the rows for a without its last two letters, and without its last
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
