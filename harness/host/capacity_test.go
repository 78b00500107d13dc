package host

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/usage"
)

// The inotify instances of Rollcall's clusters count as free for a run that reuses or replaces the clusters, and as used for one
// more cluster beside them.
func TestCheckBeside(t *testing.T) {
	f := Facts{MemoryFree: 8 << 30, SameDisk: true, InotifyInstances: 128, InotifyOurs: 60,
		EngineDisk: Disk{"/var/lib/docker", 64 << 30}}
	if err := f.Check(false); err != nil {
		t.Error(err)
	}
	const says = "inotify: 60 of 128 instances are in use, and three nodes need 90 more: run: sysctl fs.inotify.max_user_instances=512"
	if err := f.CheckBeside(); err == nil || err.Error() != says {
		t.Errorf("%v, want %s", err, says)
	}
	if f.InotifyOurs = 30; f.CheckBeside() != nil {
		t.Error(f.CheckBeside())
	}
}

func TestCheck(t *testing.T) {
	roomy := Facts{MemoryFree: 8 << 30, EngineDisk: Disk{"/var/lib/docker", 64 << 30}, CacheDisk: Disk{"/home/ann/.cache", 64 << 30},
		SameDisk:         true,
		InotifyInstances: 128, InotifyUsed: 30}
	for _, tc := range []struct {
		sentence string
		building bool
		change   func(*Facts)
		says     []string // parts of the error's lines
	}{
		{"a roomy host is fit", true, func(*Facts) {}, nil},
		{"too little memory is refused with what is needed", false, func(f *Facts) { f.MemoryFree = 1 << 30 },
			[]string{"memory: 1.0 GiB is available, and three nodes and the load need 3.0 GiB: end other programs"}},
		{"too little disk is refused with what is needed", false, func(f *Facts) { f.EngineDisk.Free = 1 << 30 },
			[]string{"disk of /var/lib/docker: 1.0 GiB is free for the engine's images and the caches, and 4.0 GiB is needed: "}},
		{"building needs more disk than running", true, func(f *Facts) { f.EngineDisk.Free = 5 << 30 }, []string{"and 12.0 GiB is needed"}},
		{"running needs less disk than building", false, func(f *Facts) { f.EngineDisk.Free = 5 << 30 }, nil},
		{"of two disks the engine's may be short", true, func(f *Facts) { f.SameDisk, f.EngineDisk.Free = false, 3<<30 },
			[]string{"disk of /var/lib/docker: 3.0 GiB is free for the engine's images, and 4.0 GiB is needed: free some space"}},
		{"or the caches'", true, func(f *Facts) { f.SameDisk, f.CacheDisk.Free = false, 5<<30 },
			[]string{"disk of /home/ann/.cache: 5.0 GiB is free for the caches, and 8.0 GiB is needed: free some space"}},
		{"the caches' disk needs little without a build", false, func(f *Facts) { f.SameDisk, f.CacheDisk.Free = false, 2<<30 }, nil},
		{"a bound on inotify instances that three nodes pass is refused with the command", false,
			func(f *Facts) { f.InotifyInstances, f.InotifyUsed = 64, 0 },
			[]string{"inotify: 0 of 64 instances are in use, and three nodes need 90 more: run: sysctl fs.inotify.max_user_instances=512"}},
		{"so are instances that others have used up", false, func(f *Facts) { f.InotifyUsed = 110 },
			[]string{"inotify: 110 of 128 instances are in use, and three nodes need 90 more: run: sysctl fs.inotify.max_user_instances=512"}},
		{"of a bound that is high already, to twice as many", false, func(f *Facts) { f.InotifyInstances, f.InotifyUsed = 1024, 1000 },
			[]string{"run: sysctl fs.inotify.max_user_instances=2048"}},
		{"an unknown bound is not an error", false, func(f *Facts) { f.InotifyInstances, f.InotifyUsed = 0, 100 }, nil},
		{"everything that is short is said at once", false, func(f *Facts) { f.MemoryFree, f.EngineDisk.Free, f.InotifyUsed = 1, 1, 128 },
			[]string{"memory: ", "disk of ", "inotify: "}},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			facts := roomy
			tc.change(&facts)
			err := facts.Check(tc.building)
			if usage.Is(err) != (tc.says != nil) {
				t.Fatalf("error %v", err)
			}
			if err == nil {
				return
			}
			lines := strings.Split(err.Error(), "\n")
			if len(lines) != len(tc.says) {
				t.Fatalf("%q, want %d lines", lines, len(tc.says))
			}
			for i, line := range lines {
				if !strings.Contains(line, tc.says[i]) {
					t.Errorf("%q, want %q", line, tc.says[i])
				}
			}
		})
	}
}

func TestInotifyUsed(t *testing.T) {
	proc := t.TempDir()
	for pid, process := range map[string]struct {
		group string
		opens []string
	}{
		"1":    {"0::/init.scope", []string{inotifyLink, inotifyLink, "anon_inode:[eventpoll]", "/dev/null"}},
		"77":   {"0::/system.slice/cron.service", []string{"socket:[1]"}},
		"300":  {"3:cpu:/docker/5eed/kubelet", []string{inotifyLink, inotifyLink, inotifyLink}},
		"301":  {"3:cpu:/docker/f00d/kubelet", []string{inotifyLink}},
		"self": {"0::/", []string{inotifyLink}},
	} {
		fds := filepath.Join(proc, pid, "fd")
		if err := os.MkdirAll(fds, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proc, pid, "cgroup"), []byte(process.group+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for i, link := range process.opens {
			if err := os.Symlink(link, filepath.Join(fds, string(rune('0'+i)))); err != nil {
				t.Fatal(err)
			}
		}
	}
	us := uint32(os.Geteuid())
	for _, tc := range []struct {
		sentence string
		user     uint32
		ours     []string // containers
		want     int
		wantOurs int
	}{
		{"every process of the user counts, once", us, nil, 6, 0},
		{"those of clusters of ours count apart", us, []string{"5eed"}, 3, 3},
		{"another user's do not", us + 1, nil, 0, 0},
	} {
		if got, ours := inotifyUsed(proc, tc.user, tc.ours); got != tc.want || ours != tc.wantOurs {
			t.Errorf("%s: %d and %d, want %d and %d", tc.sentence, got, ours, tc.want, tc.wantOurs)
		}
	}
}

func TestDisks(t *testing.T) {
	folder := t.TempDir()
	engine, cache, one := disks(filepath.Join(folder, "not", "there"), folder)
	if !one || engine.Free == 0 || engine.Folder == cache.Folder {
		t.Errorf("%+v, %+v, one disk: %v", engine, cache, one)
	}
	if _, _, one := disks("/proc", folder); one {
		t.Error("/proc is on the disk of a folder")
	}
}
