package provision

import (
	"os"
	"strings"
	"testing"

	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/usage"
)

// A host without an engine is not set up: the error says what does it.
func TestCheckOfAHostWithoutAnEngine(t *testing.T) {
	t.Setenv("DOCKER_HOST", "")
	away(t, map[string]string{"docker": "echo Cannot connect to the Docker daemon >&2; exit 1"})
	facts, err := Check(t.Context())
	const want = "container engine: it does not answer (Cannot connect to the Docker daemon): rollcall-host setup " + notHere
	if !usage.Is(err) || err.Error() != want || facts.Engine.Privileged != host.PrivilegedUnknown {
		t.Errorf("error %v, want %s; %+v", err, want, facts.Engine)
	}
}

// An engine that refuses privileged containers is not changed either.
func TestCheckOfAnEngineThatRefuses(t *testing.T) {
	t.Setenv("DOCKER_HOST", "")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	away(t, map[string]string{Program: "exit 3",
		"docker": `case "$*" in run*) echo no caps >&2; exit 126 ;; version*) echo 28.1 ;; info*) echo /var/lib/docker ;; esac`})
	t.Chdir(here) // whose wrapper is compiled, and does nothing
	facts, err := Check(t.Context())
	if !usage.Is(err) || !strings.HasPrefix(err.Error(), "container engine: a privileged container does not start: no caps: ") ||
		!strings.HasSuffix(err.Error(), Program+" setup") || facts.Engine.Privileged != host.PrivilegedRefused {
		t.Errorf("error %v; %+v", err, facts.Engine)
	}
}
