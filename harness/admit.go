package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rollcall/fixtures"
	"rollcall/harness/cluster"
	"rollcall/harness/lock"
	"rollcall/harness/observe"
	"rollcall/harness/poll"
	"rollcall/harness/usage"
	"rollcall/loadgen"
)

// admitted names, in the environment of a child process, what its parent found out about the target.
const admitted = "ROLLCALL_ADMITTED"

// An admission is what was found out about a target by trying: where its images are and how it is reached from here.
type admission struct {
	Images fixtures.Sources
	Route  cluster.Route
}

// Admit finds out whether a run is possible on the target, and refuses it in one line if not: rights, quotas, images and
// a trial on every node that is to carry agents. What it makes for that it removes. The result is the environment for
// child processes, which need not try again.
func (r *Rig) Admit(ctx context.Context, out io.Writer, session string) (env string, err error) {
	var a admission
	if text := os.Getenv(admitted); text != "" {
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			return "", fmt.Errorf("read %s: %w", admitted, err)
		}
		fixtures.Use(a.Images)
		r.attached.Take(a.Route)
		return "", r.checkRights(ctx, io.Discard)
	}
	r.attached.Introduce(out)
	if err := r.checkRights(ctx, out); err != nil || r.DryRun {
		return "", err
	}
	held, err := live(r.attached.REST.Host, session)
	switch {
	case err == nil:
		defer func() {
			if err != nil && !usage.Is(err) {
				err = errors.Join(err, held.Abandon())
				return
			}
			err = errors.Join(err, held.Release())
		}()
	case !errors.Is(err, lock.ErrHeld): // by the rest of this run
		return "", err
	}
	if err := r.sweepTarget(ctx, out); err != nil {
		return "", err
	}
	if a.Images, err = r.provide(ctx, out); err != nil {
		return "", err
	}
	fixtures.Use(a.Images)
	fmt.Fprintln(out, "trying the images on every node that is to carry load")
	if err := r.try(ctx, session); err != nil {
		return "", err
	}
	if err := r.tryOwn(ctx, out, r.attached, session); err != nil {
		return "", err
	}
	a.Route = r.attached.Route()
	text, err := json.Marshal(a)
	return admitted + "=" + string(text), err
}

// checkRights refuses a target on which we may not do what every scenario does, and notes what else we may not.
func (r *Rig) checkRights(ctx context.Context, out io.Writer) error {
	given := words(r.Namespaces)
	lacking, err := missing(ctx, r.attached.Client, Rights(len(given) == 0, slices.Contains(words(r.Allow), NodeRules)), given)
	if err != nil {
		return usage.New("context "+r.attached.Name, err.Error(), "see that kubectl auth can-i --list works")
	}
	r.costs = costs(lacking)
	if because, all := r.costs[""]; all {
		remedy := "bind the roles of fixtures/staging to this user"
		if slices.ContainsFunc(lacking, func(m Missing) bool { return m.Resource == "namespaces" }) {
			remedy += ", or name namespaces that were made for you: -namespace=NAME"
		}
		return usage.New("context "+r.attached.Name, because, remedy)
	}
	for use, because := range r.costs {
		fmt.Fprintf(out, "  rights                %s: scenarios that use %s are skipped\n", because, use)
	}
	r.attached.NotObservable(r.costs[NodeRules])
	return nil
}

// provide gets the images to where the nodes can pull them.
func (r *Rig) provide(ctx context.Context, out io.Writer) (s fixtures.Sources, err error) {
	if r.PullSecret != "" {
		s.PullSecret = pullSecret
	}
	if s.Refs, err = r.refs(); s.Refs != nil || err != nil {
		return s, err
	}
	if r.ImageRepo == "" {
		return s, nil // loaded into the nodes by somebody
	}
	if r.home.Compiled {
		return s, usage.New("image-repo "+r.ImageRepo, "the sources to build images from are not here", "push them from a clone, and name them: -images")
	}
	fmt.Fprintln(out, "building the images of the app, the agent and the observer")
	images, err := fixtures.Build(ctx, r.home.Folder)
	if err != nil {
		return s, err
	}
	if s.Refs, err = images.Push(ctx, out, fixtures.Registry{Repo: r.ImageRepo, CAFile: r.RegistryCA}, imageNames(r.attached.Observable() == "")); err != nil {
		return s, usage.New("image-repo "+r.ImageRepo, strings.ReplaceAll(err.Error(), "\n", " "), "log in to it with docker login or podman login, or name images that are there: -images")
	}
	return s, nil
}

// pullSecret is the name of the Secret that nodes pull with.
const pullSecret = "rollcall-pull"

// trialPatience is how long nodes may take to pull the images and start them.
const trialPatience = 50 * time.Second

