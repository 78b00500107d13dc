package observe

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"example.com/rollcall/harness/evidence"
)

// A program is what waits are attributed to: one of a node, or of a pod's container.
type program struct {
	node string
	pod  evidence.Server
	name string // name of the program, such as "kubelet"
}

type process struct {
	program
	folder  string // in procfs
	threads map[int]*thread
	limits  []*limit // CPU limits of its cgroups, if any
}

// Programs that are measured beside the recording's pods, by their names in the kernel: outside pods, and in system pods.
var (
	nodePrograms = map[string]string{"kubelet": "kubelet", "containerd": "containerd"}
	podPrograms  = map[string]string{"kube-apiserver": "kube-apiserver", "etcd": "etcd", "kube-controller": "kube-controller-manager",
		"kube-scheduler": "kube-scheduler", "kube-proxy": "kube-proxy", "coredns": "coredns"}
)

// podCgroup matches kubelet's name of a pod's cgroup, with cgroupfs or with systemd (pkg/kubelet/cm, v1.37).
var podCgroup = regexp.MustCompile(`pod([0-9a-f]{8}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{4}[-_][0-9a-f]{12}|[0-9a-f]{32})`)

// Processes that are not measured: ignored is of no interest; pending may be later, since its pod has not been seen yet, or it is
// still the container runtime.
var (
	ignored = &process{}
	pending = &process{}
)

// search finds new processes and threads. Their waits until now count if they began since the last search.
func (m *CPUMeter) search() {
	running := map[int]bool{}
	for _, pid := range numbers(m.sources.Proc) {
		running[pid] = true
		p, known := m.processes[pid]
		if !known || p == pending {
			now := m.identify(pid)
			now.search(!known && m.searched >= 0)
			m.processes[pid] = now
			continue
		}
		p.search(true)
	}
	for pid, p := range m.processes {
		if !running[pid] {
			p.close()
			delete(m.processes, pid)
		}
	}
}

// identify returns the process with a pid, and its program.
func (m *CPUMeter) identify(pid int) *process {
	folder := filepath.Join(m.sources.Proc, strconv.Itoa(pid))
	comm, err := os.ReadFile(filepath.Join(folder, "comm"))
	if err != nil {
		return ignored
	}
	name := strings.TrimSpace(string(comm))
	p := &process{folder: folder, threads: map[int]*thread{}}
	if strings.HasPrefix(name, "ksoftirqd/") { // kernel thread for packets that a busy processor puts off
		p.name = "ksoftirqd"
		return p
	}
	text, err := os.ReadFile(filepath.Join(folder, "cgroup"))
	if err != nil {
		return ignored
	}
	for id, node := range m.sources.Nodes {
		if bytes.Contains(text, []byte(id)) {
			p.node = node
		}
	}
	switch {
	case p.node == "" || name == "pause":
		return ignored
	case strings.HasPrefix(name, "runc:"): // becomes the container's program
		return pending
	}
	in := podCgroup.FindSubmatch(text)
	if in == nil {
		if p.name = nodePrograms[name]; p.name == "" {
			return ignored
		}
		return p
	}
	uid := strings.ReplaceAll(string(in[1]), "_", "-")
	if server, ours := m.sources.Pod(uid); ours {
		p.pod, p.name = server, name
		p.pod.Node = p.node
	} else if p.name = podPrograms[name]; p.name == "" {
		return pending
	}
	p.limits = limitsOf(string(text))
	return p
}

// search finds new threads. Their waits until now count if they are fresh: they began since the last search.
func (p *process) search(fresh bool) {
	if p.folder == "" {
		return
	}
	for _, tid := range numbers(filepath.Join(p.folder, "task")) {
		if p.threads[tid] == nil {
			if t := openThread(filepath.Join(p.folder, "task", strconv.Itoa(tid), "schedstat")); t != nil {
				if !fresh {
					_, _ = t.waited()
				}
				p.threads[tid] = t
			}
		}
	}
}

func (p *process) throttled() (sum time.Duration) {
	for _, l := range p.limits {
		sum += l.throttled()
	}
	return sum
}

func (p *process) close() {
	for _, t := range p.threads {
		t.close()
	}
	for _, l := range p.limits {
		l.close()
	}
}

// numbers returns the names in a folder that are numbers.
func numbers(folder string) (all []int) {
	f, err := os.Open(folder)
	if err != nil {
		return nil
	}
	defer f.Close()
	names, _ := f.Readdirnames(-1)
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			all = append(all, n)
		}
	}
	return all
}
