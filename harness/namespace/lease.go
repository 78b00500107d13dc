package namespace

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/usage"
)

// A Pool leases namespaces to recordings: new ones, or those that the cluster's owner preassigned because we may not create any.
// The zero value leases new ones.
type Pool struct {
	preassigned chan string
	now         Clock // of the API server; nil: this host's, which is the one of a cluster of ours
}

// A Lease is the use of one namespace, and of the observers' namespace that belongs to it, until Release.
type Lease struct {
	Name        string
	Preassigned bool
	Run         fixtures.Run // to which everything in it belongs
	pool        Pool
	uid         types.UID // of the namespace; empty: not known
}

// NewPool returns a pool of the preassigned namespaces or, if there are none, of new ones.
func NewPool(preassigned []string, now Clock) Pool {
	if len(preassigned) == 0 {
		return Pool{now: now}
	}
	p := Pool{make(chan string, len(preassigned)), now}
	for _, name := range preassigned {
		p.preassigned <- name
	}
	return p
}

// prefix is what the names of all namespaces begin with that runs create.
const prefix = "rollcall-"

// Acquire leases a namespace to a run, and waits until one is free.
func (p Pool) Acquire(ctx context.Context, run string) (Lease, error) {
	now := time.Now
	if p.now != nil {
		now = p.now
	}
	l := Lease{Run: fixtures.Run{ID: run, Expires: now().Add(expiry)}, pool: p}
	if p.preassigned == nil {
		l.Name = prefix + strings.ToLower(rand.Text()[:8])
		return l, nil
	}
	select {
	case name := <-p.preassigned:
		l.Name, l.Preassigned = name, true
		l.Run.Expires = now().Add(expiry) // it may have waited
		return l, nil
	case <-ctx.Done():
		return Lease{}, context.Cause(ctx)
	}
}

// Release gives a preassigned namespace, which has to be empty again, back to the pool.
func (l Lease) Release() {
	if l.pool.preassigned != nil {
		l.pool.preassigned <- l.Name
	}
}

// Observers returns the namespace of the observers of the nodes' rules, whose pods the scenario's own namespace does not admit.
func (l Lease) Observers() string { return Observers(l.Name) }

// Observers returns the name of the observers' namespace that belongs to a namespace.
func Observers(name string) string { return name + "-rules" }

// Create creates the namespace, for pods of the standard that ours meet, or checks that a preassigned one has no pods.
func (l Lease) Create(ctx context.Context, client kubernetes.Interface) error {
	return l.create(ctx, client, fixtures.Namespace(l.Name, fixtures.Restricted, l.Run))
}

// CreateForObservers creates the observers' namespace, or checks that a preassigned one has no pods.
func (l Lease) CreateForObservers(ctx context.Context, client kubernetes.Interface) error {
	return l.create(ctx, client, fixtures.Namespace(l.Observers(), "privileged", l.Run))
}

func (l Lease) create(ctx context.Context, client kubernetes.Interface, namespace *corev1.Namespace) error {
	if !l.Preassigned {
		_, err := client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
		return err
	}
	pods, err := client.CoreV1().Pods(namespace.Name).List(ctx, metav1.ListOptions{Limit: 1})
	if err == nil && len(pods.Items) > 0 {
		err = fmt.Errorf("namespace %s was not empty: pod %s is there", namespace.Name, pods.Items[0].Name)
	}
	return err
}

// PullSecretName is the name of the Secret with which nodes pull images.
const PullSecretName = "rollcall-pull"

// AddPullSecret creates the image pull Secret from a file of credentials. Without a file it does nothing.
func (l Lease) AddPullSecret(ctx context.Context, client kubernetes.Interface, file string) error {
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return usage.New("--pull-secret="+file, "it cannot be read: "+err.Error(), "give a file like ~/.docker/config.json")
	}
	secret := fixtures.PullSecret(fixtures.Destination{Namespace: l.Name, Run: l.Run}, PullSecretName, data)
	_, err = client.CoreV1().Secrets(l.Name).Create(ctx, secret, metav1.CreateOptions{})
	return err
}
