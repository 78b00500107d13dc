package host

import (
	"os"
	"path/filepath"
	"testing"
)

func TestEmulated(t *testing.T) {
	for _, row := range []struct {
		sentence, cpuinfo string
		want              bool
	}{
		{"the lab's kernel", "processor\t: 0\nvendor_id\t: User Mode Linux\nmodel name\t: UML\n", true},
		{"a processor", "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Xeon\n", false},
		{"a kernel that names no vendor", "processor\t: 0\nCPU implementer\t: 0x41\n", false},
	} {
		file := filepath.Join(t.TempDir(), "cpuinfo")
		if err := os.WriteFile(file, []byte(row.cpuinfo), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := emulated(file); got != row.want {
			t.Errorf("%s: %v", row.sentence, got)
		}
	}
	if emulated(filepath.Join(t.TempDir(), "none")) {
		t.Error("nothing to read is not an emulation")
	}
}
