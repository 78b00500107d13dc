// The ociruntime command stands between a container engine and runc on a host whose capability
// bounding set is not full, as inside many sandboxes and CI runners. There runc cannot start a
// privileged container, because the engine asks it for every capability. ociruntime removes the
// missing ones from the OCI configuration and then executes runc; it adds nothing.
//
// Package host registers it in daemon.json. "ociruntime noop" does nothing and
// succeeds: the preflight runs it in a privileged container.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"example.com/rollcall/harness/command"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "noop" {
		return
	}
	if err := becomeRunc(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ociruntime:", err)
		os.Exit(1)
	}
}

func becomeRunc(args []string) error {
	if file, path := configFile(args); file != "" {
		if err := rewrite(file, path, command.MissingCapabilities()); err != nil {
			return err
		}
	}
	runc, err := exec.LookPath("runc")
	if err != nil {
		return err
	}
	return syscall.Exec(runc, append([]string{"runc"}, args...), os.Environ())
}

// configFile returns the OCI file that a runc command line reads, and the path of the capabilities
// in it. The file is empty for commands that start no process.
func configFile(args []string) (file string, path []string) {
	at := slices.IndexFunc(args, func(a string) bool { return a == "create" || a == "run" || a == "exec" })
	if at < 0 {
		return "", nil
	}
	if args[at] == "exec" {
		return option(args[at:], "--process", "-p"), []string{"capabilities"}
	}
	bundle := option(args[at:], "--bundle", "-b")
	if bundle == "" {
		bundle = "."
	}
	return filepath.Join(bundle, "config.json"), []string{"process", "capabilities"}
}

func option(args []string, names ...string) string {
	for i, a := range args {
		for _, name := range names {
			if value, ok := strings.CutPrefix(a, name+"="); ok {
				return value
			}
			if a == name && i+1 < len(args) {
				return args[i+1]
			}
		}
	}
	return ""
}

// rewrite removes the missing capabilities from every set at path in a JSON file.
func rewrite(file string, path, missing []string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var doc map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // a float64 would change 64-bit numbers such as memory limits
	if err := dec.Decode(&doc); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	sets := doc
	for _, key := range path {
		next, ok := sets[key].(map[string]any)
		if !ok {
			return nil
		}
		sets = next
	}
	for name, set := range sets {
		if list, ok := set.([]any); ok {
			sets[name] = slices.DeleteFunc(list, func(c any) bool {
				s, _ := c.(string)
				return slices.Contains(missing, s)
			})
		}
	}
	if data, err = json.Marshal(doc); err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, info.Mode().Perm())
}
