package setup

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"example.com/rollcall/harness/command"
	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/usage"
)

// provideEngine installs docker.io if there is no dockerd, and starts it if it does not answer.
func (s setup) provideEngine(ctx context.Context, f host.Facts) error {
	if remote := os.Getenv("DOCKER_HOST"); remote != "" {
		return usage.New("container engine", "DOCKER_HOST="+remote+" does not answer", "start it, or unset DOCKER_HOST to use this host's")
	}
	if !f.Root {
		return usage.New("container engine", "it does not answer ("+f.Engine.Error+"), and only root may set it up",
			"start Docker, join the docker group, or run this as root")
	}
	state := host.ReadEngineState(s.files.engineState)
	if !f.Engine.Installed {
		if !f.Apt {
			return usage.New("container engine", "there is none, and no apt-get to install it with", "install Docker")
		}
		if err := s.installEngine(ctx); err != nil {
			return err
		}
		state.Installed = true
		if err := s.write(state); err != nil {
			return fmt.Errorf("host: %w", err)
		}
		if _, err := s.line(ctx, host.ServerVersion); err == nil { // the package's own service script started it
			return nil
		}
	}
	return s.startEngine(ctx, state)
}

// write stores what was done to the engine.
func (s setup) write(state host.EngineState) error {
	data, err := json.Marshal(state)
	if err != nil {
		return err
	}
	return replaceFile(s.files.engineState, data, 0o644)
}

func (s setup) installEngine(ctx context.Context) error {
	began := time.Now()
	fmt.Fprintln(s.out, "installing docker.io ...")
	if err := aptInstall(ctx, s.run, "docker.io", "iptables"); err != nil {
		return fmt.Errorf("host: install the container engine: %w", err)
	}
	if _, err := s.line(ctx, "docker --version"); err != nil { // since Debian 13 the command is in another package
		if err := aptInstall(ctx, s.run, "docker-cli"); err != nil {
			return fmt.Errorf("host: install the engine's command: %w", err)
		}
	}
	fmt.Fprintf(s.out, "installed docker.io in %s\n", time.Since(began).Round(time.Second))
	return nil
}

// startEngine starts the engine, as a systemd unit if systemd runs, and waits until it answers.
func (s setup) startEngine(ctx context.Context, state host.EngineState) error {
	fmt.Fprintln(s.out, "starting dockerd ...")
	if _, err := os.Stat(s.files.systemd); err == nil {
		if _, err := s.line(ctx, "systemctl start docker"); err != nil {
			return fmt.Errorf("host: %w", err)
		}
		state.Unit = true
		if err := s.write(state); err != nil {
			return fmt.Errorf("host: %w", err)
		}
		return s.waitEngine(ctx, nil)
	}
	for file, program := range map[string]string{s.files.dockerPID: "dockerd", s.files.containerdPID: "containerd"} {
		if err := removeStalePID(file, program); err != nil {
			return fmt.Errorf("host: start dockerd: %w", err)
		}
	}
	log, err := os.OpenFile(s.files.dockerdLog, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("host: start dockerd: %w", err)
	}
	defer log.Close()
	pid, gone, err := s.start(log)
	if err != nil {
		return fmt.Errorf("host: start dockerd: %w", err)
	}
	state.Started = pid
	if err := s.write(state); err != nil {
		return fmt.Errorf("host: %w", err)
	}
	fmt.Fprintf(s.out, "dockerd runs as pid %d and stays for the next run; its log is %s; `kill %d` stops it\n", pid, s.files.dockerdLog, pid)
	return s.waitEngine(ctx, gone)
}

// startDaemon starts dockerd in a session of its own: as the host's engine it outlives this process, so it must not hold its
// terminal or pipes.
func startDaemon(log *os.File) (pid int, gone <-chan error, err error) {
	cmd := exec.Command("dockerd")
	cmd.Stdout, cmd.Stderr = log, log
	command.Detach(cmd)
	if err := cmd.Start(); err != nil {
		return 0, nil, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	return cmd.Process.Pid, done, nil
}

// removeStalePID removes a pid file unless its process runs the program. A killed dockerd leaves such files, and the next
// dockerd trusts them.
func removeStalePID(file, program string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil // there is none
	}
	if pid, err := strconv.Atoi(strings.TrimSpace(string(data))); err == nil && host.ProcessName(pid) == program {
		return nil
	}
	return os.Remove(file)
}

// errExitedWell stands for the error of a dockerd that ended without one.
var errExitedWell = errors.New("exit status 0")

// waitEngine waits until the engine answers. If startDaemon started it, gone receives its end.
func (s setup) waitEngine(ctx context.Context, gone <-chan error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, engineTimeout, errors.New("it did not answer in "+engineTimeout.String()))
	defer cancel()
	err := poll.Until(ctx, 200*time.Millisecond, func() (bool, error) {
		select {
		case exit := <-gone:
			log, _ := os.ReadFile(s.files.dockerdLog)
			return false, fmt.Errorf("it ended (%w): %s", cmp.Or(exit, errExitedWell), command.LastLines(string(log), 3))
		default:
		}
		_, err := s.line(ctx, host.ServerVersion)
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("host: wait for dockerd: %w: log %s", err, s.files.dockerdLog)
	}
	return nil
}