// try runs the images once on every node that is to carry agents, and looks for a way to them from here.
func (r *Rig) try(ctx context.Context, session string) (err error) {
	client := r.attached.Client
	sp, err := r.spaces.take(ctx)
	if err != nil {
		return err
	}
	defer r.spaces.put(sp)
	if err := sp.open(ctx, client, session, fixtures.Restricted); err != nil {
		return usage.New("namespace "+sp.name, err.Error(), "name one that is there and empty: -namespace=NAME")
	}
	defer func() {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupPatience)
		defer cancel()
		err = errors.Join(err, sp.leave(limited, client, sp.name))
	}()
	if err := r.bringSecret(ctx, sp); err != nil {
		return err
	}
	if err := r.checkQuota(ctx, sp); err != nil {
		return err
	}
	carriers, err := r.attached.Workers(ctx)
	if err != nil {
		return err
	}
	if len(carriers) == 0 {
		return usage.New("context "+r.attached.Name, "no node is ready and takes pods that tolerate no taint", "see kubectl get nodes")
	}
	service, err := client.CoreV1().Services(sp.name).Create(ctx, fixtures.TrialService(sp.name, r.attached.NodePort()), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	for _, node := range carriers {
		if _, err := client.CoreV1().Pods(sp.name).Create(ctx, fixtures.TrialPod(sp.name, node, r.attached.Observable() == ""), metav1.CreateOptions{}); err != nil {
			return usage.New("namespace "+sp.name, err.Error(), "have its owner allow pods of the standard restricted, with requests and limits")
		}
	}
	if err := r.trialRuns(ctx, sp, len(carriers)); err != nil {
		return err
	}
	return r.attached.FindOutside(ctx, service, r.answers)
}

// answers returns when a trial pod gives a good reply by way of a URL, or says what came instead. One that was given for
// an app of somebody else's leads to that app's Service, and is tried with it.
func (r *Rig) answers(ctx context.Context, url string) error {
	if r.own != nil && url == r.OutsideURL {
		return nil
	}
	client := loadgen.FreshClient(time.Second)
	var last error
	err := poll.Until(ctx, 250*time.Millisecond, func() (bool, error) {
		_, last = loadgen.Ask(ctx, client, url)
		return last == nil, nil
	})
	if err != nil && last != nil {
		return last
	}
	return err
}

// trialRuns returns when every trial pod serves, or refuses with the node and what keeps it.
func (r *Rig) trialRuns(ctx context.Context, sp space, want int) error {
	ctx, cancel := context.WithTimeout(ctx, trialPatience)
	defer cancel()
	var why string
	err := poll.Until(ctx, 250*time.Millisecond, func() (bool, error) {
		pods, err := r.attached.Client.CoreV1().Pods(sp.name).List(ctx, metav1.ListOptions{LabelSelector: fixtures.NameLabel + "=" + fixtures.TrialName})
		if err != nil {
			return false, err
		}
		ready := 0
		why = ""
		for _, pod := range pods.Items {
			if observe.Ready(&pod) {
				ready++
			} else if why == "" {
				why = stuck(pod)
			}
		}
		return ready == want, nil
	})
	if why != "" {
		return usage.New("trial", fmt.Sprintf("%s, for %v", why, trialPatience), "push the images where nodes can pull them (-image-repo, -pull-secret), or name others (-images)")
	}
	return err
}

// stuck says where a pod is, and why it does not serve.
func stuck(pod corev1.Pod) string {
	where := "node " + pod.Spec.NodeName
	if pod.Spec.NodeName == "" {
		where = "no node takes pod " + pod.Name
	}
	for _, status := range append(slices.Clone(pod.Status.InitContainerStatuses), pod.Status.ContainerStatuses...) {
		switch {
		case status.State.Waiting != nil && status.State.Waiting.Reason != "PodInitializing":
			w := status.State.Waiting
			return strings.TrimRight(fmt.Sprintf("%s: container %s, image %s: %s: %s", where, status.Name, status.Image, w.Reason, inOneLine(w.Message)), ": ")
		case status.State.Terminated != nil && status.State.Terminated.ExitCode != 0:
			return fmt.Sprintf("%s: container %s, image %s: it ended with code %d", where, status.Name, status.Image, status.State.Terminated.ExitCode)
		}
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Status == corev1.ConditionFalse && condition.Message != "" {
			return where + ": " + inOneLine(condition.Message)
		}
	}
	return where + ": its pod is " + string(pod.Status.Phase)
}

func inOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// bringSecret puts the credentials nodes pull with into a namespace, if there are any.
func (r *Rig) bringSecret(ctx context.Context, sp space) error {
	if r.PullSecret == "" {
		return nil
	}
	data, err := os.ReadFile(r.PullSecret)
	if err != nil {
		return usage.New("pull-secret "+r.PullSecret, "it cannot be read: "+err.Error(), "give a file like ~/.docker/config.json")
	}
	_, err = r.attached.Client.CoreV1().Secrets(sp.name).Create(ctx, fixtures.PullSecret(sp.name, pullSecret, data), metav1.CreateOptions{})
	return err
}
