package phrase

import "testing"

func TestWrapKeepsWordsAndWidth(t *testing.T) {
	got := Wrap("aa bb cc incomprehensible d", 5)
	want := []string{"aa bb", "cc", "incomprehensible", "d"}
	if len(got) != len(want) {
		t.Fatalf("lines %q, want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d is %q, want %q", i, got[i], want[i])
		}
	}
}
