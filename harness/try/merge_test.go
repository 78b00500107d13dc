package try

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/timeline"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/harness/verdict/kept"
)

func TestWhatAMergeCosts(t *testing.T) {
	all := func(lost int) *losses { return &losses{lost: lost, of: 1000, outcome: verdict.Pass} }
	red := func(lost int) *losses { return &losses{lost: lost, of: 1000, outcome: verdict.Fail} }
	app := &App{}
	for _, row := range []struct {
		sentence string
		m        merge
		want     string
	}{
		{"nothing was recorded", merge{}, ""},
		{"nothing is lost", merge{base: all(0), merging: all(0), after: all(0)},
			"this merge loses 0 of 1,000, and each rollout after it 0 of 1,000"},
		{"it mends what runs", merge{base: all(50), merging: all(57), after: all(0)},
			"this merge loses 57 of 1,000 for the last time, by pods of main (a restart of which loses 50 of 1,000), and each rollout after it 0 of 1,000"},
		{"it breaks what runs, and shows it later", merge{base: all(0), merging: all(0), after: red(40)},
			"this merge loses 0 of 1,000, and each rollout after it 40 of 1,000"},
		{"it loses more than a restart does", merge{base: all(0), merging: red(9), after: all(0)},
			"this merge loses 9 of 1,000, more than a restart of main (0 of 1,000), and each rollout after it 0 of 1,000"},
		{"it never ends", merge{base: all(0), merging: all(0), unfinished: "its probe fails"},
			"the merge did not come to its end: its probe fails"},
		{"its restart was not recorded", merge{base: all(0), merging: all(0)}, "--base: no restart of what was merged was recorded"},
		{"it changes nothing", merge{base: all(0), after: all(0)}, "nothing is merged; a restart loses 0 of 1,000"},
		{"in one of several modes", merge{mode: "ipvs", base: all(0), merging: all(0), after: all(0)},
			"ipvs: this merge loses 0 of 1,000, and each rollout after it 0 of 1,000"},
	} {
		row.m.run, row.m.revision = &appRun{app: app}, "main"
		if got := row.m.result(); got != row.want {
			t.Errorf("%s: %q, want %q", row.sentence, got, row.want)
		}
	}
}

// A client may lose twice the share of its requests in the merge that one lost in a restart of the base.
func TestWhatAMergeMayLose(t *testing.T) {
	lane := func(lost, sent int) timeline.Lane {
		l := timeline.Lane{Lane: evidence.Lane{ID: "worker-fresh", Vantage: evidence.FromPod, Conn: evidence.Fresh},
			Failed: make([]timeline.Hit, lost)}
		l.Summary.Requests, l.Summary.SinceChange = sent, sent
		return l
	}
	for _, row := range []struct {
		sentence string
		lanes    []timeline.Lane
		want     int // thousandths
	}{
		{"the base loses nothing", []timeline.Lane{lane(0, 400)}, 0},
		{"its worst client counts", []timeline.Lane{lane(1, 400), lane(10, 400)}, 50},
		{"not more than all", []timeline.Lane{lane(300, 400)}, 1000},
		{"a client that sent nothing says nothing", []timeline.Lane{lane(0, 0)}, 0},
	} {
		m := merge{}
		m.restarted(kept.Recording{Timeline: timeline.Timeline{Lanes: row.lanes}}, "")
		if got := m.allowed(); got != row.want {
			t.Errorf("%s: %d, want %d", row.sentence, got, row.want)
		}
	}
}

// A base gets the images that were built of it.
func TestImagesOfTheBase(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "app.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(both)
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "app.yaml"},
		{"-c", "user.name=test", "-c", "user.email=test@example.com", "commit", "--quiet", "--message=app"}} {
		if out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", folder}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v: %s", args, err, out)
		}
	}
	const same = "images:    localhost/web:1 before and after: only manifests are tried\n"
	for _, row := range []struct {
		sentence, base, image, working string
		want, without                  string // lines of the plan, or the error
	}{
		{"the same on both sides", "HEAD", "", both, same, ""},
		{"another in the working tree", "HEAD", "", strings.Replace(both, "web:1", "web:2", 1), "", "only manifests"},
		{"another for the base", "HEAD", "localhost/web=localhost/web:main", both,
			"container: web, image localhost/web:main\n", "only manifests"},
		{"with its tag", "HEAD", "localhost/web:1=localhost/web:main", both, "container: web, image localhost/web:main\n", ""},
		{"of a name that no container has", "HEAD", "web=localhost/web:main", both,
			"--base-image=web=localhost/web:main: no container has such an image at HEAD: choose one of: localhost/web:1", ""},
		{"no image", "HEAD", "localhost/web=", both, "--base-image=localhost/web=: it does not name two images: ", ""},
		{"without a base", "", "localhost/web=x", both, "--base-image=localhost/web=x: it is for manifests of a base, and none is given: ", ""},
	} {
		write(row.working)
		o := Options{Sources: manifest.Sources{Files: []string{file}}, Base: row.base, DryRun: true}
		if row.image != "" {
			o.BaseImages = []string{row.image}
		}
		got, err := printed(t, o)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, row.want) || row.without != "" && strings.Contains(got, row.without) {
			t.Errorf("%s: want %q, and not %q:\n%s", row.sentence, row.want, row.without, got)
		}
	}
}
