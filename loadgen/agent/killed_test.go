package main

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/loadgen"
)

const token = "open-sesame"

// startProcess starts an agent in its own process, with a spool, and returns how to reach and how to kill it.
func startProcess(t *testing.T, spool string) (agent loadgen.Remote, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-listen=127.0.0.1:0", "-spool="+spool)
	cmd.Env = append(os.Environ(), asAgent+"=1", "ROLLCALL_TOKEN="+token)
	says, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	t.Cleanup(kill)
	line, err := bufio.NewReader(says).ReadString('\n')
	address := regexp.MustCompile(`listening on (\S+)`).FindStringSubmatch(line)
	if err != nil || address == nil {
		t.Fatalf("it says %q, %v", line, err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return loadgen.Remote{URL: "http://" + address[1], Token: token, Client: client}, kill
}

// TestKilledAgentLosesNoHit kills an agent three times in the middle of its load, with requests in flight. Whatever arrived at the
// app has a hit, or is known to have been in flight; everything else was left out.
func TestKilledAgentLosesNoHit(t *testing.T) {
	var mu sync.Mutex
	arrived, over := map[uint64]int{}, make(chan struct{})
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seq, _ := strconv.ParseUint(r.Header.Get("X-Vegeta-Seq"), 10, 64)
		mu.Lock()
		arrived[seq]++
		mu.Unlock()
		if seq%20 == 0 { // so that some are in flight when it is killed
			select {
			case <-r.Context().Done():
			case <-over:
			}
		}
		for name, value := range map[string]string{"Service": "shop", "Version": "v1", "Pod": "shop-1", "Node": "worker"} {
			w.Header().Set("X-Rollcall-"+name, value)
		}
	}))
	defer app.Close()
	spool := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	agent, kill := startProcess(t, spool)
	lane := evidence.Lane{ID: "worker-fresh", Conn: evidence.Fresh, Target: app.URL, Rate: 200}
	if err := agent.Start(ctx, []evidence.Lane{lane}, loadgen.Config{Began: time.Now(), Service: "shop", Timeout: time.Minute}); err != nil {
		t.Fatal(err)
	}
	hits := map[uint64]int{}
	fetched, next, ended := 0, int64(0), false
	fetch := func() {
		ranges, err := agent.HitsOfLanes(ctx, []string{lane.ID}, []int64{next})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range ranges[0].Hits {
			if hits[h.Seq]++; h.Failed() {
				t.Errorf("%+v failed", h)
			}
		}
		fetched, next, ended = fetched+len(ranges[0].Hits), ranges[0].Next, ranges[0].End
	}
	const kills, between = 3, 50 // requests
	for range kills {
		for seen := fetched; fetched < seen+between; {
			fetch()
		}
		kill()
		agent, kill = startProcess(t, spool)
	}
	for seen := fetched; fetched < seen+between; {
		fetch()
	}
	close(over)
	if err := agent.Stop(ctx); err != nil {
		t.Fatal(err)
	}
	for !ended {
		fetch()
	}
	status, err := agent.Status(ctx)
	absences := status.Absences
	if err != nil || len(absences) != kills {
		t.Fatalf("%d absences, %v, want %d", len(absences), err, kills)
	}
	last, inFlight := uint64(0), 0
	for seq := range hits {
		last = max(last, seq)
	}
	unknown := func(seq uint64) bool {
		return slices.ContainsFunc(absences, func(a evidence.Absence) bool { return slices.Contains(a.Unknown, seq) })
	}
	for seq := range last + 1 {
		leftOut := slices.ContainsFunc(absences, func(a evidence.Absence) bool { return a.Skips(seq) })
		switch {
		case hits[seq] > 1 || arrived[seq] > 1:
			t.Errorf("number %d has %d hits and arrived %d times", seq, hits[seq], arrived[seq])
		case hits[seq] == 1 && unknown(seq):
			t.Errorf("number %d has a hit, and its outcome is unknown", seq)
		case hits[seq] == 1:
		case unknown(seq):
			inFlight++
		case arrived[seq] > 0 || !leftOut:
			t.Errorf("number %d arrived %d times, has no hit and was not in flight; left out: %v", seq, arrived[seq], leftOut)
		}
	}
	if inFlight == 0 {
		t.Error("no request was in flight")
	}
}
