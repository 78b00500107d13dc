package compare_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/rollcall/reports/compare"
	"example.com/rollcall/reports/model"
)

// BenchmarkThousandRuns reads a history of 1,000 runs of 80 scenarios under load, and makes its sheet.
func BenchmarkThousandRuns(b *testing.B) {
	path := filepath.Join(b.TempDir(), compare.HistoryFile)
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	enc := json.NewEncoder(f)
	measured := make(map[string]float64)
	for i, n := range model.ComparedMetrics() {
		measured[n.Key()] = 1234.5 * float64(i)
	}
	for run := range 1000 {
		for scenario := range 80 {
			if err := enc.Encode(compare.Line{
				Schema: compare.HistorySchema, Run: fmt.Sprint(run), Began: time.Unix(int64(run), 0).UTC(), Of: 80,
				Scenario: fmt.Sprintf("suite/scenario-%d", scenario),
				Mode:     "iptables", Kubernetes: "v1.36.3", Kernel: "6.12.0", CNI: "kindnet", Load: "7 lanes, 700/s", Outcome: "pass", Attempts: 1,
				Numbers: measured,
			}); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		h, err := compare.ReadHistory(path)
		if err != nil || len(h.Lines) != 80_000 {
			b.Fatalf("%d lines: %v", len(h.Lines), err)
		}
		compare.TrendSheet(h, compare.Added{})
	}
}
