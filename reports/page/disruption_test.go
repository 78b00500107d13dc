package page_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/harness/verdict"
	"example.com/rollcall/reports/page"
)

// A loss is a time in which a lane's requests fail, from one moment until before another.
type loss struct {
	lane     string
	from, to time.Duration
	fault    evidence.Fault
}

// disturbedFolder records a cluster of three nodes for so long, at so many requests per second and lane, with what was done to it.
func disturbedFolder(t testing.TB, d *evidence.Disruption, length time.Duration, rate int, events []evidence.Event, losses ...loss) string {
	t.Helper()
	dir := t.TempDir()
	writeJSON(t, filepath.Join(dir, "evidence", evidence.SessionFile), evidence.Session{Schema: 1, ID: "disturbed", Began: began})
	writeJSON(t, filepath.Join(dir, "evidence", "nftables", evidence.ClusterFile), evidence.Cluster{Mode: "nftables"})
	run := evidence.Run{Suite: "disruption", Scenario: "disturbed", Mode: "nftables", Attempt: 1, OldVersion: "v1", NewVersion: "v1",
		Claim: "what is done to a node costs clients nothing", Disruption: d, Expect: []evidence.Expectation{verdict.NoFailures()}}
	run.Lanes = []evidence.Lane{
		{ID: "worker-fresh", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Fresh, Rate: rate},
		{ID: "worker-reused", Vantage: evidence.FromPod, Node: "worker", Conn: evidence.Reused, Rate: rate},
		{ID: "worker2-fresh", Vantage: evidence.FromPod, Node: "worker2", Conn: evidence.Fresh, Rate: rate},
		{ID: "outside-fresh", Vantage: evidence.FromHost, Conn: evidence.Fresh, Rate: rate},
	}
	for _, node := range []string{"control-plane", "worker", "worker2"} {
		events = append(events, evidence.Event{Kind: evidence.NodeReady, Object: node})
	}
	events = append(events, at(0.5, evidence.LoadBegun, "", ""), at(length.Seconds(), evidence.LoadEnded, "", ""))
	for i := range 3 {
		events = append(events, evidence.Event{Kind: evidence.PodReady, By: server(i)})
	}
	var hits []evidence.Hit
	for _, lane := range run.Lanes {
		for seq := range int(length.Seconds()-1) * rate {
			due := time.Second + time.Duration(seq)*time.Second/time.Duration(rate)
			h := evidence.Hit{Lane: lane.ID, Seq: uint64(seq), Due: due, Sent: due, Status: 200, By: server(seq % 3), Attempts: 1,
				Took: time.Millisecond + time.Duration(seq%97)*time.Microsecond*40}
			for _, l := range losses {
				if l.lane == lane.ID && due >= l.from && due < l.to {
					h.Fault, h.Status, h.By = l.fault, 0, evidence.Server{}
				}
			}
			hits = append(hits, h)
		}
	}
	record(t, dir, evidence.Evidence{Run: run, Hits: evidence.Hits(hits), Events: events})
	return dir
}

func server(i int) evidence.Server {
	return evidence.Server{Version: "v1", Pod: fmt.Sprintf("shop-7d9-%d", i), Node: []string{"worker", "worker2", "control-plane"}[i]}
}

func at(seconds float64, kind evidence.EventKind, object, detail string) evidence.Event {
	return evidence.Event{At: time.Duration(seconds * float64(time.Second)), Kind: kind, Object: object, Detail: detail}
}

// drainedFolder records a node that is drained and rebooted, on which clients lose requests.
func drainedFolder(t testing.TB) string {
	t.Helper()
	d := evidence.Disruption{ID: "node-drained", Does: "a worker is drained, rebooted and opened again", Nodes: []string{"worker"},
		Expects: []string{"node-unready"}}
	return disturbedFolder(t, &d, 40*time.Second, 50, []evidence.Event{
		at(8, evidence.RolloutBegun, "", ""), at(8, evidence.DisruptionBegun, "", "node-drained"),
		at(8.3, evidence.NodeCordoned, "worker", ""), at(8.5, evidence.Step, "worker", "drain"), at(14, evidence.Step, "worker", "reboot"),
		at(15, evidence.NodeUnready, "worker", ""), at(20, evidence.NodeChanged, "worker", "booted"),
		at(20.1, evidence.NodeChanged, "worker", "kubelet v1.37.2"), at(21, evidence.NodeReady, "worker", ""),
		at(22, evidence.NodeOpened, "worker", ""), at(22, evidence.DisruptionUndone, "", ""), at(29, evidence.ClusterWhole, "", ""),
		at(29, evidence.Barrier, "", ""),
	}, loss{"worker-fresh", 8900 * time.Millisecond, 12100 * time.Millisecond, evidence.Refused},
		loss{"worker-reused", 9 * time.Second, 9100 * time.Millisecond, evidence.Reset},
		loss{"outside-fresh", 14500 * time.Millisecond, 16 * time.Second, evidence.Timeout})
}

