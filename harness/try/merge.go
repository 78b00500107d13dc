package try

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"example.com/rollcall/harness/during"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/run"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/kept"
)

// A merge compares a pull request with what runs now. A rollout ends the pods of the old template (suites/rollout, hook-added), so that two
// are judged: the merge itself, and a restart of what was merged, as which every later rollout ends its pods. Before both the base
// restarts, since the merge ends its pods too and may lose what they lose anyway.
type merge struct {
	run      *appRun
	revision string // of the base
	change   Change // what the merge applies
	mode     string // of the cluster; empty: there is no other

	base, merging, after *losses
	share                float64 // of its requests that a client of the restarting base lost, at most
	unfinished           string  // why the merge did not come to its end
}

// variation is how many times the mean a rollout may lose: each termination loses requests for as long as rules lag, which is 0 to 1 s
// (kube-proxy's minSyncPeriod), evenly, so that its mean is half of its most.
const variation = 2

// atBase returns the app as it is at the base, and what a merge changes.
func atBase(ctx context.Context, o *Options, head []manifest.Object) (app *App, change Change, err error) {
	flag := "--base=" + o.Base
	switch {
	case o.To != "":
		return nil, change, usage.New(flag, "--to is given too", "leave one of them out: what is merged is rolled out")
	case slices.Contains(o.Files, "-"):
		return nil, change, usage.New(flag, "standard input has no revisions", "name files of a git repository")
	}
	at, remove, err := manifest.AtRevision(ctx, o.Sources, o.Base)
	if err != nil {
		return nil, change, err
	}
	defer remove()
	objects, err := manifest.Read(at)
	if err == nil {
		if err := o.setBaseImages(objects); err != nil {
			return nil, change, err
		}
		app, err = New(objects, o.Service, o.Workload)
	}
	if err != nil {
		return nil, change, usage.New(flag, usage.OneLine(err), "leave --base out where there was no such app before")
	}
	change = changeTo(head, "the working tree")
	if !slices.ContainsFunc(change.objects, app.workload.Same) {
		return nil, change, usage.New(flag, fmt.Sprintf("the working tree has no %s any more", app.workload),
			"say which workload stays: --workload")
	}
	return app, change, nil
}

// setBaseImages gives containers of the base the images that the options name.
func (o *Options) setBaseImages(base []manifest.Object) error {
	for _, given := range o.BaseImages {
		name, image, is := strings.Cut(given, "=")
		if !is || name == "" || image == "" {
			return usage.New("--base-image="+given, "it does not name two images", "write it like shop/web=localhost/web:main")
		}
		if !manifest.SetImage(base, name, image) {
			return usage.New("--base-image="+given, "no container has such an image at "+o.Base, "choose one of: "+
				strings.Join(manifest.Images(base), ", "))
		}
	}
	return nil
}

// changes returns what is recorded: the restart of the base, the merge, and the restart of what was merged.
func (m *merge) changes() []during.Change {
	workload := m.run.app.workload
	merged := m.change.objects[slices.IndexFunc(m.change.objects, workload.Same)]
	return []during.Change{
		{ID: "base", Unjudged: true, Does: func() string { return fmt.Sprintf("%s restarts as it is in %s", workload, m.revision) },
			Prepare: m.run.deploy, Do: m.run.restart, Judged: m.restarted},
		{ID: "merge", Does: func() string {
			return fmt.Sprintf("%s of %s gets the manifests of %s", workload, m.revision, m.change.from)
		},
			Prepare: m.begin, Do: func(ctx context.Context) error { return m.change.do(ctx, m.run.app, m.run.target.Load()) },
			Allows: m.allowed, MustEnd: true, Judged: m.merged},
		{ID: "rollout", Does: func() string { return fmt.Sprintf("%s restarts as it is merged", workload) },
			Prepare: m.await, Do: m.run.restart, Manifest: merged.Object, Autoscaled: m.run.app.autoscaler(),
			Judged: func(rec kept.Recording, _ string) { m.after = lossesOf(rec) }},
	}
}

// restarted takes the restart of the base.
func (m *merge) restarted(rec kept.Recording, _ string) {
	m.base = lossesOf(rec)
	for _, lane := range rec.Timeline.ServiceLanes() {
		if sent := lane.Summary.SinceChange; sent > 0 {
			m.share = max(m.share, float64(len(lane.Failed))/float64(sent))
		}
	}
}

// allowed returns the share of its requests that a client may lose in the merge, in thousandths: as large as in another restart of the
// base.
func (m *merge) allowed() int { return min(1000, int(math.Ceil(m.share*variation*1000))) }

// begin waits until the base is there again. A merge that changes nothing is not recorded.
func (m *merge) begin(ctx context.Context, site during.Site) error {
	if m.changesNothing() {
		site.Say("the merge changes nothing that is applied, and is not recorded")
		return run.ErrNothing
	}
	return m.run.target.Load().awaitReady(ctx, site.Cluster.Client(), m.run.app)
}

// changesNothing reports whether base and working tree have the same objects.
func (m *merge) changesNothing() bool {
	return slices.EqualFunc(m.run.app.Objects, m.change.objects, func(a, b manifest.Object) bool {
		return reflect.DeepEqual(a.Object,
			b.Object)
	})
}

func (m *merge) merged(rec kept.Recording, unfinished string) {
	m.merging, m.unfinished = lossesOf(rec), unfinished
}

// await waits until the app is as it is merged.
func (m *merge) await(ctx context.Context, site during.Site) error {
	if m.unfinished != "" || m.merging == nil && !m.changesNothing() {
		return run.ErrNothing
	}
	return m.run.target.Load().awaitReady(ctx, site.Cluster.Client(), m.run.app)
}

// result says what the merge costs, and what every rollout after it will.
func (m *merge) result() string {
	said := m.compared()
	if said != "" && m.mode != "" {
		said = m.mode + ": " + said
	}
	return said
}

func (m *merge) compared() string {
	switch {
	case m.base == nil: // the report says what broke
		return ""
	case m.unfinished != "":
		return "the merge did not come to its end: " + m.unfinished
	case m.after == nil:
		return "--base: no restart of what was merged was recorded"
	case m.merging == nil:
		return fmt.Sprintf("nothing is merged; a restart loses %s", m.after)
	}
	said := fmt.Sprintf("this merge loses %s", m.merging)
	switch {
	case m.merging.lost == 0:
	case !m.merging.passed():
		said += fmt.Sprintf(", more than a restart of %s (%s)", m.revision, m.base)
	case m.after.lost == 0:
		said += fmt.Sprintf(" for the last time, by pods of %s (a restart of which loses %s)", m.revision, m.base)
	default:
		said += fmt.Sprintf(", as a restart of %s does (%s)", m.revision, m.base)
	}
	return said + fmt.Sprintf(", and each rollout after it %s", m.after)
}
