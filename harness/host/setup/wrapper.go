package setup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/layout"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/sharedfile"
	"example.com/rollcall/harness/usage"
)

const (
	wrapperPath = "/usr/local/lib/rollcall/ociruntime"
	wrapperName = "rollcall"
	daemonJSON  = "/etc/docker/daemon.json"
)

// registerWrapper makes the wrapper the engine's default runtime and has the engine reload its configuration.
func (s setup) registerWrapper(ctx context.Context, program []byte) error {
	fmt.Fprintf(s.out, "registering the runtime wrapper %s in %s\n", s.files.wrapper, s.files.daemonJSON)
	before, err := os.ReadFile(s.files.daemonJSON)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("host: %w", err)
	}
	after, err := withWrapper(before)
	if err != nil {
		return usage.New(s.files.daemonJSON, err.Error(), "correct it by hand")
	}
	// replaceFile renames the wrapper into place, because a container that is starting may be executing the old one.
	if err := errors.Join(replaceFile(s.files.wrapper, program, 0o755), replaceFile(s.files.daemonJSON, after, 0o644)); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if _, err := s.line(ctx, `sh -c "kill -HUP $(cat %s)"`, s.files.dockerPID); err != nil {
		return fmt.Errorf("host: reload dockerd: %w", err)
	}
	return s.waitRuntime(ctx)
}

// replaceFile replaces a file atomically, and creates its folder.
func replaceFile(path string, data []byte, perm os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return sharedfile.Write(path, data, perm)
}

func (s setup) waitRuntime(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, engineTimeout, errors.New("it did not take up the runtime in "+engineTimeout.String()))
	defer cancel()
	err := poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		out, err := s.line(ctx, "docker info --format {{.DefaultRuntime}}")
		return err == nil && out == wrapperName, nil
	})
	if err != nil {
		return fmt.Errorf("host: reload dockerd: %w", err)
	}
	return nil
}

// withWrapper adds the wrapper to a daemon.json and keeps everything else in it.
func withWrapper(before []byte) ([]byte, error) {
	doc := map[string]json.RawMessage{}
	if len(strings.TrimSpace(string(before))) > 0 {
		if err := json.Unmarshal(before, &doc); err != nil {
			return nil, fmt.Errorf("not a JSON object: %w", err)
		}
	}
	runtimes := map[string]json.RawMessage{}
	if raw, ok := doc["runtimes"]; ok {
		if err := json.Unmarshal(raw, &runtimes); err != nil {
			return nil, fmt.Errorf("runtimes: not a JSON object: %w", err)
		}
	}
	runtimes[wrapperName] = json.RawMessage(`{"path":"` + wrapperPath + `"}`)
	var err error
	if doc["runtimes"], err = json.Marshal(runtimes); err != nil {
		return nil, err
	}
	if raw, ok := doc["default-runtime"]; ok {
		var name string
		if err := json.Unmarshal(raw, &name); err != nil || name != "runc" && name != wrapperName {
			return nil, fmt.Errorf("default-runtime is %s, which Rollcall does not replace", raw)
		}
	}
	doc["default-runtime"] = json.RawMessage(`"` + wrapperName + `"`)
	after, err := json.MarshalIndent(doc, "", "  ")
	return append(after, '\n'), err
}

// foreignEngineError returns the usage error that says how to register the wrapper with an engine that Rollcall did not install.
func foreignEngineError(f host.Facts) error {
	return usage.New("container engine",
		fmt.Sprintf("it refuses privileged containers (%s) because this host lacks %s, and Rollcall did not install it",
			f.Engine.PrivilegedError, strings.Join(f.MissingCaps, " ")),
		"run rollcall-host setup again with ROLLCALL_HOST_SETUP=1, or by hand: "+
			"go build -o "+wrapperPath+" "+layout.ModulePath()+"/harness/host/ociruntime; "+
			`add "default-runtime":"`+wrapperName+`","runtimes":{"`+wrapperName+`":{"path":"`+wrapperPath+`"}} to `+daemonJSON+
			"; kill -HUP $(cat /var/run/docker.pid)")
}
