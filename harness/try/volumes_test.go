package try

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	k8stesting "k8s.io/client-go/testing"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/manifest"
)

// ownNodes are those of a cluster of our own, which note what is executed on them.
type ownNodes struct {
	cluster.Changeable
	did []string
}

func (*ownNodes) Workers(context.Context) ([]string, error) { return []string{"one", "two"}, nil }

func (n *ownNodes) Exec(_ context.Context, node, script string) (string, error) {
	n.did = append(n.did, node+": "+script)
	return "", nil
}

const (
	set = `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: localhost/web:1}]}}
  volumeClaimTemplates:
  - {metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], storageClassName: gp3, resources: {requests: {storage: 2Gi}}}}
---
`
	cache = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: cache}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}
---
`
	shared = "spec: {volumes: [{name: c, persistentVolumeClaim: {claimName: cache}}], containers: [{"
)

func class(name, provisioner string, usual bool) *storagev1.StorageClass {
	return &storagev1.StorageClass{Provisioner: provisioner, ObjectMeta: metav1.ObjectMeta{Name: name,
		Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": fmt.Sprint(usual)}}}
}

// Each claim gets a volume of its own, on the node of its pod, unless the cluster or the manifests have one for it.
func TestVolumesOfClaims(t *testing.T) {
	kind := class("standard", "kubernetes.io/host-path", true)
	for _, row := range []struct {
		sentence, manifest string
		there              []runtime.Object
		want               []string // claim, class, size, access mode and node of each volume
	}{
		{"a StatefulSet's, for each pod", set + service, []runtime.Object{kind}, []string{"default/data-web-0 gp3 2Gi ReadWriteOnce one",
			"default/data-web-1 gp3 2Gi ReadWriteOnce two", "default/data-web-2 gp3 2Gi ReadWriteOnce one"}},
		{"from another ordinal on", strings.Replace(set, "replicas: 3", "ordinals: {start: 4}", 1) + service, nil,
			[]string{"default/data-web-4 gp3 2Gi ReadWriteOnce one"}},
		{"one without a class has the default one", cache + both, []runtime.Object{kind},
			[]string{"default/cache standard 1Gi ReadWriteMany one"}},
		{"or none", cache + both, nil, []string{"default/cache  1Gi ReadWriteMany one"}},
		{"the default one of the manifests", cache + both + "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\n" +
			"provisioner: ebs.csi.aws.com\nmetadata: {name: gp3, annotations: {storageclass.kubernetes.io/is-default-class: \"true\"}}\n",
			[]runtime.Object{kind}, []string{"default/cache gp3 1Gi ReadWriteMany one"}},
		{"pods that share one are on one node", strings.Replace(set, "spec: {containers: [{", shared, 1) + cache + service, nil,
			[]string{"default/data-web-0 gp3 2Gi ReadWriteOnce one", "default/data-web-1 gp3 2Gi ReadWriteOnce one",
				"default/data-web-2 gp3 2Gi ReadWriteOnce one", "default/cache  1Gi ReadWriteMany one"}},
		{"a cluster that makes volumes makes them", cache + both, []runtime.Object{class("standard", "rancher.io/local-path", true)}, nil},
		{"manifests that have volumes have them", cache + both + "---\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: disk}\n" +
			"spec: {accessModes: [ReadWriteMany], capacity: {storage: 1Gi}, hostPath: {path: /x}}\n", nil, nil},
		{"a volume that is named is somebody's", strings.Replace(cache, "accessModes", "volumeName: disk, accessModes", 1) + both, nil, nil},
		{"a block device cannot be a folder", strings.Replace(cache, "accessModes", "volumeMode: Block, accessModes", 1) + both, nil, nil},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			to, nodes := volumeTarget(t, row.there...)
			if err := to.makeVolumes(t.Context(), nodes, parsed(t, row.manifest)); err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, o := range to.created {
				var v corev1.PersistentVolume
				if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &v); err != nil {
					t.Fatal(err)
				}
				node := v.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values[0]
				got = append(got, fmt.Sprintf("%s/%s %s %s %s %s", v.Spec.ClaimRef.Namespace, v.Spec.ClaimRef.Name, v.Spec.StorageClassName,
					v.Spec.Capacity.Storage(), v.Spec.AccessModes[0], node))
				if want := node + ": mkdir -p -m 0777 " + v.Spec.HostPath.Path; nodes.did[i] != want {
					t.Errorf("did %s, want %s", nodes.did[i], want)
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// volumeTarget returns a target on a cluster of our own, and its nodes.
func volumeTarget(t *testing.T, there ...runtime.Object) (*target, *ownNodes) {
	t.Helper()
	to, client := fakeTarget(nil, there...)
	client.Resources[0].APIResources = append(client.Resources[0].APIResources,
		metav1.APIResource{Name: "persistentvolumes", Kind: "PersistentVolume"})
	asAPIServer(t, to.client.(*dynamicfake.FakeDynamicClient))
	client.PrependReactor("delete", "persistentvolumeclaims", func(action k8stesting.Action) (bool, runtime.Object, error) {
		deletes := action.(k8stesting.DeleteActionImpl)
		live, err := client.Tracker().Get(deletes.Resource, deletes.Namespace, deletes.Name)
		if err == nil && live.(metav1.Object).GetUID() != *deletes.DeleteOptions.Preconditions.UID {
			err = apierrors.NewConflict(schema.GroupResource{}, deletes.Name, errors.New("Precondition failed: UID"))
		}
		return err != nil, nil, err
	})
	nodes := &ownNodes{}
	to.machines = nodes
	return to, nodes
}

// What is deleted at the end is the volume, the claim that it was bound to, which a StatefulSet leaves, and the data.
func TestVolumesAreRemoved(t *testing.T) {
	for _, row := range []struct {
		sentence, uid string // of the claim that the volume is bound to
		left          int
	}{
		{"with the claim", "of-claim", 0},
		{"and a claim that somebody made anew stays", "of-earlier-claim", 1},
		{"as one that it is not bound to", "", 1},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			to, nodes := volumeTarget(t)
			if err := to.makeVolumes(t.Context(), nodes, parsed(t, cache+both)); err != nil {
				t.Fatal(err)
			}
			volume := manifest.Object{Unstructured: to.created[0].DeepCopy()}
			if err := unstructured.SetNestedField(volume.Object, row.uid, "spec", "claimRef", "uid"); err != nil {
				t.Fatal(err)
			}
			fake := to.client.(*dynamicfake.FakeDynamicClient)
			if err := fake.Tracker().Update(corev1.SchemeGroupVersion.WithResource("persistentvolumes"), volume.Unstructured, ""); err != nil {
				t.Fatal(err)
			}
			claims := to.kube.CoreV1().PersistentVolumeClaims("default")
			if _, err := claims.Create(t.Context(), &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "cache", UID: "of-claim"}},
				metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := to.remove(t.Context()); err != nil {
				t.Fatal(err)
			}
			list, err := claims.List(t.Context(), metav1.ListOptions{})
			if err != nil || len(list.Items) != row.left {
				t.Errorf("%d claims are left, want %d; %v", len(list.Items), row.left, err)
			}
			if got, want := nodes.did[1], "one: rm -rf "+volumesFolder+volume.GetName(); got != want {
				t.Errorf("did %s, want %s", got, want)
			}
		})
	}
}
