package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A fakeProc is a /proc folder made up by a test.
type fakeProc struct {
	t      *testing.T
	folder string
}

func newProc(t *testing.T) fakeProc { return fakeProc{t, t.TempDir()} }

// machine writes /proc/stat, of two processors.
func (f fakeProc) machine(user, irq, softirq, stolen int) {
	const each = "cpu0 1 0 0 1 0 0 0 0 0 0\ncpu1 1 0 0 1 0 0 0 0 0 0\nintr 7 0 1 2 3 4 5 6 7\nctxt 9\n"
	f.write("stat", fmt.Sprintf("cpu  %d 0 0 900 9 %d %d %d 0 0\n", user, irq, softirq, stolen)+each)
}

// process writes the files of a process whose name is its command's or, in brackets, that of a kernel thread.
func (f fakeProc) process(pid, started, user, system int, line, nspid string) {
	folder, args, comm := strconv.Itoa(pid), "", strings.Trim(line, "[]")
	if comm == line {
		args, comm = strings.ReplaceAll(line, " ", "\x00")+"\x00", filepath.Base(strings.Fields(line)[0])
	}
	const format = "%d (%s) S 1 1 1 0 -1 4194304 96 0 0 0 %d %d 500 500 20 0 1 0 %d 313 7 0\n"
	f.write(folder+"/stat", fmt.Sprintf(format, pid, comm, user, system, started))
	f.write(folder+"/cmdline", args)
	f.write(folder+"/status", "Name:\t"+comm+"\nNSpid:\t"+nspid+"\n")
}

func (f fakeProc) end(pid int) {
	if err := os.RemoveAll(filepath.Join(f.folder, strconv.Itoa(pid))); err != nil {
		f.t.Error(err)
	}
}

func (f fakeProc) write(file, text string) {
	file = filepath.Join(f.folder, file)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		f.t.Error(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		f.t.Error(err)
	}
}

// percents are those of the rows that are not 0.
func percents(t table) map[string]float64 {
	all := map[string]float64{}
	for _, r := range append(append(t.Load, t.Harness...), t.Itself, t.Neighbours) {
		if r.Percent != 0 {
			all[r.Group] = r.Percent
		}
	}
	return all
}

