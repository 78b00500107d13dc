package provision

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/usage"
)

// Program is the name of rollcall-host.
const Program = "rollcall-host"

// source is its package, relative to the module.
const source = "./harness/host/rollcall-host"

// JSON is the option with which it prints an Answer.
const JSON = "--json"

// An Answer is what rollcall-host prints as its only line of standard output, with the option JSON.
type Answer struct {
	Made  string `json:"made,omitempty"`  // the name of an image, or the path of a file or folder
	Error string `json:"error,omitempty"` // why there is none; with exit code 2 it is a [usage.Error] in each line
}

// ExitUsage is the exit code with which it refuses what is asked, or this host.
const ExitUsage = 2

// find returns the path of rollcall-host: beside this program, in out/bin of the clone, or in PATH; empty if it is in none of them.
func find() string {
	var folders []string
	if self, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Dir(self))
	}
	if home, err := layout.Find(); err == nil && home.Module != "" {
		folders = append(folders, filepath.Join(home.Module, "out", "bin"))
	}
	for _, folder := range folders {
		if path, err := exec.LookPath(filepath.Join(folder, Program)); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(Program)
	if err != nil {
		return ""
	}
	return path
}

// clone returns the folder of the module if this is a test of it; else it is empty.
func clone() string {
	home, err := layout.Find()
	if err != nil || !testing.Testing() {
		return ""
	}
	return home.Module
}

// provide returns the path of rollcall-host; empty if it is not here. For a test it is compiled into out/bin, as the test itself was.
func provide(ctx context.Context, w io.Writer) (path string, err error) {
	module := clone()
	if module == "" {
		return find(), nil
	}
	path = filepath.Join(module, "out", "bin", Program)
	err = host.WithLock(ctx, w, Program, "compiles "+Program, func(string) error {
		build := command.Command{Line: fmt.Sprintf(`go build -o "%s" %s`, path, source), Dir: module, Env: []string{"CGO_ENABLED=0"}}
		_, err := build.Run(ctx)
		return err
	})
	return path, err
}

// missing reports whether rollcall-host is not here.
func missing() bool { return clone() == "" && find() == "" }

// toRun says how to run rollcall-host with arguments.
func toRun(args ...string) string {
	words := strings.Join(args, " ")
	at := find()
	if at == "" {
		return Program + " " + words + " (build it in a clone, beside rollcall or into PATH: go build " + source + ")"
	}
	if working, err := os.Getwd(); err == nil && filepath.IsAbs(at) {
		if near, err := filepath.Rel(working, at); err == nil && filepath.IsLocal(near) {
			at = "." + string(filepath.Separator) + near
		}
	}
	return at + " " + words
}

// call has rollcall-host make something, with progress on w, and returns its name or path. thing is what errors call it. Without
// rollcall-host, and where that refuses, the error is a [usage.Error].
func call(ctx context.Context, w io.Writer, thing string, args ...string) (made string, err error) {
	at, err := provide(ctx, w)
	if err != nil {
		return "", err
	}
	if at == "" {
		return "", usage.New(thing, "this host has none", toRun(args...))
	}
	out, err := command.Command{Line: `"` + at + `"`, Args: append([]string{JSON}, args...), Stderr: w, Awaited: true}.Run(ctx)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	var answer Answer
	if unread := json.Unmarshal([]byte(out), &answer); unread != nil {
		return "", fmt.Errorf("%s printed no answer: %w", Program, cmp.Or(err, unread))
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return answer.Made, nil
	case errors.As(err, &exit) && exit.ExitCode() == ExitUsage:
		return "", refusal(answer.Error)
	}
	return "", fmt.Errorf("%s %s: %s", Program, strings.Join(args, " "), answer.Error)
}

// refusal returns the [usage.Error] of each line of a text.
func refusal(text string) (err error) {
	for line := range strings.SplitSeq(text, "\n") {
		thing, rest, _ := strings.Cut(line, ": ")
		at := max(0, strings.LastIndex(rest, ": "))
		err = errors.Join(err, usage.New(thing, rest[:at], strings.TrimPrefix(rest[at:], ": ")))
	}
	return err
}
