package sharedfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"example.com/rollcall/harness/sharedfile"
)

func TestCreate(t *testing.T) {
	broken := errors.New("broken")
	for _, row := range []struct {
		sentence string
		before   string // empty: there is no file
		write    func(io.Writer) error
		err      error
		want     string // empty: there is no file
	}{
		{"a new file has what was written", "", text("new"), nil, "new"},
		{"a file is replaced", "old and longer", text("new"), nil, "new"},
		{"a file whose writer fails is as it was", "old", fails(broken), broken, "old"},
		{"and not there if it was not", "", fails(broken), broken, ""},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if row.before != "" {
				if err := os.WriteFile(path, []byte(row.before), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := sharedfile.Create(path, 0o640, row.write); !errors.Is(err, row.err) {
				t.Errorf("error %v, want %v", err, row.err)
			}
			if got, _ := os.ReadFile(path); string(got) != row.want {
				t.Errorf("the file has %q, want %q", got, row.want)
			}
			if info, err := os.Stat(path); row.err == nil && (err != nil || info.Mode().Perm() != 0o640) {
				t.Errorf("%v, %v, want mode 0640", info, err)
			}
			left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
			if err != nil || len(left) > 0 {
				t.Errorf("%v is left beside it, %v", left, err)
			}
		})
	}
}

func TestWriteNeedsTheFolder(t *testing.T) {
	if err := sharedfile.Write(filepath.Join(t.TempDir(), "none", "file"), nil, 0o644); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

func fails(err error) func(io.Writer) error {
	return func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return err }
}

func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, text := range []string{"first", "second"} {
		if err := sharedfile.Save(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("the file has %q, %v, want %q", got, err, text)
		}
	}
}
