package try

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/sharedfile"
)

// createdFiles matches the files in a run folder that have the [record] of a try, for each mode, until all that it created is deleted.
const createdFiles = "created*.json"

// runAnnotation is on every object that a try creates, and on nothing in it, such as a pod template: labels, selectors and pods stay as
// their owner wrote them. Its value is the id of the record.
const runAnnotation = "rollcall.local/try"

// A record has what one try creates on one cluster. It is on disk before an object is created, so that this is found and deleted after
// the death of the process: see [Clean].
type record struct {
	Run     string     `json:"run"` // id of the record, which no other has
	Cluster identity   `json:"cluster"`
	Objects []creation `json:"objects"` // in their order

	changes sync.Mutex       // of Objects
	file    string           // empty: the cluster goes with the run, so nothing has to be found later
	held    *sharedfile.Lock // beside file, while the process lives
}

// An identity is a cluster, as it is known later.
type identity struct {
	Name   string    `json:"name"`
	Server string    `json:"server"`        // URL of its API server without secrets, which another cluster may have too, through a tunnel
	UID    types.UID `json:"uid,omitempty"` // of its namespace kube-system; empty: we may not read that
}

// A creation is an object that was created, or that was about to be.
type creation struct {
	APIVersion   string    `json:"apiVersion"`
	Kind         string    `json:"kind"`
	Namespace    string    `json:"namespace,omitempty"`
	Name         string    `json:"name,omitempty"`
	GenerateName string    `json:"generateName,omitempty"`
	UID          types.UID `json:"uid,omitempty"` // empty: it was about to be created
}

func (c creation) String() string { return c.Kind + " " + cmp.Or(c.Name, c.GenerateName) }

// creationOf returns an object as it is recorded; without a UID if it is not created yet.
func creationOf(o manifest.Object) creation {
	return creation{o.GetAPIVersion(), o.GetKind(), o.Namespace(), o.GetName(), o.GetGenerateName(), o.GetUID()}
}

// object returns the object without what is not recorded.
func (c creation) object() manifest.Object {
	o := &unstructured.Unstructured{}
	o.SetAPIVersion(c.APIVersion)
	o.SetKind(c.Kind)
	o.SetNamespace(c.Namespace)
	o.SetName(c.Name)
	return manifest.Object{Unstructured: o}
}

// newRecord begins the record of a try in a file of its run folder. If the cluster does not stay, nothing is on disk.
func newRecord(of identity, stays bool, file string) (*record, error) {
	r := &record{Run: filepath.Base(filepath.Dir(file)) + "-" + strings.ToLower(rand.Text()[:8]), Cluster: of}
	if !stays {
		return r, nil
	}
	r.file = file
	var err error
	r.held, err = sharedfile.TryLock(r.file + ".lock")
	return r, err
}

// identityOf returns the identity of a cluster.
func identityOf(ctx context.Context, c cluster.Cluster) identity {
	of := identity{Name: c.Name(), Server: secret.URLs(c.REST().Host)}
	if system, err := c.Client().CoreV1().Namespaces().Get(ctx, metav1.NamespaceSystem, metav1.GetOptions{}); err == nil {
		of.UID = system.UID
	}
	return of
}

// same reports whether both are the same cluster.
func (i identity) same(other identity) bool {
	if i.UID != "" && other.UID != "" {
		return i.UID == other.UID
	}
	return i.Server == other.Server
}

// begin writes down an object that is about to be created. After its creation, done has to be called with it.
func (r *record) begin(o manifest.Object) (done func(live *unstructured.Unstructured) error, err error) {
	r.changes.Lock()
	defer r.changes.Unlock()
	at := len(r.Objects)
	about := creationOf(o)
	about.UID = "" // what a manifest has is of another cluster
	r.Objects = append(r.Objects, about)
	return func(live *unstructured.Unstructured) error {
		r.changes.Lock()
		defer r.changes.Unlock()
		r.Objects[at].Name, r.Objects[at].UID = live.GetName(), live.GetUID()
		return r.save()
	}, r.save()
}

// forget takes out an object that was deleted.
func (r *record) forget(gone creation) error {
	r.changes.Lock()
	defer r.changes.Unlock()
	r.Objects = slices.DeleteFunc(r.Objects, func(c creation) bool { return c.UID == gone.UID })
	return r.save()
}

// stays names the objects that have not been deleted. Any goroutine may call it.
func (r *record) stays() (names []string) {
	r.changes.Lock()
	defer r.changes.Unlock()
	for _, c := range r.Objects {
		name := strings.ToLower(c.String())
		if c.Namespace != "" {
			name += " in namespace " + c.Namespace
		}
		names = append(names, name)
	}
	return names
}

func (r *record) save() error {
	if r.file == "" {
		return nil
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = sharedfile.Save(r.file, append(text, '\n'), 0o644)
	}
	if err != nil {
		return fmt.Errorf("record what is created: %w", err)
	}
	return nil
}

// created reports whether an object of the cluster is one that was recorded.
func (r *record) created(live *unstructured.Unstructured, as creation) bool {
	return live.GetAnnotations()[runAnnotation] == r.Run && (as.UID == "" || live.GetUID() == as.UID)
}
