package nodeimage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"example.com/rollcall/harness/command"
)

// progressEvery is how often a long step prints a line.
const progressEvery = 15 * time.Second

// A Builder makes a build of several minutes in steps, which print progress lines and may run in parallel. The result of a step, a
// part, is kept under a name with a hash of its inputs, so that a build that was interrupted goes on where it stopped.
type Builder struct {
	title  string
	folder string // of all builds: parts and logs
	log    *os.File
	began  time.Time

	mu    sync.Mutex // guards the rest
	out   io.Writer
	step  int // steps begun
	steps int // steps in all
}

// NewBuilder begins a build, with parts and log in folder and progress lines on w. The caller has to close the Builder.
func NewBuilder(w io.Writer, folder, log, title string, steps int) (*Builder, error) {
	if err := os.MkdirAll(filepath.Join(folder, "parts"), 0o755); err != nil {
		return nil, fmt.Errorf("nodeimage: %w", err)
	}
	file, err := os.Create(filepath.Join(folder, log))
	if err != nil {
		return nil, fmt.Errorf("nodeimage: %w", err)
	}
	return &Builder{title: title, folder: folder, out: w, log: file, began: time.Now(), steps: steps}, nil
}

// Close closes the log.
func (b *Builder) Close() error { return b.log.Close() }

// Write writes to the log.
func (b *Builder) Write(p []byte) (int, error) { return b.log.Write(p) }

// Do runs one step with progress lines. Its error names the step and the log.
func (b *Builder) Do(name string, step func() error) error {
	began, number := time.Now(), b.next()
	b.print(number, name, "...")
	fmt.Fprintf(b.log, "=== %s\n", name)
	done := make(chan error, 1)
	go func() { done <- step() }()
	for {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("step %s: %w: log %s", name, err, b.log.Name())
			}
			b.print(number, name, "done in "+clock(time.Since(began)))
			return nil
		case <-time.After(progressEvery):
			b.print(number, name, "for "+clock(time.Since(began)))
		}
	}
}

// next counts a step as begun.
func (b *Builder) next() (number int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.step++
	return b.step
}

func (b *Builder) print(number int, name, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	fmt.Fprintf(b.out, "%s  %s  [%d/%d] %s %s\n", b.title, clock(time.Since(b.began)), number, b.steps, name, what)
}

// Part makes a part in a temporary folder, which is renamed when the part is complete. It does nothing if the part exists.
func (b *Builder) Part(name, version string, inputs any, make func(dir string) error) error {
	final := b.Dir(name, version, inputs)
	if _, err := os.Stat(final); err == nil {
		b.next()
		return nil
	}
	return b.Do(name+" "+version, func() error {
		// Left by builds of the part that did not come to their end.
		if err := removeMatching(filepath.Join(b.folder, "parts", name+"-*"+partial), ""); err != nil {
			return err
		}
		dir := final + partial
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		if err := make(dir); err != nil {
			return err
		}
		return os.Rename(dir, final)
	})
}

// RemoveOthers removes the parts of a name and version that were made from other inputs.
func (b *Builder) RemoveOthers(name, version string, inputs any) error {
	return removeMatching(filepath.Join(b.folder, "parts", name+"-"+version+"-*"), b.Dir(name, version, inputs))
}

// partial is the end of the name of an incomplete part.
const partial = ".partial"

// removeMatching removes all paths that match a pattern, except one.
func removeMatching(pattern, but string) error {
	paths, err := filepath.Glob(pattern)
	for _, path := range paths {
		if path != but {
			err = errors.Join(err, os.RemoveAll(path))
		}
	}
	return err
}

// Dir returns the folder of a finished part.
func (b *Builder) Dir(name, version string, inputs any) string {
	return partDir(b.folder, name, version, inputs)
}

// partDir returns the folder of a finished part, below the folder of all builds.
func partDir(folder, name, version string, inputs any) string {
	return filepath.Join(folder, "parts", fmt.Sprintf("%s-%s-%s", name, version, contentHash(inputs)))
}

// Run runs a command of a step. Its output goes to the build's log, and to the log of the command if there is one.
func (b *Builder) Run(ctx context.Context, c command.Command) (string, error) {
	fmt.Fprintf(b.log, "$ %s\n", c.Line)
	if c.Log == nil {
		c.Log = b.log
	} else {
		c.Log = io.MultiWriter(b.log, c.Log)
	}
	return c.Run(ctx)
}

// Line runs a command line of a step, like Run.
func (b *Builder) Line(ctx context.Context, format string, args ...any) (string, error) {
	return b.Run(ctx, command.Command{Line: fmt.Sprintf(format, args...)})
}

// contentHash returns a hash of a value's JSON, in 8 hexadecimal digits.
func contentHash(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // callers pass only plain data
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:4])
}

func clock(d time.Duration) string {
	d = d.Round(time.Second)
	return fmt.Sprintf("%02d:%02d", int(d.Minutes()), int(d.Seconds())%60)
}