func TestWhatCountsInAWindow(t *testing.T) {
	const line = "/agent -listen=:1"
	for _, tc := range []struct {
		sentence string
		readings []func(fakeProc) // one each second
		want     map[string]float64
	}{
		{"user and system time, but what was spent before, and not that of children", []func(fakeProc){
			func(f fakeProc) { f.process(7, 1, 1000, 500, line, "7 1") },
			func(f fakeProc) { f.process(7, 1, 1020, 530, line, "7 1") },
		}, map[string]float64{"agent": 50}},
		{"one that begins inside counts from 0", []func(fakeProc){
			func(fakeProc) {},
			func(f fakeProc) { f.process(7, 1, 30, 10, line, "7 1") },
			func(f fakeProc) { f.process(7, 1, 50, 10, line, "7 1") },
		}, map[string]float64{"agent": 30}},
		{"one that ends inside counts to its last reading", []func(fakeProc){
			func(f fakeProc) { f.process(7, 1, 30, 0, line, "7 1") },
			func(f fakeProc) { f.process(7, 1, 70, 0, line, "7 1") },
			func(f fakeProc) { f.end(7) },
		}, map[string]float64{"agent": 20}},
		{"a PID that is used again is another process", []func(fakeProc){
			func(f fakeProc) { f.process(7, 1, 30, 0, line, "7 1") },
			func(f fakeProc) { f.process(7, 2, 40, 0, "etcd --name=x", "7 1") },
		}, map[string]float64{"etcd": 40}},
		{"one that becomes another program is that", []func(fakeProc){
			func(f fakeProc) { f.process(7, 1, 10, 0, "runc init", "7 1") },
			func(f fakeProc) { f.process(7, 1, 30, 0, "/echo", "7 1") },
		}, map[string]float64{"echo": 20}},
		{"a name may have parentheses and spaces", []func(fakeProc){
			func(f fakeProc) { f.process(7, 1, 10, 0, "[sd) S 1 (pam]", "7") },
			func(f fakeProc) { f.process(7, 1, 30, 0, "[sd) S 1 (pam]", "7") },
		}, map[string]float64{"other": 20}},
		{"softirqs and interrupts are of /proc/stat, and not of their threads as well", []func(fakeProc){
			func(f fakeProc) { f.machine(100, 10, 20, 0); f.process(14, 1, 0, 10, "[ksoftirqd/0]", "14") },
			func(f fakeProc) { f.machine(100, 15, 30, 0); f.process(14, 1, 0, 15, "[ksoftirqd/0]", "14") },
		}, map[string]float64{"softirq, irq": 15}},
		{"only PID namespaces tell a node's containerd from the host's", []func(fakeProc){
			func(f fakeProc) {
				f.process(7, 1, 0, 0, "containerd -x", "7")
				f.process(8, 1, 0, 0, "containerd -x", "8 90")
			},
			func(f fakeProc) {
				f.process(7, 1, 10, 0, "containerd -x", "7")
				f.process(8, 1, 20, 0, "containerd -x", "8 90")
			},
		}, map[string]float64{"host dockerd, containerd": 10, "containerd": 20}},
		{"this program is not of the harness", []func(fakeProc){
			func(f fakeProc) { f.process(999, 1, 0, 0, "cputable", "999") },
			func(f fakeProc) { f.process(999, 1, 3, 0, "cputable", "999") },
		}, map[string]float64{"this program": 3}},
		{"nor is a program of the host that was there before the run; what began later and kernel threads are", []func(fakeProc){
			func(f fakeProc) {
				f.process(5, 10, 0, 0, "nginx -g x", "5")
				f.process(6, 10, 0, 0, "[kworker]", "6")
				f.process(7, 10, 0, 0, "pause", "7 1")
				f.process(8, 20, 0, 0, "out/bin/rollcall run", "8")
				f.process(9, 30, 0, 0, "docker ps", "9")
			},
			func(f fakeProc) {
				f.process(5, 10, 1, 0, "nginx -g x", "5")
				f.process(6, 10, 2, 0, "[kworker]", "6")
				f.process(7, 10, 4, 0, "pause", "7 1")
				f.process(8, 20, 8, 0, "out/bin/rollcall run", "8")
				f.process(9, 30, 16, 0, "docker ps", "9")
			},
		}, map[string]float64{"rollcall": 8, "other": 22, "other programs of the host": 1}},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			f := newProc(t)
			f.machine(100, 0, 0, 0)
			p, w := proc{folder: f.folder, self: 999}, window{}
			for i, change := range tc.readings {
				change(f)
				r, err := p.read()
				if err != nil {
					t.Fatal(err)
				}
				r.at = time.Unix(int64(i), 0)
				w.add(r)
			}
			got := percents(w.table(700, ""))
			if fmt.Sprint(got) != fmt.Sprint(tc.want) {
				t.Errorf("%v, want %v", got, tc.want)
			}
		})
	}
}

func TestAFolderThatIsNoProc(t *testing.T) {
	for sentence, files := range map[string]map[string]string{
		"nothing in it":                {},
		"no processor":                 {"stat": "ctxt 9\n"},
		"no numbers of the processors": {"stat": "cpu a b c d e f g h\ncpu0 1 2 3 4 5 6 7 8\n"},
		"a process without a name":     {"stat": "cpu 1 2 3 4 5 6 7 8\ncpu0 1 2 3 4 5 6 7 8\n", "7/stat": "7 S 1\n"},
		"a process with few numbers":   {"stat": "cpu 1 2 3 4 5 6 7 8\ncpu0 1 2 3 4 5 6 7 8\n", "7/stat": "7 (x) S 1\n"},
	} {
		f := newProc(t)
		for file, text := range files {
			f.write(file, text)
		}
		p := proc{folder: f.folder}
		if _, err := p.read(); err == nil || !strings.Contains(err.Error(), f.folder) {
			t.Errorf("%s: %v names no file", sentence, err)
		}
	}
}