// maintainedFolder records maintenance of so many minutes: every 5 minutes a node is drained, and its clients lose requests.
func maintainedFolder(t testing.TB, minutes, rate int) string {
	t.Helper()
	var events []evidence.Event
	var losses []loss
	for i := range minutes / 5 {
		begin, node := float64(60+300*i), []string{"worker", "worker2"}[i%2]
		events = append(events, at(begin, evidence.Step, node, "drain"), at(begin+1, evidence.NodeCordoned, node, ""),
			at(begin+40, evidence.NodeUnready, node, ""), at(begin+70, evidence.NodeChanged, node, "kubelet v1.37.2"),
			at(begin+75, evidence.NodeReady, node, ""), at(begin+80, evidence.NodeOpened, node, ""))
		from := time.Duration(begin*float64(time.Second)) + 400*time.Millisecond
		losses = append(losses, loss{node + "-fresh", from, from + time.Duration(i+2)*time.Second, evidence.Refused})
	}
	events = append(events, at(30, evidence.RolloutBegun, "", ""), at(float64(60*minutes-30), evidence.Barrier, "", ""))
	return disturbedFolder(t, nil, time.Duration(minutes)*time.Minute, rate, events, losses...)
}

const (
	disturbed   = "nftables.disruption.disturbed"
	ofDisturbed = `[id="` + disturbed + `"] `
)

func TestADisruptionIsTold(t *testing.T) {
	html := article(t, string(write(t, drainedFolder(t))), disturbed)
	for _, says := range []string{
		"<b>node-drained</b>: a worker is drained, rebooted and opened again <small>on worker</small>",
		"begun at 8.000 s, undone at 22.000 s, the cluster whole at 29.000 s",
		"160 failed on worker-fresh for 3.20 s, from 400 ms after: worker: drain</li>",
		"75 failed on outside-fresh for 1.50 s, from 500 ms after: worker: reboot; meanwhile: worker: not ready</li>",
		`<td class="n">20.100 s</td><td>worker</td><td>kubelet v1.37.2</td>`,
		`class="done"`, `class="undone"`, `>worker: reboot</text>`, `class="unready"`, `class="cordoned"`, `class="changed"`,
		"time until whole<small>", "7.00\u00a0s</dd>",
	} {
		if !strings.Contains(html, says) {
			t.Errorf("the page does not have %s", says)
		}
	}
	undisturbed := article(t, string(write(t, recordedFolder(t))), undrained)
	for _, says := range []string{`"bands"`, `"steps":[{"name"`, `class="node"`, `class="done"`, `class="step"`, "outages"} {
		if strings.Contains(undisturbed, says) {
			t.Errorf("a rollout without a disruption has %s", says)
		}
	}
}

func TestAgentsThatWereAwayAreTold(t *testing.T) {
	dir := drainedFolder(t)
	err := rerun(placeOf(dir, "nftables", "disruption", "disturbed"), func(run *evidence.Run) {
		run.Absences = []evidence.Absence{{Lane: "worker-fresh", From: 650, To: 900, Since: 14 * time.Second, Until: 19 * time.Second,
			Why: "its node booted"}}
	})
	if err != nil {
		t.Fatal(err)
	}
	const says = "the load agent of worker was away for 5.00 s from 14.000 s on and left out 250 requests: its node booted</a></li>"
	if !strings.Contains(article(t, string(write(t, dir)), disturbed), says) {
		t.Errorf("the page does not have %s", says)
	}
}

func TestForeignRequestsAreTold(t *testing.T) {
	dir := recordedFolder(t)
	if err := rerun(placeOf(dir, "nftables", "recorded", "drained"), func(run *evidence.Run) { run.Foreign = 10000 }); err != nil {
		t.Fatal(err)
	}
	html := string(write(t, dir))
	const says = "10,000 foreign requests reached the app, with headers like those of lanes; nothing is judged by them"
	if !strings.Contains(article(t, html, "nftables.recorded.drained"), says) || !strings.Contains(html, "in 1 scenario, "+says) {
		t.Errorf("the page does not say of the scenario and of the run: %s", says)
	}
	if strings.Contains(article(t, html, "iptables.recorded.drained"), "foreign") {
		t.Error("it says so of a scenario without any")
	}
}

