package main

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"
)

// TestProgramHasItsOwnEnvironment has env print the one it was given, which is not that of this process.
func TestProgramHasItsOwnEnvironment(t *testing.T) {
	t.Setenv("ROLLCALL_BENCH_LONG", "1")
	var anywhere unix.CPUSet
	if err := unix.SchedGetaffinity(0, &anywhere); err != nil {
		t.Fatal(err)
	}
	for want, env := range map[string][]string{"": nil, "ROLLCALL_TOKEN=bench\n": {"ROLLCALL_TOKEN=bench"}} {
		var printed bytes.Buffer
		p, err := program{path: "/usr/bin/env", env: env, out: &printed}.start(t.Context(), anywhere)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.wait(); err != nil || printed.String() != want {
			t.Errorf("error %v, environment %q, want %q", err, printed.String(), want)
		}
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
