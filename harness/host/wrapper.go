package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"rollcall/harness/command"
	"rollcall/harness/poll"
	"rollcall/harness/usage"
)

const (
	wrapperPath = "/usr/local/lib/rollcall/ociruntime"
	wrapperName = "rollcall"
	daemonJSON  = "/etc/docker/daemon.json"
	pidFile     = "/var/run/docker.pid"
)

// buildWrapper compiles ociruntime, static, and returns it; or takes the one that lies beside a program of ours that came
// without its sources.
func buildWrapper(ctx context.Context, state string) ([]byte, error) {
	if self, err := os.Executable(); err == nil {
		if built, err := os.ReadFile(filepath.Join(filepath.Dir(self), "ociruntime")); err == nil {
			return built, nil
		}
	}
	out := filepath.Join(state, "ociruntime")
	_, err := command.Command{Line: "go build -trimpath -o \"" + out + "\" rollcall/harness/host/ociruntime", Env: []string{"CGO_ENABLED=0"}}.Run(ctx)
	if err != nil {
		return nil, fmt.Errorf("host: build the runtime wrapper: %w", err)
	}
	return os.ReadFile(out)
}

// registerWrapper makes the wrapper the engine's default runtime and has the engine read that.
func registerWrapper(ctx context.Context, w io.Writer, program []byte) error {
	fmt.Fprintf(w, "registering the capability-dropping runtime %s in %s\n", wrapperPath, daemonJSON)
	if err := os.MkdirAll(filepath.Dir(wrapperPath), 0o755); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	// Renamed into place, because a container that starts now may be executing the old one.
	if err := os.WriteFile(wrapperPath+".new", program, 0o755); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if err := os.Rename(wrapperPath+".new", wrapperPath); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	before, err := os.ReadFile(daemonJSON)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("host: %w", err)
	}
	after, err := withWrapper(before)
	if err != nil {
		return usage.New(daemonJSON, err.Error(), "mend it by hand")
	}
	if err := os.MkdirAll(filepath.Dir(daemonJSON), 0o755); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if err := errors.Join(os.WriteFile(daemonJSON+".new", after, 0o644), os.Rename(daemonJSON+".new", daemonJSON)); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if _, err := command.Run(ctx, `sh -c "kill -HUP $(cat %s)"`, pidFile); err != nil {
		return fmt.Errorf("host: reload dockerd: %w", err)
	}
	return awaitRuntime(ctx)
}

func awaitRuntime(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startPatience, errors.New("it did not take up the runtime in "+startPatience.String()))
	defer cancel()
	err := poll.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		out, err := command.Run(ctx, "docker info --format {{.DefaultRuntime}}")
		return err == nil && out == wrapperName, nil
	})
	if err != nil {
		return fmt.Errorf("host: reload dockerd: %w", err)
	}
	return nil
}

// withWrapper adds our runtime to a daemon.json and keeps everything else in it.
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
			return nil, fmt.Errorf("default-runtime is %s, not ours to replace", raw)
		}
	}
	doc["default-runtime"] = json.RawMessage(`"` + wrapperName + `"`)
	after, err := json.MarshalIndent(doc, "", "  ")
	return append(after, '\n'), err
}

func refuseForeignEngine(f Facts) error {
	return usage.New("container engine",
		fmt.Sprintf("it refuses privileged containers (%s) because this host lacks %s, and Rollcall did not install it", f.Engine.Refusal, strings.Join(f.MissingCaps, " ")),
		"run again with ROLLCALL_HOST_SETUP=1, or by hand: go build -o "+wrapperPath+" rollcall/harness/host/ociruntime; "+
			`add "default-runtime":"`+wrapperName+`","runtimes":{"`+wrapperName+`":{"path":"`+wrapperPath+`"}} to `+daemonJSON+"; kill -HUP $(cat "+pidFile+")")
}
