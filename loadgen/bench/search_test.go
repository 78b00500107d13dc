package main

import (
	"errors"
	"testing"
)

// TestHighest searches for every limit from every beginning, of a generator that holds what is not above its limit.
func TestHighest(t *testing.T) {
	for limit := lowest; limit < 99; limit += 7 {
		for from := lowest; from < 99; from++ {
			asked := map[rung]bool{}
			got, err := highest(from, func(r rung) (bool, error) {
				if asked[r] {
					t.Fatalf("limit %d from %d: rung %d was asked twice", limit, from, r)
				}
				asked[r] = true
				if r > max(limit, from)+longest {
					t.Errorf("limit %d from %d: rung %d was asked", limit, from, r)
				}
				return r <= limit, nil
			})
			if err != nil || got != limit {
				t.Errorf("limit %d from %d: got %d, %v", limit, from, got, err)
			}
		}
	}
}

func TestHighestIsShortNearItsBeginning(t *testing.T) {
	for off := rung(-2); off <= 2; off++ {
		times := 0
		_, err := highest(likely, func(r rung) (bool, error) { times++; return r <= likely+off, nil })
		if err != nil || times > 4 {
			t.Errorf("%d rungs off: asked %d times, %v", off, times, err)
		}
	}
}

func TestHighestEndsWithAnError(t *testing.T) {
	broken := errors.New("broken")
	for _, at := range []int{1, 2, 3, 5, 7} {
		for _, limit := range []rung{likely - 20, likely + 20} {
			times := 0
			_, err := highest(likely, func(r rung) (bool, error) {
				if times++; times == at {
					return false, broken
				}
				return r <= limit, nil
			})
			if !errors.Is(err, broken) || times != at {
				t.Errorf("limit %d, broken the %d. time: %v after %d", limit, at, err, times)
			}
		}
	}
}

func TestRungs(t *testing.T) {
	tests := []struct {
		sentence string
		rung     rung
		want     int
	}{
		{"the ladder is built around 1,000 a second", 0, 1000},
		{"a rung up is 3 % more", 1, 1030},
		{"a search begins near 5,900", likely, 5892},
		{"it ends near 100", lowest, 100},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			if got := tt.rung.rate(); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
