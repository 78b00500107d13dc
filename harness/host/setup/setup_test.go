package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/usage"
)

func TestEnsure(t *testing.T) {
	running := host.Facts{Root: true, Apt: true, Engine: host.Engine{Running: true, Installed: true, Version: "28.1"}}
	for _, row := range []struct {
		sentence string
		facts    func(*host.Facts)
		host     func(*testing.T, *fakeHost)
		ran      []string // beginnings of command lines
		notRan   []string
		refused  string // usage error; empty: none
		fails    string // other error; empty: none
	}{
		{"an engine that runs and starts privileged containers is left as it is", nil, nil,
			[]string{"docker run --rm --privileged", "docker rmi"}, []string{"apt-get", "dockerd", "systemctl", "sh -c"}, "", ""},
		{"an engine that does not run is started", func(f *host.Facts) { f.Engine.Running = false }, nil,
			[]string{"dockerd", "docker run"}, []string{"apt-get"}, "", ""},
		{"through systemd where that runs", func(f *host.Facts) { f.Engine.Running = false },
			func(t *testing.T, h *fakeHost) { makeFolder(t, h.setup.files.systemd) },
			[]string{"systemctl start docker"}, []string{"dockerd"}, "", ""},
		{"a host without an engine gets one", func(f *host.Facts) { f.Engine = host.Engine{} }, nil,
			[]string{"apt-get install --yes --no-install-recommends docker.io iptables", "dockerd"}, []string{"apt-get update"}, "", ""},
		{"with its command where that is a package of its own", func(f *host.Facts) { f.Engine = host.Engine{} },
			func(_ *testing.T, h *fakeHost) { h.noDocker = true },
			[]string{"apt-get install --yes --no-install-recommends docker-cli"}, nil, "", ""},
		{"packages that cannot be installed are an error", func(f *host.Facts) { f.Engine = host.Engine{} },
			func(_ *testing.T, h *fakeHost) { h.fails["apt-get install"] = "E: Unable to locate package docker.io" },
			[]string{"apt-get update"}, []string{"dockerd"}, "", "Unable to locate package"},
		{"a dockerd that ends is an error with its last words", func(f *host.Facts) { f.Engine.Running = false },
			func(_ *testing.T, h *fakeHost) { h.dies = true },
			nil, []string{"docker run"}, "", "no space left on device"},

		{"who is not root is told what to do",
			func(f *host.Facts) { f.Root, f.Engine.Running, f.Engine.Error = false, false, "permission denied" }, nil,
			nil, []string{"dockerd"}, "container engine: it does not answer (permission denied), and only root may set it up: start Docker", ""},
		{"a host without apt-get needs an engine", func(f *host.Facts) { f.Apt, f.Engine = false, host.Engine{} }, nil,
			nil, []string{"apt-get"}, "container engine: there is none, and no apt-get to install it with: install Docker", ""},
		{"a remote engine is not started", func(f *host.Facts) { f.Engine.Running = false },
			func(t *testing.T, _ *fakeHost) { t.Setenv("DOCKER_HOST", "tcp://build:2375") },
			nil, []string{"dockerd"}, "container engine: DOCKER_HOST=tcp://build:2375 does not answer", ""},

		{"an engine of Rollcall's that refuses privileged containers gets the wrapper",
			func(f *host.Facts) { f.MissingCaps, f.Engine.Managed = []string{"CAP_SYS_RESOURCE"}, true }, nil,
			[]string{"go build", `sh -c "kill -HUP`, "docker info"}, nil, "", ""},
		{"somebody else's does not", func(f *host.Facts) { f.MissingCaps = []string{"CAP_SYS_RESOURCE"} }, nil,
			nil, []string{"sh -c"},
			"it refuses privileged containers (unable to apply caps: operation not permitted) because this host lacks CAP_SYS_RESOURCE", ""},
		{"unless its owner says so", func(f *host.Facts) { f.MissingCaps = []string{"CAP_SYS_RESOURCE"} },
			func(t *testing.T, _ *fakeHost) { t.Setenv("ROLLCALL_HOST_SETUP", "1") },
			[]string{`sh -c "kill -HUP`}, nil, "", ""},
		{"a configuration with another default runtime is not touched",
			func(f *host.Facts) { f.MissingCaps, f.Engine.Managed = []string{"CAP_SYS_RESOURCE"}, true },
			func(t *testing.T, h *fakeHost) {
				makeFolder(t, filepath.Dir(h.setup.files.daemonJSON))
				if err := os.WriteFile(h.setup.files.daemonJSON, []byte(`{"default-runtime":"nvidia"}`), 0o644); err != nil {
					t.Fatal(err)
				}
			},
			nil, []string{"sh -c"}, `default-runtime is "nvidia", which Rollcall does not replace: correct it by hand`, ""},
		{"what refuses for another reason is the engine's matter", nil,
			func(_ *testing.T, h *fakeHost) { h.fails["docker run"] = "no space left on device" },
			[]string{"docker rmi"}, []string{"sh -c"}, "a privileged container does not start: no space left on device: kind needs one", ""},
		{"a wrapper that does not compile is an error", nil,
			func(_ *testing.T, h *fakeHost) { h.fails["go build"] = "syntax error" },
			nil, []string{"docker run"}, "", "build the runtime wrapper"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Setenv("DOCKER_HOST", "")
			t.Setenv("ROLLCALL_HOST_SETUP", "")
			facts := running
			if row.facts != nil {
				row.facts(&facts)
			}
			h := newFakeHost(t, facts)
			if row.host != nil {
				row.host(t, h)
			}
			got, err := h.setup.ensure(t.Context())
			switch want := row.refused + row.fails; {
			case want == "" && (err != nil || got.Engine.Privileged != host.PrivilegedStarts):
				t.Errorf("error %v, privileged containers: %q", err, got.Engine.Privileged)
			case want != "" && (err == nil || usage.Is(err) != (row.refused != "") || !strings.Contains(err.Error(), want)):
				t.Errorf("error %v, want %q", err, want)
			}
			for _, beginning := range row.ran {
				if !h.ran(beginning) {
					t.Errorf("%q did not run: %q", beginning, h.lines)
				}
			}
			for _, beginning := range row.notRan {
				if h.ran(beginning) {
					t.Errorf("%q ran: %q", beginning, h.lines)
				}
			}
		})
	}
}

