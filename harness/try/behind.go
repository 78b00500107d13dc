package try

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"example.com/rollcall/harness/manifest"
	"example.com/rollcall/harness/usage"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict/phrase"
)

// A behind has the objects of manifests whose pods a Service leads to.
type behind struct {
	service   corev1.Service
	workloads []manifest.Object // that can be rolled out
	others    []manifest.Object // Jobs, CronJobs and Pods
	near      []manifest.Object // workloads with other labels
}

func behindOf(objects []manifest.Object, service corev1.Service) behind {
	b, selector := behind{service: service}, labels.SelectorFromSet(service.Spec.Selector)
	for _, o := range objects {
		of, has := manifest.PodLabels(o)
		matches := has && len(service.Spec.Selector) > 0 && selector.Matches(of)
		switch {
		case !has || o.Namespace() != service.Namespace:
		case matches && manifest.Rollable(o):
			b.workloads = append(b.workloads, o)
		case matches:
			b.others = append(b.others, o)
		case manifest.Rollable(o):
			b.near = append(b.near, o)
		}
	}
	return b
}

// A workloadName is a user's option that names a workload.
type workloadName struct{ kind, name string } // kind may be empty

// parseWorkload parses KIND/NAME or NAME.
func parseWorkload(text string) workloadName {
	if kind, name, both := strings.Cut(text, "/"); both {
		return workloadName{kind, name}
	}
	return workloadName{name: text}
}

// of reports whether it is the name of an object, or names none.
func (n workloadName) of(o manifest.Object) bool {
	return n.name == "" || n.name == o.GetName() && (n.kind == "" || strings.EqualFold(n.kind, o.GetKind()))
}

func optionFor(o manifest.Object) string { return "--workload=" + o.GetKind() + "/" + o.GetName() }

// A refusal is why a Service cannot be tried, and the remedy.
type refusal struct {
	because, remedy string
	several         bool // workloads, of which one has to be named
}

// workload returns the one that is rolled out, or why it is not known which.
func (b behind) workload(named workloadName) (manifest.Object, *refusal) {
	fit := slices.DeleteFunc(slices.Clone(b.workloads), func(o manifest.Object) bool { return !named.of(o) })
	switch {
	case len(fit) == 1:
		return fit[0], nil
	case len(b.service.Spec.Selector) == 0:
		return manifest.Object{}, &refusal{because: "it has no selector", remedy: "give it one that matches pods of these manifests"}
	case len(b.workloads) == 0:
		return manifest.Object{}, b.matchesNone()
	case len(fit) == 0:
		return manifest.Object{}, &refusal{because: fmt.Sprintf("it leads to pods of %s, and to none of %s", listed(b.workloads), named.name),
			remedy: "choose another Service, or " + optionFor(b.workloads[0])}
	default:
		return manifest.Object{}, &refusal{"it leads to pods of " + listed(fit), "say which is rolled out: " + optionFor(fit[0]), true}
	}
}

// matchesNone says what pods have instead. Labels that no template has may be set at run time, by a controller or by the app itself.
func (b behind) matchesNone() *refusal {
	because := fmt.Sprintf("its selector %s matches no pods of these manifests", labels.SelectorFromSet(b.service.Spec.Selector))
	unset := maps.Clone(b.service.Spec.Selector)
	var near []string
	for _, o := range b.near {
		of, _ := manifest.PodLabels(o)
		maps.DeleteFunc(unset, func(label, _ string) bool { return of.Has(label) })
		near = append(near, fmt.Sprintf("%s has %s", o, of))
	}
	if len(near) > 0 {
		because += ": " + strings.Join(near, "; ")
	}
	remedy := "fix its selector, or choose another Service"
	if len(near) > 0 && len(unset) > 0 {
		remedy += fmt.Sprintf("; if %s is set at run time: rollcall during --service=%s/%s",
			strings.Join(slices.Sorted(maps.Keys(unset)), ", "), b.service.Namespace, b.service.Name)
	}
	return &refusal{because: because, remedy: remedy}
}

// except returns all but the workload that was chosen.
func (b behind) except(chosen manifest.Object) []manifest.Object {
	return slices.DeleteFunc(slices.Concat(b.workloads, b.others),
		func(o manifest.Object) bool { return o.Unstructured == chosen.Unstructured })
}

// listed names objects.
func listed(objects []manifest.Object) string {
	var names []string
	for _, o := range objects {
		names = append(names, o.String())
	}
	return strings.Join(names, ", ")
}

// headless names the first Service without a ClusterIP, or the one of a name; empty if there is none.
func (a *App) headless(named string) string {
	for _, o := range a.Objects {
		ip, _, _ := unstructured.NestedString(o.Object, "spec", "clusterIP")
		if o.GetKind() == "Service" && ip == corev1.ClusterIPNone && (named == "" || named == o.GetName()) {
			return o.GetName()
		}
	}
	return ""
}

// choose sets the Service and the workload: those that are named, or else the only ones.
func (a *App) choose(service userapp.ServiceName, workload string) error {
	named := parseWorkload(workload)
	all := slices.DeleteFunc(slices.Clone(a.Objects), func(o manifest.Object) bool { return !manifest.Rollable(o) })
	if workload != "" && !slices.ContainsFunc(all, named.of) {
		return usage.New("--workload="+workload, "no manifest has it", "choose one of: "+listed(all))
	}
	var found, several []string // Services with one workload, and with more
	var unfit, unsaid error     // of the first Service of no workload, and of the first with several
	for _, o := range a.Objects {
		of, is := manifest.ServiceOf(o)
		if !is || service.Name != "" && (of.Name != service.Name || service.Namespace != "" && o.Namespace() != service.Namespace) {
			continue
		}
		b := behindOf(a.Objects, of)
		chosen, refused := b.workload(named)
		switch {
		case refused == nil:
			a.service, a.workload, a.beside = of, chosen, b.except(chosen)
			found = append(found, of.Name)
		case refused.several:
			unsaid = cmp.Or(unsaid, usage.New("Service "+of.Name, refused.because, refused.remedy))
			several = append(several, of.Name)
		default:
			unfit = cmp.Or(unfit, usage.New("Service "+of.Name, refused.because, refused.remedy))
		}
	}
	switch which := slices.Concat(found, several); {
	case len(found) == 1:
		a.template, _ = manifest.TemplateOf(a.workload)
		return nil
	case len(which) > 1:
		return usage.New("manifests", fmt.Sprintf("%s lead to pods of theirs: %s", phrase.Count(len(which), "Service"),
			strings.Join(which, ", ")), "say which clients use: --service="+which[0])
	case unsaid != nil:
		return unsaid
	case unfit != nil:
		return unfit
	case a.headless(service.Name) != "":
		return usage.New("Service "+a.headless(service.Name),
			"it is headless, so that its clients choose a pod themselves, and no node does for them",
			"name a file with a Service that has a ClusterIP, too: -f service.yaml")
	case service.Name != "":
		return usage.New("Service "+service.Name, "no manifest has it", "choose one of: "+strings.Join(services(a.Objects), ", "))
	default:
		return usage.New("manifests", "they have no Service with a ClusterIP", "add one: requests are sent to a Service")
	}
}
