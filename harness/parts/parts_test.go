package parts_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollcall/harness/parts"
)

// A part is made once from the same inputs. One whose making failed is made anew, and leaves nothing of the first time.
func TestAPart(t *testing.T) {
	folder := t.TempDir()
	var said bytes.Buffer
	b, err := parts.New(&said, folder, "build.log", "a thing", 3)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	made := 0
	makes := func(fails error) func(string) error {
		return func(dir string) error {
			made++
			return errors.Join(os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600), fails)
		}
	}
	broken := errors.New("broken")
	if err := b.Part("kernel", "7", "old", makes(broken)); !errors.Is(err, broken) || !strings.Contains(err.Error(), "step kernel 7") || !strings.Contains(err.Error(), b.Log()) {
		t.Errorf("%v", err)
	}
	for _, inputs := range []string{"old", "new", "new"} {
		if err := b.Part("kernel", "7", inputs, makes(nil)); err != nil {
			t.Fatal(err)
		}
	}
	if made != 3 {
		t.Errorf("made %d times", made)
	}
	if err := b.Drop("kernel", "7", "new"); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(folder, "parts", "*"))
	if err != nil || len(left) != 1 || left[0] != b.Dir("kernel", "7", "new") {
		t.Errorf("%v, %v", left, err)
	}
	if !strings.Contains(said.String(), "a thing  00:00  [1/3] kernel 7 ...") {
		t.Errorf("%s", &said)
	}
}
