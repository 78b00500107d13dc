package reports_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/reports"
)

func reportOf(t *testing.T, dir string) string {
	t.Helper()
	r, err := reports.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return printed(t, reports.JSON, r)
}

// damagedFolder is a run folder without the cluster of one scenario and half of its hits, and without the run.json of another.
func damagedFolder(t *testing.T) string {
	t.Helper()
	dir := pairFolder(t)
	removing("cluster.json")(t, filepath.Join(dir, "evidence", "iptables"))
	editing("hits.parquet", half)(t, filepath.Join(dir, "evidence", "iptables", "rollout", "drained"))
	removing("run.json")(t, filepath.Join(dir, "evidence", "nftables", "rollout", "drained"))
	return dir
}

// The report of a replay is byte for byte the one made when the run ended, wherever the folder is and however it is named, even if it says
// what is wrong with the folder.
func TestAReplayedReportIsByteIdentical(t *testing.T) {
	damaged := damagedFolder(t)
	for _, row := range []struct {
		sentence string
		dir      string
	}{
		{"a run with every outcome", runFolder(t)},
		{"a damaged run", damaged},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			live := reportOf(t, row.dir)
			for range 5 { // the order of maps differs each time
				if diff := cmp.Diff(live, reportOf(t, row.dir)); diff != "" {
					t.Fatalf("in place (-live +replay):\n%s", diff)
				}
			}
			moved := filepath.Join(t.TempDir(), "some", "other place")
			if err := os.CopyFS(moved, os.DirFS(row.dir)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(live, reportOf(t, moved)); diff != "" {
				t.Errorf("elsewhere (-live +replay):\n%s", diff)
			}
			t.Chdir(filepath.Join(moved, "evidence"))
			if diff := cmp.Diff(live, reportOf(t, "..")); diff != "" {
				t.Errorf("by a relative path (-live +replay):\n%s", diff)
			}
			t.Chdir(moved)
			if diff := cmp.Diff(live, reportOf(t, ".")); diff != "" {
				t.Errorf("from within (-live +replay):\n%s", diff)
			}
		})
	}
}
