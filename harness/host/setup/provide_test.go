package setup

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestRemoveStalePID(t *testing.T) {
	own, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Skip("no /proc")
	}
	for _, tc := range []struct {
		sentence, content, program string
		stays                      bool
	}{
		{"the file of the running program stays", strconv.Itoa(os.Getpid()), strings.TrimSpace(string(own)), true},
		{"one whose number another program has now is removed", strconv.Itoa(os.Getpid()), "dockerd", false},
		{"one of a process that is gone is removed", "999999999", "dockerd", false},
		{"one without a number is removed", "?", "dockerd", false},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			if err := os.WriteFile(file, []byte(tc.content), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := removeStalePID(file, tc.program); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(file); (err == nil) != tc.stays {
				t.Errorf("stat: %v, want it to stay: %v", err, tc.stays)
			}
		})
	}
	if err := removeStalePID(filepath.Join(t.TempDir(), "none"), "dockerd"); err != nil {
		t.Errorf("no file is not an error: %v", err)
	}
}