// A second setup finds what the first one did, and does not do it again.
func TestEnsureTwice(t *testing.T) {
	t.Setenv("DOCKER_HOST", "")
	h := newFakeHost(t, host.Facts{Root: true, Apt: true, MissingCaps: []string{"CAP_SYS_RESOURCE"}, Engine: host.Engine{Managed: true}})
	if _, err := h.setup.ensure(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, &h.out)
	}
	if state := host.ReadEngineState(h.setup.files.engineState); !state.Installed || state.Started != os.Getpid() || state.Unit {
		t.Errorf("%+v", state)
	}
	for _, text := range []string{"installed docker.io in ", "dockerd runs as pid ", "registering the runtime wrapper "} {
		if !strings.Contains(h.out.String(), text) {
			t.Errorf("%q is not in\n%s", text, &h.out)
		}
	}
	h.lines = nil
	h.out.Reset()
	if _, err := h.setup.ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h.out.Len() > 0 || h.ran("apt-get") || h.ran("dockerd") || h.ran("sh -c") {
		t.Errorf("it ran %q and printed %q", h.lines, &h.out)
	}
}

// Commands fail after Ctrl-C: then an engine that runs looks like none.
func TestEnsureInterrupted(t *testing.T) {
	t.Setenv("DOCKER_HOST", "")
	for _, row := range []struct {
		sentence string
		engine   host.Engine
	}{
		{"an engine that does not answer then is not started", host.Engine{Installed: true}},
		{"one that is not of this host is not installed", host.Engine{}},
	} {
		h := newFakeHost(t, host.Facts{Root: true, Apt: true, Engine: row.engine})
		ctx, cancel := context.WithCancelCause(t.Context())
		interrupted := errors.New("Ctrl-C")
		h.setup.probe = func(context.Context) host.Facts { cancel(interrupted); return h.facts }
		_, err := h.setup.ensure(ctx)
		_, unknown := os.Stat(h.setup.files.engineState)
		if !errors.Is(err, interrupted) || h.ran("dockerd") || h.out.Len() > 0 || unknown == nil {
			t.Errorf("%s: %v, ran %q, printed %q", row.sentence, err, h.lines, &h.out)
		}
	}
}

