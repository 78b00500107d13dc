package reports

import "testing"

func TestSharesNeverHideAVersion(t *testing.T) {
	for _, row := range []struct {
		sentence string
		replies  map[string]int
		want     string
	}{
		{"no reply has no share", nil, "-"},
		{"all is 100%", map[string]int{"v1": 7}, "v1 100%"},
		{"halves", map[string]int{"v2": 52, "v1": 48}, "v1 48% v2 52%"},
		{"one stray reply is still seen", map[string]int{"v1": 1, "v2": 9999}, "v1 <1% v2 >99%"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if got := shares(row.replies); got != row.want {
				t.Errorf("shares %q, want %q", got, row.want)
			}
		})
	}
}
