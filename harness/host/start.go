package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rollcall/harness/command"
	"rollcall/harness/usage"
)

const (
	dockerdLog = "/var/log/rollcall-dockerd.log"

	// startPatience is how long dockerd may take to answer: it takes 2-3 s on the reference host.
	startPatience = 60 * time.Second
)

// startEngine installs docker.io if there is no dockerd and starts it if it does not answer.
func startEngine(ctx context.Context, w io.Writer, f Facts) error {
	if remote := os.Getenv("DOCKER_HOST"); remote != "" {
		return usage.New("container engine", "DOCKER_HOST="+remote+" does not answer", "start it, or unset DOCKER_HOST to use this host's")
	}
	if !f.Root {
		return usage.New("container engine", "it does not answer ("+f.Engine.Trouble+"), and only root may set it up", "start Docker, join its group, or run this as root")
	}
	note := readRecord()
	if !f.Engine.Installed {
		if !f.Apt {
			return usage.New("container engine", "none, and no apt-get to install it with", "install Docker")
		}
		began := time.Now()
		fmt.Fprintln(w, "installing docker.io ...")
		if err := AptInstall(ctx, "docker.io", "iptables"); err != nil {
			return fmt.Errorf("host: install the container engine: %w", err)
		}
		if _, err := exec.LookPath("docker"); err != nil { // a package of its own since Debian 13
			if err := AptInstall(ctx, "docker-cli"); err != nil {
				return fmt.Errorf("host: install the engine's command: %w", err)
			}
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
		note.Unit = true
		if err := note.write(); err != nil {
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
	for file, program := range map[string]string{pidFile: "dockerd", "/var/run/docker/containerd/containerd.pid": "containerd"} {
		if err := removeStale(file, program); err != nil {
			return 0, nil, err
		}
	}
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

// removeStale removes a pid file whose process is gone or has become another program. A killed
// dockerd leaves such files, and the next one believes them.
func removeStale(file, program string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil // there is none
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && programOf(pid) == program {
		return nil
	}
	return os.Remove(file)
}

// programOf is the name of a running program, empty when there is no such process.
func programOf(pid int) string {
	name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return strings.TrimSpace(string(name))
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

// Need installs the Debian packages of those files that are missing; it maps a file to its package.
func Need(ctx context.Context, files map[string]string) error {
	var missing []string
	for file, pkg := range files {
		if _, err := os.Stat(file); err != nil {
			missing = append(missing, pkg)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return AptInstall(ctx, missing...)
}

// AptInstall installs Debian packages, refreshing apt's lists first when a package is unknown to
// them. It goes on to its end when ctx does: dpkg must not be killed half-way.
func AptInstall(ctx context.Context, packages ...string) error {
	ctx = context.WithoutCancel(ctx)
	install := command.Command{
		Line: "apt-get install --yes --no-install-recommends " + strings.Join(packages, " "),
		Env:  []string{"DEBIAN_FRONTEND=noninteractive"},
	}
	_, first := install.Run(ctx)
	if first == nil {
		return first
	}
	if _, err := command.Run(ctx, "apt-get update"); err != nil {
		return err
	}
	_, err := install.Run(ctx)
	return err
}
