package during

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"example.com/rollcall/harness"
	"example.com/rollcall/harness/cluster"
	"example.com/rollcall/harness/disruption"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/record"
	"example.com/rollcall/harness/secret"
	"example.com/rollcall/harness/standstill"
	"example.com/rollcall/harness/userapp"
	"example.com/rollcall/harness/verdict/phrase"
)

// A maintenance is what a recorder records: a command, a change, or what is done by hand.
type maintenance struct {
	settings
	folder  string
	command []string // empty: none
	change  *Change  // nil: none; without command and change the end comes over the socket
	does    string   // in words
	id      string   // of the recording
	input   *os.File // of the command
	screen  *screen
	server  *server
	begun   func() error // called when the load is steady; nil: nobody waits for that

	cluster     cluster.Cluster // once it is open
	kubeconfig  *kubeconfig     // for the cluster, if it is not ours; nil: none
	app         *userApp        // that is watched; nil: none
	system      states          // of what runs the cluster, before anything is done; nil unless the load goes to our own app
	wholeness   wholeness
	interrupts  *interrupts
	unfinished  string   // why the maintenance, or the last change, did not come to its end; empty: it did
	broken      []string // the same of all changes so far
	commandCode int
	commandTook time.Duration
}

// byHand describes maintenance without a command.
const byHand = "maintenance by hand"

func doing(command []string) string {
	if len(command) == 0 {
		return byHand
	}
	return shellescape.QuoteCommand(secret.Args(command))
}

// name returns a noun for what is recorded.
func (m *maintenance) name() string {
	if m.change != nil {
		return "the rollout"
	}
	return m.does
}

// scenarioOn prepares the maintenance on a cluster, and returns its scenario.
func (m *maintenance) scenarioOn(ctx context.Context, c cluster.Cluster) (harness.Scenario, error) {
	m.sayProxy()
	if m.plan.Options.FromHost {
		return m.fromHost(ctx)
	}
	m.cluster = c
	if err := m.writeKubeconfig(); err != nil {
		return harness.Scenario{}, err
	}
	if m.change != nil {
		if err := m.change.Prepare(ctx, Site{c, m.folder, m.screen.say}); err != nil {
			return harness.Scenario{}, err
		}
		m.does = m.change.Does() // it may be known only now
	}
	if err := m.findProtocol(ctx, c.Client()); err != nil {
		return harness.Scenario{}, err
	}
	if m.says != "" {
		m.screen.say(m.says)
	}
	s, err := m.existing(ctx, c.Client(), m.scenario())
	to := s.UnderLoad().Existing
	if err != nil || to == nil {
		return s, err
	}
	to.New = m.change != nil
	if to.Service != nil {
		if err := m.watchApp(ctx, c, &s); err != nil {
			return s, err
		}
	}
	to.Explain = obstacles{client: c.Client(), to: to, path: s.UnderLoad().UserApp.Path(), speaks: userapp.Title(m.by().Name())}.explain
	m.printRequest(s)
	return s, nil
}

// printRequest says what is asked, and what is not looked at.
func (m *maintenance) printRequest(s harness.Scenario) {
	load := s.UnderLoad()
	if service := load.Existing.Service; service != nil {
		over := ""
		if m.by() != evidence.HTTP {
			over = ", by " + userapp.Title(m.by().Name())
		}
		m.screen.say(fmt.Sprintf("asked: %s at port %s of %s%s", load.UserApp.Path(), userapp.PortText(service.Spec.Ports[0]), thingOf(service),
			over))
	}
	for _, limit := range s.Limits {
		m.screen.say("limit: " + limit.Text)
	}
}

