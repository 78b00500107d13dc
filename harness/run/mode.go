package run

import (
	"context"
	"errors"
	"io"
	"sync"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/dataplane"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/namespace"
	"example.com/rollcall/harness/verdict"
)

// A ModeRun is the recordings of one kube-proxy mode, side by side on one cluster, or each on a fresh one.
type ModeRun struct {
	run      *Run
	mode     string
	cluster  cluster.Cluster // nil: each scenario has a fresh one
	turns    *turns
	trial    *evidence.Trial // nil: there was none
	cleanups sync.WaitGroup  // of recordings, behind the next one
}

// Open opens the cluster for a mode and describes it in the run folder. With none it opens no cluster: each scenario has a fresh one. skip
// says why this host cannot have one.
func (r *Run) Open(ctx context.Context, out io.Writer, mode string, none bool) (m *ModeRun, skip string, err error) {
	if r.Options.FromHost {
		return r.modeRun(mode, noCluster{mode: mode}), "", r.describe(evidence.Cluster{Mode: mode})
	}
	if r.Target != nil {
		m = r.modeRun(mode, r.Target)
		m.trial, err = r.prepareTarget(ctx, out)
		return m, "", err
	}
	kernel := host.Kernel(ctx)
	identity := evidence.Cluster{Name: r.spec(mode, r.Folder).Name, Mode: mode, Provider: "kind", Kubernetes: r.Kubernetes,
		Kernel: kernel.Release, Features: hostFeatures(kernel)}
	if supported, because := dataplane.Of(mode).Supported(kernel); !supported {
		return nil, because, r.describe(identity)
	}
	if !r.admitted { // the cluster of another mode may still be there, and take the memory
		if _, err := r.checkHost(ctx); err != nil {
			return nil, "", err
		}
		r.admitted = true
	}
	if none {
		return r.modeRun(mode, nil), "", nil
	}
	c, err := r.openKind(ctx, out, r.spec(mode, r.Folder), r.Kubernetes)
	if err != nil {
		return nil, "", err
	}
	m = r.modeRun(mode, c)
	if m.trial, err = r.prepareCluster(ctx, out, c); err != nil {
		return nil, "", errors.Join(err, c.Close())
	}
	return m, "", nil
}

func (r *Run) modeRun(mode string, c cluster.Cluster) *ModeRun {
	limits := func() (jobs, most int) {
		_, jobs, most = r.limits()
		return jobs, most
	}
	return &ModeRun{run: r, mode: mode, cluster: c,
		turns: &turns{limits: limits, oneService: c == nil || c.Door().OneService, recordings: map[string]*shared{}}}
}

// Record waits for a turn, records a scenario and judges it, and writes its progress to out and the board. Goroutines may call it side by
// side. It returns an error if there is no verdict.
func (m *ModeRun) Record(ctx context.Context, out io.Writer, suite string, s harness.Scenario) (verdict.Verdict, error) {
	c := m.clusterOf(s)
	if because := m.run.skipReason(c, s); because != "" {
		return verdict.Verdict{Outcome: verdict.Skipped, Because: because},
			m.run.skip(versioned(ctx, c, header(suite, m.mode, s)), because)
	}
	return m.recordAndJudge(ctx, c, suite, s, out)
}

// clusterOf returns the cluster for a scenario.
func (m *ModeRun) clusterOf(s harness.Scenario) cluster.Cluster {
	if m.run.apart(s) {
		return noCluster{mode: m.mode, version: s.UnderLoad().FreshCluster.Kubernetes}
	}
	return m.cluster
}

// apart reports whether a cluster is made for a scenario alone.
func (p Plan) apart(s harness.Scenario) bool {
	return s.UnderLoad().FreshCluster != nil && p.Target == nil
}

// Close waits until nothing of the recordings is left on the cluster, and closes it.
func (m *ModeRun) Close(ctx context.Context) (err error) {
	m.cleanups.Wait()
	if m.cluster == nil {
		return nil
	}
	if m.run.Options.Namespaces == "" && !m.cluster.Temporary() { // else the namespaces stay, or are deleted with the cluster
		err = m.run.waitGone(ctx, m.cluster)
	}
	return errors.Join(err, m.cluster.Close())
}

// waitGone waits, even if ctx has ended, until no namespace that recordings created is left: none of Rollcall on a cluster of our own,
// none of this run on the target.
func (r *Run) waitGone(ctx context.Context, c cluster.APIServer) error {
	which := fixtures.Ours()
	if r.Target != nil {
		which = fixtures.OfRun(r.session.ID)
	}
	return namespace.WaitGone(context.WithoutCancel(ctx), c.Client(), which)
}

// stretch returns how many times as long as usual the cluster takes.
func (m *ModeRun) stretch() int {
	if m.trial == nil {
		return 1
	}
	return max(1, m.trial.Stretch)
}
