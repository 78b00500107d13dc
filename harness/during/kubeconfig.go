package during

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"

	"example.com/rollcall/harness/host"
	"example.com/rollcall/harness/sharedfile"
)

// A kubeconfig is a file with credentials for a command. It has a folder of its own outside the run folder, which CI jobs upload, and a
// lock by which later runs see whether its recorder lives.
type kubeconfig struct {
	folder string
	held   *sharedfile.Lock
}

// newKubeconfig makes the folder, which only the user of this process may read, and has the file written.
func newKubeconfig(write func(file string) error) (k *kubeconfig, err error) {
	all, locks, err := kubeconfigFolders()
	if err != nil {
		return nil, err
	}
	name := rand.Text()
	k = &kubeconfig{folder: filepath.Join(all, name)}
	if k.held, err = sharedfile.TryLock(filepath.Join(locks, name)); err != nil {
		return nil, err
	}
	if err = os.MkdirAll(k.folder, 0o700); err == nil {
		err = write(k.file())
	}
	if err != nil {
		return nil, errors.Join(err, k.remove())
	}
	return k, nil
}

func (k *kubeconfig) file() string { return filepath.Join(k.folder, "config") }

// remove removes the file and its folder. Of nil it removes nothing.
func (k *kubeconfig) remove() error {
	if k == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(k.folder), k.held.Release())
}

// sweepKubeconfigs removes those of recorders that were killed.
func sweepKubeconfigs() error {
	all, locks, err := kubeconfigFolders()
	if err != nil {
		return err
	}
	left, err := os.ReadDir(all)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, folder := range left {
		held, err := sharedfile.TryLock(filepath.Join(locks, folder.Name()))
		if errors.Is(err, sharedfile.ErrHeld) {
			continue
		}
		if err != nil {
			return err
		}
		if err := (&kubeconfig{filepath.Join(all, folder.Name()), held}).remove(); err != nil {
			return err
		}
	}
	return nil
}

func kubeconfigFolders() (all, locks string, err error) {
	state, err := host.StateDir()
	return filepath.Join(state, "kubeconfigs"), filepath.Join(state, "locks", "kubeconfigs"), err
}

// writeKubeconfig writes a kubeconfig of a cluster that is not ours, for the command or what is done by hand.
func (m *maintenance) writeKubeconfig() (err error) {
	at, others := m.cluster.(interface{ WriteKubeconfig(file string) error })
	if !others || m.ownConfig || m.change != nil || m.kubeconfig != nil {
		return nil
	}
	m.kubeconfig, err = newKubeconfig(at.WriteKubeconfig)
	return err
}

// kubeconfigFile returns the file with the cluster as its only context; empty if the command gets the user's own.
func (m *maintenance) kubeconfigFile() string {
	ours, created := m.cluster.(interface{ Kubeconfig() string })
	switch {
	case m.ownConfig:
		return ""
	case created:
		return ours.Kubeconfig()
	case m.kubeconfig != nil:
		return m.kubeconfig.file()
	}
	return ""
}

// sayContext says which cluster a command meets that gets the user's own kubeconfig.
func (m *maintenance) sayContext() {
	if len(m.command) == 0 || !m.ownConfig && !m.plan.Options.FromHost {
		return
	}
	own, err := clientcmd.NewDefaultClientConfigLoadingRules().Load()
	switch {
	case err != nil:
		m.screen.say(fmt.Sprintf("the command meets your own kubeconfig, which cannot be read: %v", err))
	case own.CurrentContext == "":
		m.screen.say("the command meets your own kubeconfig, which has no current context")
	default:
		m.screen.say("the command meets your own kubeconfig, with the current context " + own.CurrentContext)
	}
}
