package page_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/reports"
	"example.com/rollcall/reports/model"
)

// A drawn is the data of the page's script, as far as it can be counted.
type drawn struct {
	Kinds  []string
	Series struct {
		Versions []string
		Replies  [][]int
		P50      []*int
	}
	Points struct {
		Kind, Lane, Attempts, Arrivals []int
		Seq                            []uint64
	}
	Lanes []string
}

func TestNothingIsLostBetweenTheEvidenceAndTheChart(t *testing.T) {
	for name, dir := range map[string]string{"as recorded on clusters": recordedFolder(t), "100,000 requests": longFolder(t, 100_000),
		"one that fails and resends": nastyFolder(t)} {
		t.Run(name, func(t *testing.T) {
			r, err := reports.Load(dir)
			if err != nil {
				t.Fatal(err)
			}
			html := string(write(t, dir))
			for _, s := range r.Scenarios {
				if len(s.Lanes) == 0 {
					continue
				}
				var chart drawn
				data := regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`).FindStringSubmatch(article(t, html,
					s.Mode+"."+s.Suite+"."+s.ID))
				if err := json.Unmarshal([]byte(data[1]), &chart); err != nil {
					t.Fatal(err)
				}
				want, got := count(s), chart.count()
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s/%s in %s (-report +chart):\n%s", s.Suite, s.ID, s.Mode, diff)
				}
				if n := len(chart.Series.P50); n > 4000 {
					t.Errorf("it has %d buckets", n)
				}
				for _, rule := range s.Rules {
					for _, w := range rule.Witnesses {
						if !chart.has(w) {
							t.Errorf("%s %d decided %s and is not on the chart", w.Lane, w.Seq, rule.ID)
						}
					}
				}
			}
		})
	}
}

// counts are requests by what became of them: "reply v1", "refused", "sent again".
type counts map[string]int

func count(s model.Scenario) counts {
	all := counts{}
	for _, lane := range s.Lanes {
		for fault, n := range lane.Failures {
			all[string(fault)] += n
		}
		all["sent again"] += lane.Retried
		for version, n := range lane.ByVersion {
			if lane.Vantage != evidence.FromControl {
				all["reply "+version] += n
			}
		}
	}
	return all.some()
}

func (d drawn) count() counts {
	all := counts{}
	for i, version := range d.Series.Versions {
		for _, n := range d.Series.Replies[i] {
			all["reply "+version] += n
		}
	}
	for i, kind := range d.Points.Kind {
		if kind > 0 {
			all[d.Kinds[kind]]++
		}
		if d.Points.Attempts[i] > 1 || d.Points.Arrivals[i] > 1 {
			all["sent again"]++
		}
	}
	return all.some()
}

// some removes what was not counted.
func (c counts) some() counts {
	for name, n := range c {
		if n == 0 {
			delete(c, name)
		}
	}
	return c
}

func (d drawn) has(w model.Witness) bool {
	for i, seq := range d.Points.Seq {
		if seq == w.Seq && d.Lanes[d.Points.Lane[i]] == w.Lane {
			return true
		}
	}
	return false
}
