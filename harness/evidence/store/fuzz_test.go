package store

import (
	"os"
	"path/filepath"
	"testing"

	"example.com/rollcall/harness/evidence"
)

// Whatever run.json has, what is beside it is read or damaged. `go test -fuzz=FuzzRun ./harness/evidence/store` looks for what is neither.
func FuzzRun(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `{"schema":1}`, `{"schema":1,"files":[{"name":"hits.parquet","records":-1}]}`,
		`{"schema":1,"files":[{"name":"../../../dev/zero"},{"name":"events.jsonl","bytes":9}]}`} {
		f.Add([]byte(seed))
	}
	whole, err := os.ReadFile("../../../reports/testdata/recorded/iptables-drained/run.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, evidence.RunFile), text, 0o600); err != nil {
			t.Fatal(err)
		}
		ev, err := Read(dir)
		if err != nil {
			return
		}
		if ev.Hits != nil {
			_, _ = ev.Hits.All()
		}
	})
}
