package nodeimage

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A part is made once from the same inputs. After a failure it is made again, without any file of the first time.
func TestPart(t *testing.T) {
	folder := t.TempDir()
	var said bytes.Buffer
	b, err := NewBuilder(&said, folder, "build.log", "a thing", 3)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	made := 0
	makes := func(fails error) func(string) error {
		return func(dir string) error {
			made++
			return errors.Join(os.WriteFile(filepath.Join(dir, "file"), []byte("text"), 0o600), fails)
		}
	}
	broken := errors.New("broken")
	if err := b.Part("kernel", "7", "old", makes(broken)); !errors.Is(err, broken) || !strings.Contains(err.Error(), "step kernel 7") ||
		!strings.Contains(err.Error(), b.log.Name()) {
		t.Errorf("%v", err)
	}
	for _, inputs := range []string{"old", "new", "new"} {
		if err := b.Part("kernel", "7", inputs, makes(nil)); err != nil {
			t.Fatal(err)
		}
	}
	if made != 3 {
		t.Errorf("made %d times", made)
	}
	if err := b.RemoveOthers("kernel", "7", "new"); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(folder, "parts", "*"))
	if err != nil || len(left) != 1 || left[0] != b.Dir("kernel", "7", "new") {
		t.Errorf("%v, %v", left, err)
	}
	if !strings.Contains(said.String(), "a thing  00:00  [1/3] kernel 7 ...") {
		t.Errorf("%s", &said)
	}
}

// Steps may run in parallel. Each prints a line every 15 s.
func TestDoSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		b, err := NewBuilder(&said, t.TempDir(), "build.log", "a thing", 3)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		lasts := func(d time.Duration) func() error { return func() error { time.Sleep(d); return nil } }
		other := make(chan error, 1)
		go func() { other <- b.Do("download", lasts(50*time.Second)) }()
		synctest.Wait()
		time.Sleep(time.Second) // of the bubble's fake clock, so that the lines have an order
		if err = errors.Join(b.Do("compile", lasts(20*time.Second)), b.Do("pack", lasts(time.Second)), <-other); err != nil {
			t.Fatal(err)
		}
		const want = `a thing  00:00  [1/3] download ...
a thing  00:01  [2/3] compile ...
a thing  00:15  [1/3] download for 00:15
a thing  00:16  [2/3] compile for 00:15
a thing  00:21  [2/3] compile done in 00:20
a thing  00:21  [3/3] pack ...
a thing  00:22  [3/3] pack done in 00:01
a thing  00:30  [1/3] download for 00:30
a thing  00:45  [1/3] download for 00:45
a thing  00:50  [1/3] download done in 00:50
`
		if diff := cmp.Diff(want, said.String()); diff != "" {
			t.Error(diff)
		}
	})
}
