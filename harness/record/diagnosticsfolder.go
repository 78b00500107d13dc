package record

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"slices"
	"sync"

	"example.com/rollcall/harness/usage"
)

// A folder takes files until it is full. Later files are only listed by name.
type folder struct {
	root *os.Root // keeps file names from leading out of the folder

	mu      sync.Mutex
	left    int      // bytes
	files   []string // README lines
	missing []string // README lines
}

func open(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	return &folder{root: root, left: folderLimit - fileLimit}, err // the last MiB is README.txt's
}

// add writes a file, whose name may have slashes, cut to the size that is left. Without data it writes no file. An error says why
// data is missing.
func (f *folder) add(name string, data []byte, err error) {
	if err != nil {
		f.miss(name, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	limit := min(fileLimit, f.left)
	if len(data) > limit {
		data = data[:limit]
		data = data[:bytes.LastIndexByte(data, '\n')+1]
		f.missing = append(f.missing, fmt.Sprintf("%s: cut after %d bytes: the size limit is reached", name, len(data)))
	}
	if len(data) == 0 {
		return
	}
	if err := f.write(name, data); err != nil {
		f.missing = append(f.missing, name+": "+usage.OneLine(err))
		return
	}
	f.left -= len(data)
	f.files = append(f.files, fmt.Sprintf("%s, %d bytes", name, len(data)))
}

func (f *folder) write(name string, data []byte) error {
	if err := f.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return f.root.WriteFile(name, data, 0o644)
}

// miss notes why a file, or the rest of it, is missing.
func (f *folder) miss(name string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.missing = append(f.missing, name+": "+usage.OneLine(err))
}

// about is the beginning of README.txt.
const about = `What the cluster looked like when a scenario did not pass, in namespace %s.

Objects are as the API server gave them, less managed fields, the last applied
configuration and the annotations of nodes. Secrets and ConfigMaps were not asked
for. Withheld are the values of environment variables and headers of probes, and
what may be secret, by its name, in arguments, annotations, options of volumes and
URLs. What an app logs is as it was. Logs are the last %d lines of a container, and
%d of a kubelet.
At most %d MiB a file and %d MiB in all were kept, of what came within %s.
`

func (f *folder) readme(namespace string) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, about, namespace, podLines, nodeLines, fileLimit>>20, folderLimit>>20, diagnosticsTimeout)
	for _, part := range []struct {
		title string
		lines []string
	}{{"Left out", f.missing}, {"Here", f.files}} {
		if len(part.lines) == 0 {
			continue
		}
		slices.Sort(part.lines)
		fmt.Fprintf(&b, "\n%s:\n", part.title)
		for _, line := range part.lines {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	text := b.Bytes()
	return f.write("README.txt", text[:min(len(text), fileLimit)])
}

func (f *folder) close() error { return f.root.Close() }