// do makes the change, runs the command, or waits for the end over the socket. It returns when that has ended and the app has rolled out.
func (m *maintenance) do(ctx context.Context, s disruption.Stage) error {
	defer m.server.endedNow()
	if m.cluster != nil {
		m.wholeness = wholeness{client: m.cluster.Client(), seen: s.Seen, before: standstill.Unfit(s.Seen.Nodes()), say: m.screen.say}
	}
	if m.app != nil {
		m.app.follow(s.Seen)
	}
	if m.requestsOurs() {
		m.limitEvictions(ctx, s)
		m.system = systemOf(ctx, m.cluster.Client())
	}
	m.screen.say("the load is steady")
	if len(m.command) == 0 && m.change == nil {
		m.screen.say(m.help())
	}
	m.server.steadyNow(func(text string) {
		s.Step("", text)
		m.screen.say("mark: " + text)
	})
	if m.begun != nil {
		_ = m.begun() // fails if the parent is gone
	}
	deadline := time.Now().Add(m.deadline)
	limited, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	never := "" // why the end will never be known
	noteChanges := m.followApp(limited, s)
	switch {
	case m.change != nil:
		m.screen.say("rolling out: " + m.does)
		if err := m.change.Do(limited); err != nil {
			return err
		}
	case len(m.command) > 0:
		m.run(limited)
		s.Fact(evidence.CommandExit, strconv.Itoa(m.commandCode))
		never = m.awaitOver(limited, s)
	default:
		select {
		case <-m.server.end:
			m.screen.say("the maintenance is over")
		case <-limited.Done():
		}
	}
	if m.cluster != nil {
		m.wholeness.leases = m.wholeness.versionsOfLeases(limited)
	}
	cannot, late := m.awaitRollout(limited, s.Expired)
	noteChanges()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	unended := cmp.Or(late, never)
	if !m.mustEnd() {
		unended = cmp.Or(cannot, unended)
	}
	if limited.Err() != nil || time.Now().After(deadline) { // the timer that ended the command may have come before that of limited
		unended = fmt.Sprintf("%s was not over after %v, which is its deadline", m.name(), m.deadline)
	} else if m.interrupts.reached() {
		unended = m.name() + " was interrupted"
	}
	if m.unfinished = cmp.Or(unended, cannot); m.unfinished != "" {
		m.screen.say(m.unfinished)
		s.Step("", phrase.Cut(m.unfinished, 200))
	}
	switch {
	case unended != "":
		m.broken = append(m.broken, unended)
		s.Fact(evidence.Unfinished, unended)
	case m.mustEnd():
		s.Fact(evidence.RolloutEnd, cmp.Or(cannot, evidence.Reached))
	}
	return nil
}

// followApp notes the state of the app before anything is done, and returns a function that notes what of it was changed since.
func (m *maintenance) followApp(ctx context.Context, s disruption.Stage) (noteChanges func()) {
	if m.app == nil {
		return func() {}
	}
	if m.app.underWay != "" {
		s.Fact(evidence.RolloutUnderWay, m.app.underWay)
	}
	before := m.app.states(ctx)
	return func() {
		if changed := before.changed(m.app.states(ctx)); changed != "" {
			s.Fact(evidence.AppChanged, changed)
		}
	}
}

// requestsOurs reports whether the load goes to our own app, which only what is done to its cluster concerns.
func (m *maintenance) requestsOurs() bool { return m.service == nil && m.url == "" }

// noteSystem notes what of the system has changed since the maintenance began.
func (m *maintenance) noteSystem(ctx context.Context, s disruption.Stage) {
	if changed := m.system.changed(systemOf(ctx, m.cluster.Client())); changed != "" {
		s.Fact(evidence.SystemChanged, phrase.Cut(changed, 200))
	}
}

// awaitWhole waits until the API shows the cluster as whole as it was before. By then kubelets have told which containers were started.
func (m *maintenance) awaitWhole(ctx context.Context, s disruption.Stage) error {
	if m.cluster == nil {
		m.screen.say(fmt.Sprintf("the load goes on for %v", m.settle))
		return nil
	}
	err := m.wholeness.await(ctx, wholeLimit, s.Expired)
	if m.requestsOurs() {
		m.noteSystem(ctx, s)
	}
	if err == nil {
		m.screen.say(fmt.Sprintf("every node takes pods; the load goes on until the app is everywhere, and then for %v", m.settle))
	}
	return err
}

