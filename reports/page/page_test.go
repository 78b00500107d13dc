package page_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/evidence/store"
	"example.com/rollcall/harness/golden"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
	"example.com/rollcall/reports/page"
)

//go:generate go test . -update

// recordedFolder is a run folder with recordings from real clusters: undrained pods, which fail, and drained ones, which do not, in two
// modes, and one during which an agent died. All are changed to be about a bug that old versions of kube-proxy are known to have.
func recordedFolder(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{
		Schema: 1, ID: "sample-run", Began: began, Ended: began.Add(222 * time.Second), Version: "v0.1.0", Command: "make conformance",
		Profile: "smoke", LeftOut: 90, Expected: 180, Jobs: 2, Rate: 25,
		Steps: []string{"from 2 recordings side by side to 1: nodes were <busy>"},
	})
	for from, part := range []evidence.Part{evidence.ClusterPart, evidence.SteadyPart, evidence.RolloutPart} {
		span := evidence.Span{Part: part, Began: began.Add(time.Duration(from) * time.Minute), Seconds: 70.5}
		if err := store.AppendSpan(dir, span); err != nil {
			t.Fatal(err)
		}
	}
	bug := evidence.Bug{Issue: 139515, Component: "kube-proxy", Affected: []evidence.Releases{{Before: "1.36.0"}}, Fixed: "1.37.0",
		Rule: verdict.NoFailures().Rule}
	for _, name := range []string{"iptables-undrained", "nftables-undrained", "iptables-drained", "nftables-drained", "iptables-dead-agent"} {
		from := filepath.Join("..", "testdata", "recorded", name)
		var run evidence.Run
		if err := store.ReadJSON(filepath.Join(from, evidence.RunFile), &run); err != nil {
			t.Fatal(err)
		}
		to := placeOf(dir, run.Mode, run.Suite, run.Scenario)
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
		if run.Bug = &bug; name == "iptables-undrained" {
			run.ComponentVersions = []string{"v1.35.3", "v1.36.3"}
		}
		writeJSON(t, filepath.Join(to, evidence.RunFile), run)
		writeJSON(t, filepath.Join(dir, "evidence", run.Mode, evidence.ClusterFile), evidence.Cluster{
			Name: "rollcall-" + run.Mode, Mode: run.Mode, Provider: "kind", Kubernetes: run.Kubernetes, Kernel: "6.12.0", CNI: "kindnet", Nodes: 3,
		})
	}
	writeJSON(t, filepath.Join(dir, "evidence", "ipvs", evidence.ClusterFile), evidence.Cluster{
		Name: "rollcall-ipvs", Mode: "ipvs", Features: []evidence.Feature{{Name: "ipvs", Because: "the kernel has no IP_VS"}},
	})
	record(t, dir,
		evidence.Evidence{Run: evidence.Run{Suite: "recorded", Scenario: "undrained", Mode: "ipvs", Attempt: 1, Bug: &bug,
			Skipped: "the kernel has no IP_VS"}})
	return dir
}

var began = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

func placeOf(dir, mode, suite, scenario string) string {
	return filepath.Join(dir, "evidence", mode, suite, scenario)
}

func record(t testing.TB, dir string, ev evidence.Evidence) {
	t.Helper()
	if err := store.Write(placeOf(dir, ev.Run.Mode, ev.Run.Suite, ev.Run.Scenario), ev); err != nil {
		t.Fatal(err)
	}
}

func writeJSON(t testing.TB, path string, v any) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteJSON(path, v); err != nil {
		t.Fatal(err)
	}
}

// write returns the page about a run folder.
func write(t testing.TB, dir string) []byte {
	t.Helper()
	p := page.New(dir)
	r, err := reports.Collect(dir, p).Report()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// written writes the page into its run folder, and returns its path.
func written(t testing.TB, dir string) string {
	t.Helper()
	file := filepath.Join(dir, page.New(dir).File().Name)
	if err := os.WriteFile(file, write(t, dir), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// body returns a page without its style, its script and their hashes: these have files of their own.
func body(html []byte) []byte {
	html = regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAll(html, []byte("<style></style>"))
	html = regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAll(html, []byte("<script></script>"))
	return regexp.MustCompile(`content="default-src[^"]*"`).ReplaceAll(html, []byte(`content="default-src …"`))
}

func TestGolden(t *testing.T) {
	golden.File(t, "testdata/index.html", body(write(t, recordedFolder(t))))
}

func TestTheSameEvidenceMakesTheSamePage(t *testing.T) {
	dir := recordedFolder(t)
	if !bytes.Equal(write(t, dir), write(t, dir)) {
		t.Error("two pages of one run differ")
	}
}

func TestThePageAsksTheNetworkForNothing(t *testing.T) {
	html := write(t, recordedFolder(t))
	if !bytes.Contains(html,
		[]byte(`<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; script-src &#39;sha256-`)) {
		t.Error("its policy is not the strict one")
	}
	still := regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAll(html, nil)
	for _, fetching := range []string{" src=", "<link", "<iframe", "@import", "url(", " style=", " onclick="} {
		if bytes.Contains(still, []byte(fetching)) {
			t.Errorf("it has %q", fetching)
		}
	}
}

func TestAFullDiskIsReported(t *testing.T) {
	if err := page.New(t.TempDir()).Write(full{}, model.Report{}); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("error %v", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }
