package mutants

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
)

// starvedMutants take processor time away. A slow host excuses what goes wrong; a pod's own limit and a stopped program do not.
func starvedMutants() []Mutant {
	newPod := Moment{Event: evidence.PodReady, Version: harness.NewVersion, After: time.Second}
	return []Mutant{
		{ID: "host-starved", Damages: "real-time processes have all processors of the host for 2 s, in the first recording", Of: drained,
			When: begun(time.Second), Do: hostStarved, Once: true, Want: verdict.Pass, Cause: Retry},
		{ID: "kubelet-starved", Damages: "the kubelet of a pod that was deleted gets 0.1 % of a processor for 12 s: its hook begins late",
			Of: "termination/hook-sleep", When: Moment{Event: evidence.PodReady, After: time.Second},
			Do: disruption.Together(disruption.Lasting(12*time.Second, worker, limit(kubeletCgroup, 0.1), limit(kubeletCgroup, 0)),
				disruption.Lasting(12*time.Second, worker2, limit(kubeletCgroup, 0.1), limit(kubeletCgroup, 0))),
			Want: verdict.Inconclusive, Cause: "between"},
		{ID: "pod-stopped", Damages: "the process of a new pod is stopped for 2 s", Of: drained, When: newPod,
			Do: signalled("kill -STOP $pid; sleep 2; kill -CONT $pid"), Want: verdict.Fail, Cause: "no-slow-replies"},
		{ID: "pod-throttled", Damages: "a new pod's own limit gives it 0.1 % of a processor for 3 s", Of: drained, When: newPod,
			Do:   signalled(limit(ownCgroup, 0.1) + "; sleep 3; " + limit(ownCgroup, 50)),
			Want: verdict.Fail, Cause: "no-slow-replies"},
	}
}

// Lines of shell script that put the path of a cgroup on a node into $cpu: that of its kubelet, and that of the process $pid.
const (
	cpuHierarchy  = `cpu=/sys/fs/cgroup/cpu; [ -d $cpu ] || cpu=/sys/fs/cgroup`
	ofPid         = `cg=$(sed -nE 's#^([0-9]+:([a-z_]+,)*cpu(,[a-z_]+)*|0:):?(/.*)#\4#p' /proc/$pid/cgroup | head -n 1); cpu=$cpu$cg`
	kubeletCgroup = cpuHierarchy + `; pid=$(pgrep -x kubelet); ` + ofPid
	ownCgroup     = cpuHierarchy + `; ` + ofPid
)

// limit returns a line of shell script that limits a cgroup to some percent of a processor; 0: no limit.
func limit(cgroup string, percent float64) string {
	quota, most := "-1", "max"
	if percent > 0 {
		quota = fmt.Sprint(int(percent * 10_000)) // microseconds of each second
		most = quota
	}
	return strings.NewReplacer("QUOTA", quota, "MOST", most).Replace(cgroup +
		`; if [ -e $cpu/cpu.max ]; then echo "MOST 1000000" >$cpu/cpu.max; else echo -1 >$cpu/cpu.cfs_quota_us; ` +
		`echo 1000000 >$cpu/cpu.cfs_period_us; echo QUOTA >$cpu/cpu.cfs_quota_us; fi`)
}

// hostStarved keeps all processors of this host busy for 2 s with real-time processes, so that only the load agents run, which have the
// same policy. It runs on the host, because real-time processes get no time in a node's cgroup (RT_GROUP_SCHED).
func hostStarved(ctx context.Context, _ disruption.Stage) error {
	var hogs errgroup.Group
	for range runtime.NumCPU() {
		hogs.Go(func() error {
			_, err := command.Run(ctx, "timeout --preserve-status --signal=KILL 2 chrt --rr 1 sha256sum /dev/zero")
			var ended *exec.ExitError
			if errors.As(err, &ended) || ctx.Err() != nil { // killed, as intended
				return nil
			}
			return err
		})
	}
	return hogs.Wait()
}