func TestAPictureOfADisruptionHasItsBandAndSteps(t *testing.T) {
	var b strings.Builder
	if err := page.Picture(&b, placeOf(drainedFolder(t), "nftables", "disruption", "disturbed")); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{`class="done"`, "path.done", ">worker: drain</text>", ">cordoned</text>"} {
		if !strings.Contains(b.String(), says) {
			t.Errorf("the picture does not have %s", says)
		}
	}
}

func TestADisruptionIsSeen(t *testing.T) {
	v := newVisit(t, 1440)
	v.open(written(t, drainedFolder(t)), disturbed)
	v.await(ofDisturbed + ".plots")
	v.settle()
	v.shoot("disruption.png")
	if n := ask[int](v, all(ofDisturbed+".drawing .title")+`.length`); n != 5 {
		t.Errorf("its timeline has %d charts, not 5, of which one is of nodes", n)
	}
	whole := v.drawn(ofDisturbed)
	v.click(ofDisturbed + ".outages a")
	v.settle()
	v.shoot("outage.png")
	if v.drawn(ofDisturbed) == whole {
		t.Error("a click on an outage did not show it")
	}
	ask[bool](v, `(`+one(ofDisturbed+".plots")+`.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true })), true)`)
	v.await(ofDisturbed + ".request")
	if card := ask[string](v, one(ofDisturbed+".request")+`.innerText`); !strings.Contains(card, "worker: drain, 0.400 s before") {
		t.Errorf("the request shown does not say after which step it was sent:\n%s", card)
	}
}

func TestHoursOpenToAMinute(t *testing.T) {
	v := newVisit(t, 1440)
	v.open(written(t, maintainedFolder(t, 30, 5)), disturbed)
	v.await(ofDisturbed + ".overview")
	v.settle()
	v.shoot("hours.png")
	strip := one(ofDisturbed + ".overview")
	shown := func() string { return ask[string](v, strip+`.getAttribute("aria-valuetext")`) }
	whole := shown()
	want := func(how, expected string) {
		t.Helper()
		v.settle()
		if got := shown(); got != expected {
			t.Errorf("%s shows %s, want %s", how, got, expected)
		}
	}
	box := ask[[]float64](v, `(e => {
		e.scrollIntoView({ block: "center" });
		const box = e.getBoundingClientRect();
		return [box.left, box.top, box.width, box.height];
	})(`+strip+`)`)
	span := ask[[]float64](v, `["min", "max"].map(end => Number(`+strip+`.getAttribute("aria-value" + end)))`)
	x := func(seconds float64) float64 { return box[0] + box[2]*(seconds-span[0])/(span[1]-span[0]) }
	y := box[1] + box[3]/2
	drag := func(from, to float64) {
		v.do(chromedp.MouseEvent(chromedp.MousePressed, x(from), y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
			chromedp.MouseEvent(chromedp.MouseMoved, x(to), y, chromedp.ButtonLeft),
			chromedp.MouseEvent(chromedp.MouseReleased, x(to), y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
		v.settle()
	}
	length := func() float64 {
		return ask[float64](v, `(([from, to]) => to - from)(`+strip+`.getAttribute("aria-valuetext").split(" to ")
			.map(time => time.split(":").reduce((sum, part) => sum * 60 + Number(part), 0)))`)
	}
	drag(960, 960)
	v.shoot("minute.png")
	if n := length(); n < 59.9 || n > 60.1 {
		t.Errorf("a click opens %g s: %s", n, shown())
	}
	drag(600, 900)
	if n := length(); n < 295 || n > 305 {
		t.Errorf("dragging over 5 minutes opens %g s: %s", n, shown())
	}
	ask[bool](v, `(`+strip+`.focus(), true)`)
	key := func(key string) { v.do(chromedp.KeyEvent(key)) }
	key("\u001b")
	want("Escape", whole)
	key("\r")
	if n := length(); n < 59.9 || n > 60.1 {
		t.Errorf("Enter opens %g s: %s", n, shown())
	}
	minute := shown()
	ask[bool](v, `(`+strip+`.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" })), true)`)
	if shown() == minute {
		t.Error("the right arrow stays where it is")
	}
	key("\u001b")
	ask[bool](v, `(`+strip+`.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" })), true)`)
	want("the first failure", "0:00:30.400 to 0:01:30.400")
}