// run runs the command until ctx ends. What it prints goes to the terminal and, line by line with the time, into the run folder. If the
// recording ends because it can record no more, the command goes on: half of a deployment may cost more than none.
func (m *maintenance) run(ctx context.Context) {
	ctx, end := m.untilEnded(ctx)
	defer end()
	m.screen.say("running: " + m.does)
	m.screen.quiet.Store(true)
	defer m.screen.quiet.Store(false)
	file, err := os.Create(filepath.Join(m.folder, commandFile))
	if err != nil {
		m.screen.say(fmt.Sprintf("what the command prints is not kept: %v", err))
	} else {
		defer file.Close()
	}
	log := &commandLog{to: tee{file}}
	out, errOut := log.stream("out"), log.stream("err")
	c := userCommand{args: m.command, env: m.environment(), in: m.input, out: tee{m.screen.terminal, out},
		errOut: tee{m.screen.errors, errOut}}
	began := time.Now()
	m.commandCode = c.run(ctx, m.interrupts.running)
	m.interrupts.running(nil)
	m.commandTook = time.Since(began)
	out.end()
	errOut.end()
	m.screen.say(m.commandEnd())
}

// untilEnded returns a context that ends with the recording or, if that records no more, with the deadline or the next interrupt.
func (m *maintenance) untilEnded(recording context.Context) (_ context.Context, end func()) {
	ctx, cancel := context.WithTimeout(m.interrupts.ctx, m.deadline)
	stop := context.AfterFunc(recording, func() {
		if lost := record.Unrecorded(recording); lost != nil {
			m.screen.say(fmt.Sprintf("%v; your command goes on", lost))
			return
		}
		cancel()
	})
	return ctx, func() { stop(); cancel() }
}

func (m *maintenance) commandEnd() string {
	return fmt.Sprintf("the command ended after %v with exit code %d", m.commandTook.Round(100*time.Millisecond), m.commandCode)
}

// help says which commands to use once the load is steady.
func (m *maintenance) help() string {
	lines := []string{"run folder: " + m.folder}
	if file := m.kubeconfigFile(); file != "" {
		lines = append(lines, "export "+kubeconfigVariable+"="+shellescape.Quote(file))
	}
	return strings.Join(append(lines, "before each step: rollcall during mark TEXT", "when all is done: rollcall during end"), "\n")
}

const (
	kubeconfigVariable = "KUBECONFIG"
	// nodesVariable has the names of a kind cluster's nodes, separated by spaces.
	nodesVariable = "ROLLCALL_NODES"
)

// environment returns the environment of a command: ours without secrets, the run folder, the kubeconfig of the cluster, and the nodes of
// one that Rollcall created.
func (m *maintenance) environment() []string {
	list := append(new(Options).List().WithoutSecrets(os.Environ()), RunVariable+"="+m.folder)
	if file := m.kubeconfigFile(); file != "" {
		list = append(list, kubeconfigVariable+"="+file)
	}
	if ours, err := cluster.Ours(m.cluster); err == nil {
		list = append(list, nodesVariable+"="+strings.Join(ours.Nodes(), " "))
	}
	return list
}

// limitEvictions creates a PodDisruptionBudget, as for any app that has to stay available, so that evictions take one pod of Rollcall's app
// at a time. It warns if that is forbidden, since a drain may then evict all pods at once.
func (m *maintenance) limitEvictions(ctx context.Context, s disruption.Stage) {
	budgets := m.cluster.Client().PolicyV1().PodDisruptionBudgets(s.Namespace)
	_, err := budgets.Create(ctx, s.BudgetOf(intstr.FromInt32(1)), metav1.CreateOptions{})
	switch {
	case apierrors.IsForbidden(err):
		err = errors.New("missing permission to create a PodDisruptionBudget")
	case err == nil:
		return
	}
	m.screen.say(fmt.Sprintf("a drain may take all pods of the app at once: %v", err))
}
