package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"rollcall/harness/command"
	"rollcall/harness/lock"
)

const (
	wrapperPath = "/usr/local/lib/rollcall/ociruntime"
	wrapperName = "rollcall"
	daemonJSON  = "/etc/docker/daemon.json"
	dockerdLog  = "/var/log/rollcall-dockerd.log"
	pidFile     = "/var/run/docker.pid"

	// startPatience is how long dockerd may take to answer: it takes 2-3 s on the reference host.
	startPatience = 60 * time.Second
)

// StateDir is where Rollcall keeps locks, cluster state and the build folders of node images:
// "rollcall" in the user's cache directory.
func StateDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("host: %w", err)
	}
	return filepath.Join(cache, "rollcall"), nil
}

// Ensure makes this host able to run kind clusters, as the package comment says, and prints to w
// what it does. Run again it changes nothing. A host that cannot be made able is a [Refusal].
func Ensure(ctx context.Context, w io.Writer) (f Facts, err error) {
	state, err := StateDir()
	if err != nil {
		return Facts{}, err
	}
	held, err := lock.Acquire(ctx, filepath.Join(state, "locks", "host.lock"), func(holder string) {
		fmt.Fprintf(w, "waiting for the host set-up of %s\n", holder)
	})
	if err != nil {
		return Facts{}, err
	}
	defer func() { err = errors.Join(err, held.Release()) }()

	f = Probe(ctx)
	if !f.Engine.Running {
		if err := startEngine(ctx, w, f); err != nil {
			return f, err
		}
		f = Probe(ctx)
	}
	program, err := buildWrapper(ctx, state)
	if err != nil {
		return f, err
	}
	if f.Engine.Privileged, f.Engine.Refusal, err = probePrivileged(ctx, program); err != nil {
		return f, err
	}
	if f.Engine.Privileged == Refusing && len(f.MissingCaps) > 0 {
		if !f.Engine.Ours && os.Getenv("ROLLCALL_HOST_SETUP") != "1" {
			return f, refuseForeignEngine(f)
		}
		if err := registerWrapper(ctx, w, program); err != nil {
			return f, err
		}
		if f.Engine.Privileged, f.Engine.Refusal, err = probePrivileged(ctx, program); err != nil {
			return f, err
		}
	}
	if f.Engine.Privileged == Refusing {
		return f, Refuse("container engine", "a privileged container does not start: "+f.Engine.Refusal, "kind needs one; see its log")
	}
	return f, nil
}

func refuseForeignEngine(f Facts) error {
	return Refuse("container engine",
		fmt.Sprintf("it refuses privileged containers (%s) because this host lacks %s, and Rollcall did not install it", f.Engine.Refusal, strings.Join(f.MissingCaps, " ")),
		"run again with ROLLCALL_HOST_SETUP=1, or by hand: go build -o "+wrapperPath+" rollcall/harness/host/ociruntime; "+
			`add "default-runtime":"`+wrapperName+`","runtimes":{"`+wrapperName+`":{"path":"`+wrapperPath+`"}} to `+daemonJSON+"; kill -HUP $(cat "+pidFile+")")
}

