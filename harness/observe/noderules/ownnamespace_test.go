//go:build linux

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// againVariable is set in the environment of a test that runs again.
const againVariable = "ROLLCALL_TEST_NAMESPACE"

// enteredNamespace reports whether the test is in a network namespace of its own. If not, it runs it again in one, and skips it where
// that is not allowed or one of the commands is missing.
func enteredNamespace(t *testing.T, commands ...string) bool {
	t.Helper()
	for _, command := range commands {
		if _, err := exec.LookPath(command); err != nil {
			t.Skipf("no %s on this host", command)
		}
	}
	if os.Getenv(againVariable) != "" {
		return true
	}
	out, err := runAgain(t, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET})
	switch {
	case errors.Is(err, syscall.EPERM):
		t.Skip("this user may make no network namespace")
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	case bytes.Contains(out, []byte("--- SKIP")):
		t.Skipf("%s", out)
	}
	return false
}

// unprivileged reports whether the test is run as a user without permissions. If not, it runs it again as one.
func unprivileged(t *testing.T) bool {
	t.Helper()
	if os.Getenv(againVariable) != "" {
		return true
	}
	var nobody *syscall.SysProcAttr
	if os.Geteuid() == 0 {
		nobody = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	}
	if out, err := runAgain(t, nobody); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// runAgain runs the test again. A user without permissions can reach the program only through /proc/self/exe.
func runAgain(t *testing.T, attributes *syscall.SysProcAttr) ([]byte, error) {
	test := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	cmd := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run="+test, "-test.v")
	cmd.Env = append(os.Environ(), againVariable+"=1")
	cmd.SysProcAttr = attributes
	return cmd.CombinedOutput()
}
