package layout

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// ModulePath returns the path of Rollcall's module, which `make module` changes.
func ModulePath() string {
	return strings.TrimSuffix(reflect.TypeFor[Layout]().PkgPath(), "/harness/layout")
}

// ModuleAbove returns the nearest folder with Rollcall's go.mod, dir itself or above; empty if there is none.
func ModuleAbove(dir string) string {
	begin := "module " + ModulePath() + "\n"
	for ; ; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(text), begin) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
