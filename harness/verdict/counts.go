package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.com/rollcall/harness/timeline"
)

func counts[K comparable](hits []timeline.Hit, whose func(timeline.Hit) K) map[K]int {
	of := map[K]int{}
	for _, h := range hits {
		of[whose(h)]++
	}
	return of
}

// mostFirst formats each name with its count, the largest count first.
func mostFirst(format string, counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	for i, name := range names {
		names[i] = fmt.Sprintf(format, name, counts[name])
	}
	return strings.Join(names, ", ")
}
