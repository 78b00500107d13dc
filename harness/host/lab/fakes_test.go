package lab

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// fakePrograms puts shell scripts of these names before the programs of the host. Each also appends its name and arguments to
// the file whose path it returns.
func fakePrograms(t *testing.T, scripts map[string]string) (ran string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	ran = filepath.Join(dir, "ran")
	for name, script := range scripts {
		text := "#!/bin/sh\necho \"" + name + " $*\" >>" + ran + "\n" + script + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return ran
}
