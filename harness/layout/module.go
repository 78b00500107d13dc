package layout

import (
	"os"
	"path/filepath"
	"strings"
)

// ModuleAbove is the nearest folder with Rollcall's go.mod, from one on up; empty: there is none.
func ModuleAbove(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(text), "module rollcall\n") {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}
