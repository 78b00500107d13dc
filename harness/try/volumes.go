package try

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/poll"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/verdict/phrase"
)

// volumes says which claims get a volume.
func (p Plan) volumes() []string {
	if p.given.Named() {
		return nil
	}
	var names []string
	for _, c := range claimsOf(slices.Concat(p.Objects, p.change.objects)) {
		names = append(names, c.name)
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("volumes:   %s: each a folder of a node, where its pods stay; deleted at the end",
		phrase.Cut(strings.Join(names, ", "), 40))}
}

// volumesFolder has the data of claims on the nodes of our own clusters.
const volumesFolder = "/var/lib/rollcall-volumes/"

// idle are the provisioners of a StorageClass that make no volume, or, as kind's, one that does not stay with its pod (kind v0.33,
// pkg/cluster/internal/create/actions/installstorage/storage.go).
var idle = []string{"kubernetes.io/no-provisioner", "kubernetes.io/host-path"}

// makeVolumes makes a volume for each claim for which the cluster, one of our own, would make none.
func (t *target) makeVolumes(ctx context.Context, on cluster.Changeable, objects []manifest.Object) error {
	claims := claimsOf(objects)
	if len(claims) == 0 {
		return nil
	}
	classes, err := t.classes(ctx, objects)
	if err != nil {
		return err
	}
	workers, err := on.Workers(ctx)
	if err != nil {
		return err
	}
	for _, c := range claims {
		class, provided := classes.of(c)
		if provided || bringsVolumes(objects, class) {
			continue
		}
		if err := t.awaitNoClaim(ctx, c); err != nil {
			return err
		}
		name := fmt.Sprintf("rollcall-%s-%d", t.record.Run, len(t.created))
		node := workers[c.pod%len(workers)]
		// As those of other provisioners it is for any user, since fsGroup does not apply to it.
		if _, err := on.Exec(ctx, node, "mkdir -p -m 0777 "+volumesFolder+name); err != nil {
			return err
		}
		volume, err := c.volume(name, class, node)
		if err == nil {
			var create func(context.Context) error
			if create, err = t.creating(ctx, volume); err == nil {
				err = create(ctx)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// awaitNoClaim waits until a claim of that name, as an earlier try may have left it, is gone.
func (t *target) awaitNoClaim(ctx context.Context, c claim) error {
	ctx, cancel := context.WithTimeoutCause(ctx, cleanTimeout, fmt.Errorf("not gone after %v", cleanTimeout))
	defer cancel()
	return poll.Until(ctx, time.Second, func() (bool, error) {
		live, err := t.kube.CoreV1().PersistentVolumeClaims(c.namespace).Get(ctx, c.name, metav1.GetOptions{})
		if err == nil && live.DeletionTimestamp == nil {
			return false, usage.New("PersistentVolumeClaim "+c.name+" ("+c.at+")", "already exists in namespace "+c.namespace,
				"use a cluster or a namespace without it")
		}
		return apierrors.IsNotFound(err), ignoreNotFound(err)
	})
}

// volume returns a volume on a node for exactly this claim.
func (c claim) volume(name, class, node string) (manifest.Object, error) {
	at := []corev1.NodeSelectorRequirement{{Key: corev1.LabelHostname, Operator: corev1.NodeSelectorOpIn, Values: []string{node}}}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&corev1.PersistentVolume{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolume"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: volumesFolder + name,
				Type: new(corev1.HostPathDirectory)}},
			Capacity:    corev1.ResourceList{corev1.ResourceStorage: *c.spec.Resources.Requests.Storage()},
			AccessModes: c.spec.AccessModes,
			ClaimRef: &corev1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: c.namespace,
				Name: c.name},
			PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimRetain,
			StorageClassName:              class,
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: at}}}},
		},
	})
	return manifest.Object{Unstructured: &unstructured.Unstructured{Object: content}, At: c.at}, err
}

// A storage has the StorageClasses that claims may name, and the default one.
type storage struct {
	usual    string // empty: there is none
	provided map[string]bool
}

// of returns the class of a claim, and whether its volumes are made by others.
func (s storage) of(c claim) (class string, provided bool) {
	class = ptr.Deref(c.spec.StorageClassName, s.usual)
	return class, s.provided[class]
}

// classes returns the StorageClasses of the cluster, and of the manifests, whose provisioners the cluster does not have.
func (t *target) classes(ctx context.Context, objects []manifest.Object) (storage, error) {
	s := storage{provided: map[string]bool{}}
	list, err := t.kube.StorageV1().StorageClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return s, err
	}
	usual := func(o metav1.Object) bool {
		return o.GetAnnotations()["storageclass.kubernetes.io/is-default-class"] == "true"
	}
	for _, class := range list.Items {
		s.provided[class.Name] = !slices.Contains(idle, class.Provisioner)
		if usual(&class) {
			s.usual = class.Name
		}
	}
	for _, o := range objects {
		if o.GroupVersionKind().GroupKind() == storagev1.SchemeGroupVersion.WithKind("StorageClass").GroupKind() && usual(o) {
			s.usual = o.GetName() // the newest counts (kubernetes v1.37, pkg/volume/util/storageclass.go)
		}
	}
	return s, nil
}

// bringsVolumes reports whether the manifests have volumes of a class themselves.
func bringsVolumes(objects []manifest.Object, class string) bool {
	return slices.ContainsFunc(objects, func(o manifest.Object) bool {
		of, _, _ := unstructured.NestedString(o.Object, "spec", "storageClassName")
		return o.GetKind() == "PersistentVolume" && of == class
	})
}

// emptyVolume deletes the claim that a volume of ours is bound to, which may be a StatefulSet's, and the data.
func (t *target) emptyVolume(ctx context.Context, live *unstructured.Unstructured) error {
	var volume corev1.PersistentVolume
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live.Object, &volume); err != nil {
		return err
	}
	folder := ptr.Deref(volume.Spec.HostPath, corev1.HostPathVolumeSource{}).Path
	if t.machines == nil || folder != volumesFolder+volume.Name {
		return nil // it is one of the manifests
	}
	if by := volume.Spec.ClaimRef; by.UID != "" {
		err := t.kube.CoreV1().PersistentVolumeClaims(by.Namespace).Delete(ctx, by.Name,
			metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &by.UID}})
		if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			return err
		}
	}
	node := volume.Spec.NodeAffinity.Required.NodeSelectorTerms[0].MatchExpressions[0].Values[0]
	_, err := t.machines.Exec(ctx, node, "rm -rf "+folder)
	return err
}