// startEngine installs docker.io if there is no dockerd and starts it if it does not answer.
func startEngine(ctx context.Context, w io.Writer, f Facts) error {
	if remote := os.Getenv("DOCKER_HOST"); remote != "" {
		return Refuse("container engine", "DOCKER_HOST="+remote+" does not answer", "start it, or unset DOCKER_HOST to use this host's")
	}
	if !f.Root {
		return Refuse("container engine", f.Engine.String()+", and only root may set it up", "start Docker, or run this as root")
	}
	note := readRecord()
	if !f.Engine.Installed {
		if !f.Apt {
			return Refuse("container engine", "none, and no apt-get to install it with", "install Docker")
		}
		began := time.Now()
		fmt.Fprintln(w, "installing docker.io ...")
		if err := AptInstall(ctx, "docker.io", "iptables"); err != nil {
			return fmt.Errorf("host: install the container engine: %w", err)
		}
		fmt.Fprintf(w, "installed docker.io in %s\n", time.Since(began).Round(time.Second))
		note.Installed = true
		if err := note.write(); err != nil {
			return fmt.Errorf("host: %w", err)
		}
		if probeEngine(ctx).Running { // the package's own service script started it
			return nil
		}
	}
	fmt.Fprintln(w, "starting dockerd ...")
	if _, err := os.Stat("/run/systemd/system"); err == nil {
		if _, err := command.Run(ctx, "systemctl start docker"); err != nil {
			return fmt.Errorf("host: %w", err)
		}
		return awaitEngine(ctx, nil)
	}
	pid, gone, err := startDaemon()
	if err != nil {
		return fmt.Errorf("host: start dockerd: %w", err)
	}
	note.Started = pid
	if err := note.write(); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	fmt.Fprintf(w, "dockerd is pid %d, its log %s; it stays for the next run, `kill %d` ends it\n", pid, dockerdLog, pid)
	return awaitEngine(ctx, gone)
}

// startDaemon starts dockerd in a session of its own: it is the host's engine from now on and
// outlives us, so it must not hold our terminal or pipes.
func startDaemon() (pid int, gone <-chan error, err error) {
	log, err := os.OpenFile(dockerdLog, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return 0, nil, err
	}
	defer log.Close()
	cmd := exec.Command("dockerd")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	return cmd.Process.Pid, done, nil
}

func awaitEngine(ctx context.Context, gone <-chan error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, startPatience, errors.New("it did not answer in "+startPatience.String()))
	defer cancel()
	for {
		_, err := command.Run(ctx, "docker version --format {{.Server.Version}}")
		if err == nil {
			return nil
		}
		select {
		case exit := <-gone:
			log, _ := os.ReadFile(dockerdLog)
			return fmt.Errorf("host: dockerd ended (%w): %s: log %s", exit, command.LastLines(string(log), 3), dockerdLog)
		case <-ctx.Done():
			return fmt.Errorf("host: wait for dockerd: %w: log %s", context.Cause(ctx), dockerdLog)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// AptInstall installs Debian packages, refreshing apt's lists first when a package is unknown to them.
func AptInstall(ctx context.Context, packages ...string) error {
	install := command.Command{
		Line: "apt-get install --yes --no-install-recommends " + strings.Join(packages, " "),
		Env:  []string{"DEBIAN_FRONTEND=noninteractive"},
	}
	_, first := install.Run(ctx)
	if first == nil || ctx.Err() != nil {
		return first
	}
	if _, err := command.Run(ctx, "apt-get update"); err != nil {
		return err
	}
	_, err := install.Run(ctx)
	return err
}

// buildWrapper compiles ociruntime, static, and returns it.
func buildWrapper(ctx context.Context, state string) ([]byte, error) {
	out := filepath.Join(state, "ociruntime")
	_, err := command.Command{Line: "go build -trimpath -o " + out + " rollcall/harness/host/ociruntime", Env: []string{"CGO_ENABLED=0"}}.Run(ctx)
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
		return Refuse(daemonJSON, err.Error(), "mend it by hand")
	}
	if err := os.MkdirAll(filepath.Dir(daemonJSON), 0o755); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	if err := os.WriteFile(daemonJSON, after, 0o644); err != nil {
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
	for {
		out, err := command.Run(ctx, "docker info --format {{.DefaultRuntime}}")
		if err == nil && out == wrapperName {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("host: reload dockerd: %w", context.Cause(ctx))
		case <-time.After(100 * time.Millisecond):
		}
	}
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
	doc["default-runtime"] = json.RawMessage(`"` + wrapperName + `"`)
	after, err := json.MarshalIndent(doc, "", "  ")
	return append(after, '\n'), err
}
