package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/host/nodeimage"
	"example.com/rollcall/harness/host/setup"
	"example.com/rollcall/harness/kube"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/testenv"
)

// TestMachine builds a lab and boots it, on the real kernel. `make lab-test` runs it.
func TestMachine(t *testing.T) {
	testenv.Need(t, testenv.Lab)
	state, err := host.StateDir()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := setup.Ensure(t.Context(), t.Output()); err != nil {
		t.Fatal(err)
	}
	image, err := nodeimage.Ensure(t.Context(), t.Output(), kube.Default)
	if err != nil {
		t.Fatal(err)
	}
	im, err := build(t.Context(), t.Output(), filepath.Join(state, "lab"), image)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("a guest sees one folder of the host", func(t *testing.T) {
		said := boot(t, im, `mkdir /out
for option in hostfs=/ hostfs=../../../../.. hostfs=/etc; do
	mount -t hostfs -o $option none /out && echo "$option: $(ls /out | tr '\n' ' ')" && umount /out
done
ln -s / /lab/link && mount -t hostfs -o hostfs=link none /out && echo "link: $(ls /out | tr '\n' ' ')"
`, nil)
		if strings.Contains(said, "passwd") || strings.Contains(said, "usr") || strings.Count(said, scriptFile) != 4 {
			t.Error("it saw something else, or nothing")
		}
	})
	t.Run("one that hangs is given up and nothing of it is left", func(t *testing.T) {
		began := time.Now()
		boot(t, im, "sleep 1000\n", func(pid int) {
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Error(err)
			}
		})
		if took := time.Since(began); took > 2*silenceTimeout {
			t.Errorf("after %v", took)
		}
	})
}

// boot runs a script in a lab and returns the console's output. If hang is set, it is called to make the lab's processes hang.
func boot(t *testing.T, im images, script string, hang func(pid int)) string {
	t.Helper()
	work := t.TempDir()
	m := machine{kernel: im.kernel, shared: filepath.Join(work, "shared"),
		root: copyOnWrite(filepath.Join(work, "root.cow"), im.root), docker: copyOnWrite(filepath.Join(work, "docker.cow"), im.docker)}
	if err := os.Mkdir(m.shared, 0o755); err != nil {
		t.Fatal(err)
	}
	processes := func() []string {
		found, _ := command.Run(context.Background(), "pgrep --full uml_dir=%s", work) // fails if there is none
		return strings.Fields(found)
	}
	running, ended := context.WithCancel(t.Context())
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		alive := poll.Until(running, 100*time.Millisecond, func() (bool, error) {
			_, err := os.Stat(m.file(aliveFile))
			return err == nil, nil
		})
		if hang == nil || alive != nil {
			return
		}
		for _, pid := range processes() {
			n, err := strconv.Atoi(pid)
			if err != nil {
				t.Error(err)
				continue
			}
			hang(n)
		}
	}()
	var said strings.Builder
	code, err := m.run(t.Context(), &said, script)
	ended()
	<-watched
	t.Log(said.String())
	if hang == nil && (err != nil || code != 0) || hang != nil && !errors.Is(err, errSilent) {
		t.Errorf("exit code %d, %v", code, err)
	}
	if left := processes(); len(left) > 0 {
		t.Errorf("processes %v are left", left)
	}
	return said.String()
}
