package observe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/rollcall/harness/evidence"
)

const ms = time.Millisecond

// A procfs is a folder with the files of processes that a CPUMeter reads.
type procfs struct {
	*testing.T
	dir string
}

func (p procfs) write(path, text string) {
	p.Helper()
	file := filepath.Join(p.dir, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

// process adds a process with one thread.
func (p procfs) process(pid int, comm, cgroup string) {
	p.write(fmt.Sprintf("%d/comm", pid), comm+"\n")
	p.write(fmt.Sprintf("%d/cgroup", pid), "4:memory:"+cgroup+"\n")
	p.waited(pid, pid, 0)
}

// waited sets how long a thread has been on run queues since it began.
func (p procfs) waited(pid, tid int, d time.Duration) {
	p.write(fmt.Sprintf("%d/task/%d/schedstat", pid, tid), fmt.Sprintf("123 %d 7\n", d.Nanoseconds()))
}

func TestMeter(t *testing.T) {
	const node, uid, other = "/docker/1f0c", "0a1b2c3d-0000-1111-2222-333344445555", "ffffffff-0000-1111-2222-333344445555"
	p := procfs{t, t.TempDir()}
	p.write("self/schedstat", "1 2 3\n")
	p.process(10, "kubelet", node+"/kubelet.slice")
	p.process(11, "echo", node+"/kubelet/kubepods/burstable/pod"+uid+"/ab")
	p.process(12, "kube-apiserver", node+"/kubelet.slice/kubelet-kubepods-pod0a1b2c3d_9999_1111_2222_333344445555.slice/cri-ab.scope")
	p.process(13, "echo", node+"/kubelet/kubepods/burstable/pod"+other+"/ab") // of another recording
	p.process(14, "pause", node+"/kubelet/kubepods/burstable/pod"+uid+"/cd")
	p.process(15, "kubelet", "/docker/of-another-cluster")
	p.process(16, "bash", node+"/init.scope")
	p.process(17, "ksoftirqd/0", "/")
	for pid := 10; pid <= 17; pid++ {
		p.waited(pid, pid, time.Hour) // before the recording
	}
	var noted []evidence.Event
	m := &CPUMeter{sources: CPUWaitSources{Proc: p.dir, Nodes: map[string]string{"1f0c": "worker"},
		Note: func(e evidence.Event) { noted = append(noted, e) },
		Pod: func(id string) (evidence.Server, bool) {
			return evidence.Server{Version: "v1", Pod: "echo-a"}, id == uid
		}},
		processes: map[int]*process{}, waits: map[program]*waits{}, ends: []time.Duration{0}, searched: -searchEvery}
	m.sample(100 * ms)
	for pid := 10; pid <= 17; pid++ {
		p.waited(pid, pid, time.Hour+50*ms)
	}
	m.sample(200 * ms)
	p.waited(11, 11, time.Hour+300*ms) // a wait that began before the last sample
	p.waited(11, 20, 80*ms)            // a thread that began since
	m.searched = -searchEvery
	m.sample(300 * ms)
	m.flush(len(m.ends) - 1)
	slices.SortFunc(noted, func(a, b evidence.Event) int { return int(a.At-b.At) + len(a.Detail) - len(b.Detail) })
	var got []string
	for _, e := range noted {
		got = append(got, fmt.Sprintf("%s %s%s %s: %d of %d ms to %v", e.Kind, e.Object, e.By.Pod, e.Detail, e.Count, e.For.Milliseconds(), e.At))
	}
	slices.Sort(got)
	want := []string{
		"cpu-wait  ksoftirqd: 50 of 100 ms to 200ms",
		"cpu-wait worker kube-apiserver: 50 of 100 ms to 200ms",
		"cpu-wait worker kubelet: 50 of 100 ms to 200ms",
		"cpu-wait workerecho-a echo: 200 of 200 ms to 300ms",
		"cpu-wait workerecho-a echo: 50 of 100 ms to 100ms",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStretches(t *testing.T) {
	ends := []time.Duration{0, 100 * ms, 200 * ms, 300 * ms, 400 * ms}
	for _, row := range []struct {
		sentence string
		sums     []time.Duration
		want     []stretch
	}{
		{"nobody waited", []time.Duration{0, 0}, nil},
		{"a short wait is not noted", []time.Duration{4 * ms}, nil},
		{"the same share goes on", []time.Duration{80 * ms, 90 * ms}, []stretch{{0, 200 * ms, 170 * ms}}},
		{"another share is another stretch", []time.Duration{10 * ms, 90 * ms}, []stretch{{0, 100 * ms, 10 * ms}, {100 * ms, 200 * ms, 90 * ms}}},
		{"after a pause it is another stretch", []time.Duration{90 * ms, 0, 90 * ms},
			[]stretch{{0, 100 * ms, 90 * ms}, {200 * ms, 300 * ms, 90 * ms}}},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if diff := cmp.Diff(row.want, stretches(ends, row.sums), cmp.AllowUnexported(stretch{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever threads waited, a process never waits for longer than the time that passed, nor than all threads together.
func TestMostIsWithinTheTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ends, of, counted := []time.Duration{0}, []time.Duration(nil), time.Duration(0)
		for range rapid.IntRange(1, 20).Draw(t, "samples") {
			ends = append(ends, ends[len(ends)-1]+time.Duration(rapid.IntRange(1, 300).Draw(t, "length"))*ms)
			for range rapid.IntRange(0, 3).Draw(t, "threads") {
				waited := time.Duration(rapid.IntRange(0, 2000).Draw(t, "waited")) * ms
				of, counted = keepLongest(of, ends, waited), counted+waited
			}
		}
		var sum time.Duration
		for i, d := range of {
			if sum += d; d > ends[i+1]-ends[i] {
				t.Fatalf("sample %d of %v has %v", i, ends[i+1]-ends[i], d)
			}
		}
		if sum > counted {
			t.Fatalf("%v of %v", sum, counted)
		}
	})
}
