package suites_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// root is the root of the repository.
const root = ".."

// textsIn returns the files below a folder whose names are asked for, by path from it, without test data and the folders of runs.
func textsIn(t *testing.T, folder string, asked func(name string) bool) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || entry.Name() == "out" || entry.Name() == ".git"):
			return fs.SkipDir
		case entry.IsDir() || !asked(entry.Name()):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		texts[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
