package page_test

import (
	"bytes"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict/kept"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/page"
)

// A page that is collected while recordings are judged, side by side, is the one that is made of the folder.
func TestACollectedPageIsTheOneThatIsRead(t *testing.T) {
	dir := recordedFolder(t)
	want := write(t, dir)
	p := page.New(dir)
	c := reports.Collect(dir, p)
	files, err := filepath.Glob(filepath.Join(dir, "evidence", "*", "*", "*", evidence.HitsFile))
	if err != nil || len(files) != 5 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	var all sync.WaitGroup
	for _, file := range files {
		all.Go(func() {
			var judged func(kept.Recording)
			rec, err := kept.Judge(filepath.Dir(file), func(run evidence.Run) (show func(evidence.Hit, error)) {
				show, judged = c.Reading(run)
				return show
			})
			if err != nil {
				t.Error(err)
				return
			}
			judged(rec)
		})
	}
	all.Wait()
	r, err := c.Report()
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := p.Write(&got, r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(body(want)), string(body(got.Bytes()))); diff != "" {
		t.Errorf("(-read +collected):\n%s", diff)
	}
}
