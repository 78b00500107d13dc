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
	"k8s.io/client-go/kubernetes"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness/usage"
)

// A Pool leases namespaces to recordings: new ones, or those that the owner of the cluster, who lets us create none, assigned
// beforehand. The zero value leases new ones.
type Pool struct{ preassigned chan string }

// A Lease is the use of one namespace, and of the one of its observers beside it, until Release.
type Lease struct {
	Name        string
	Preassigned bool
	Disrupted   time.Duration // for how long the cluster may be disrupted, which comes to what any recording takes
	pool        Pool
}

// NewPool leases the preassigned namespaces, or new ones if there are none.
func NewPool(preassigned []string) Pool {
	if len(preassigned) == 0 {
		return Pool{}
	}
	p := Pool{make(chan string, len(preassigned))}
	for _, name := range preassigned {
		p.preassigned <- name
	}
	return p
}

// New leases a new namespace, whose name begins with a prefix.
func New(prefix string) Lease {
	return Lease{Name: prefix + strings.ToLower(rand.Text()[:8])}
}

// Acquire waits for a namespace that nobody uses.
func (p Pool) Acquire(ctx context.Context) (Lease, error) {
	if p.preassigned == nil {
		return New("rollcall-"), nil
	}
	select {
	case name := <-p.preassigned:
		return Lease{Name: name, Preassigned: true, pool: p}, nil
	case <-ctx.Done():
		return Lease{}, context.Cause(ctx)
	}
}

// Release lets others have the namespace, once it is empty again.
func (l Lease) Release() {
	if l.pool.preassigned != nil {
		l.pool.preassigned <- l.Name
	}
}

// Observers is the namespace of the observers of the nodes' rules, which the scenario's own does not admit.
func (l Lease) Observers() string { return Observers(l.Name) }

// Observers is the namespace of the observers that belong to a namespace.
func Observers(name string) string { return name + "-rules" }

// Create creates the namespace, for pods of a standard, or sees that a preassigned one is empty.
func (l Lease) Create(ctx context.Context, client kubernetes.Interface, session, standard string) error {
	return l.create(ctx, client, fixtures.Namespace(l.Name, session, standard, time.Now().Add(expiry+l.Disrupted)))
}

// CreateForObservers creates the observers' namespace.
func (l Lease) CreateForObservers(ctx context.Context, client kubernetes.Interface, session string) error {
	return l.create(ctx, client, fixtures.Namespace(l.Observers(), session, "privileged", time.Now().Add(expiry+l.Disrupted)))
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

// PullSecretName is the name of the Secret that nodes pull with.
const PullSecretName = "rollcall-pull"

// AddPullSecret creates the Secret that nodes pull with from a file of credentials; an empty name is none.
func (l Lease) AddPullSecret(ctx context.Context, client kubernetes.Interface, file string) error {
	if file == "" {
		return nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return usage.New("pull-secret "+file, "it cannot be read: "+err.Error(), "give a file like ~/.docker/config.json")
	}
	_, err = client.CoreV1().Secrets(l.Name).Create(ctx, fixtures.PullSecret(l.Name, PullSecretName, data), metav1.CreateOptions{})
	return err
}
