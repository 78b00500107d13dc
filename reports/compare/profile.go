package compare

import (
	"slices"

	"example.com/rollcall/reports/model"
)

// noteProfiles notes that the runs had different profiles. What only the larger one has is neither gone nor new, because the other was
// never meant to run it: it is only counted.
func (c *Comparison) noteProfiles() {
	a, b := c.A[0].ProfileName(), c.B[0].ProfileName()
	switch {
	case a == b:
	case smaller(b, a):
		c.note("A ran profile %s and B profile %s: scenarios of A alone, %d, are not compared: --profile=%s runs them in B too.", a, b,
			len(c.Gone), a)
		c.Gone = nil
	case smaller(a, b):
		c.note("A ran profile %s and B profile %s: scenarios of B alone, %d, are not compared: --profile=%s runs them in A too.", a, b,
			len(c.New), b)
		c.New = nil
	default:
		c.note("A ran profile %s and B profile %s.", a, b)
	}
}

// smaller reports whether one profile is known to run less than another.
func smaller(one, other string) bool {
	size := []string{"smoke", "core", model.FullProfile}
	i := slices.Index(size, one)
	return i >= 0 && i < slices.Index(size, other)
}