func TestWaitsThatEnd(t *testing.T) {
	for _, row := range []struct {
		sentence string
		wait     func(context.Context, *fakeHost) error
		want     string
	}{
		{"an engine that never answers", func(ctx context.Context, h *fakeHost) error { return h.setup.waitEngine(ctx, nil) },
			"host: wait for dockerd: it did not answer in 1m0s: log "},
		{"an engine that does not reload", func(ctx context.Context, h *fakeHost) error { return h.setup.waitRuntime(ctx) },
			"host: reload dockerd: it did not take up the runtime in 1m0s"},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			h := newFakeHost(t, host.Facts{})
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				err := row.wait(t.Context(), h)
				if err == nil || !strings.HasPrefix(err.Error(), row.want) || time.Since(began) != engineTimeout {
					t.Errorf("error %v after %v, want %q after %v", err, time.Since(began), row.want, engineTimeout)
				}
			})
		})
	}
}

func TestAptInstall(t *testing.T) {
	for _, row := range []struct {
		sentence string
		fails    map[string]string
		want     []string
		err      bool
	}{
		{"packages that apt knows are installed", nil, []string{"apt-get install"}, false},
		{"lists that cannot be refreshed are an error", map[string]string{"apt-get": "no network"}, []string{"apt-get install", "apt-get update"},
			true},
		{"packages that are not there after that are an error", map[string]string{"apt-get install": "none"},
			[]string{"apt-get install", "apt-get update", "apt-get install"}, true},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			h := newFakeHost(t, host.Facts{})
			h.fails = row.fails
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(errors.New("Ctrl-C")) // which dpkg must not notice
			if err := aptInstall(ctx, h.run, "socat"); (err != nil) != row.err {
				t.Errorf("error %v", err)
			}
			if len(h.lines) != len(row.want) {
				t.Fatalf("ran %q, want %q", h.lines, row.want)
			}
			for i, beginning := range row.want {
				if !strings.HasPrefix(h.lines[i], beginning) {
					t.Errorf("ran %q, want %q", h.lines[i], beginning)
				}
			}
		})
	}
}

func TestEngineState(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lib", "engine.json")
	for _, row := range []struct {
		sentence string
		state    host.EngineState
		remote   string // DOCKER_HOST
		managed  bool
	}{
		{"a host of which nothing is known has somebody else's engine", host.EngineState{}, "", false},
		{"an engine that was installed is Rollcall's", host.EngineState{Installed: true}, "", true},
		{"so is one whose unit was started", host.EngineState{Unit: true}, "", true},
		{"one that was started is no longer when its pid is another program's", host.EngineState{Started: os.Getpid()}, "", false},
		{"a remote engine is somebody else's", host.EngineState{Installed: true}, "tcp://build:2375", false},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			t.Setenv("DOCKER_HOST", row.remote)
			if err := (setup{files: files{engineState: file}}).write(row.state); err != nil {
				t.Fatal(err)
			}
			got := host.ReadEngineState(file)
			if got != row.state || got.Managed() != row.managed {
				t.Errorf("%+v, managed %v", got, got.Managed())
			}
		})
	}
	if err := os.WriteFile(file, []byte(`{"installed":true,`), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := host.ReadEngineState(file); got != (host.EngineState{}) {
		t.Errorf("a damaged file says %+v", got)
	}
}

func makeFolder(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
}
