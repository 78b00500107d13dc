package main

import (
	"testing"
	"time"
)

func TestParseStat(t *testing.T) {
	tests := []struct {
		sentence string
		stat     string
		want     time.Duration
		wrong    bool
	}{
		{"user and system time are added", "42 (echo) S 1 42 42 0 -1 4194560 900 0 0 0 150 25 0 0 20 0 8 0 1", 1750 * ms, false},
		{"a name may look like the end of a name", "42 (a) b) S 1 42 42 0 -1 4194560 900 0 0 0 1 2 0 0 20 0 8 0 1", 30 * ms, false},
		{"a line may be cut off", "42 (echo) S 1 42", 0, true},
		{"times are numbers", "42 (echo) S 1 42 42 0 -1 4194560 900 0 0 0 x 25 0 0 20 0 8 0 1", 0, true},
		{"a line may be empty", "", 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			got, err := parseStat(tt.stat)
			if got != tt.want || (err != nil) != tt.wrong {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

func TestParsePeak(t *testing.T) {
	tests := []struct {
		sentence string
		status   string
		want     int64
		wrong    bool
	}{
		{"it is in kB", "Name:\tagent\nVmPeak:\t 999 kB\nVmHWM:\t   14336 kB\nVmRSS:\t 1 kB\n", 14 << 20, false},
		{"a process that has ended has none", "Name:\tagent\n", 0, true},
		{"it is a number", "VmHWM:\t many kB\n", 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.sentence, func(t *testing.T) {
			got, err := parsePeak(tt.status)
			if got != tt.want || (err != nil) != tt.wrong {
				t.Errorf("got %d, %v", got, err)
			}
		})
	}
}
