package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A window is what processes spent from its first reading to its last. One that began inside it counts from 0, and one
// that ended counts to the last reading that has it: what it spent after that, or all of it if it lived between two
// readings, is in no row.
type window struct {
	first, last reading
	before      map[process]uint64 // ticks
	processes   map[process]used   // as last seen
}

func (w *window) add(r reading) {
	if w.processes == nil {
		w.first, w.before, w.processes = r, map[process]uint64{}, map[process]used{}
		for id, u := range r.processes {
			w.before[id] = u.ticks
		}
	}
	w.last = r
	maps.Copy(w.processes, r.processes)
}

// topOthers is how many of the processes that belong to no group are named.
const topOthers = 3

// table shares out what was spent. Requests are per second.
func (w *window) table(requests float64, told string) table {
	t := table{Seconds: w.last.at.Sub(w.first.at).Seconds(), Requests: requests, Told: told, Processors: w.last.processors}
	percent := func(ticks uint64) float64 { return 100 * float64(ticks) / ticksPerSecond / t.Seconds }
	neighbours(w.processes)
	spent, others := map[group]uint64{}, map[string]uint64{}
	for id, u := range w.processes {
		ticks := u.ticks - min(u.ticks, w.before[id])
		if u.group == softirq { // counted below
			continue
		}
		if u.group == other {
			others[u.name] += ticks
		}
		spent[u.group] += ticks
	}
	spent[softirq] = w.last.softirq - w.first.softirq
	t.Busy, t.Stolen = percent(w.last.busy-w.first.busy), percent(w.last.stolen-w.first.stolen)
	rows := func(groups ...group) (rows []row) {
		for _, g := range groups {
			rows = append(rows, t.row(string(g), percent(spent[g])))
		}
		return rows
	}
	t.Load, t.Harness, t.Itself = rows(loadGroups()...), rows(harnessGroups()...), rows(itself)[0]
	t.Neighbours = rows(neighbour)[0]
	t.LoadSum, t.HarnessSum = t.sum("load itself", t.Load), t.sum("harness", t.Harness)
	names := slices.SortedFunc(maps.Keys(others), func(x, y string) int {
		return cmp.Or(cmp.Compare(others[y], others[x]), cmp.Compare(x, y))
	})
	for _, name := range names[:min(topOthers, len(names))] {
		if others[name] > 0 {
			t.Others = append(t.Others, t.row(name, percent(others[name])))
		}
	}
	return t
}

// othersLine names them.
func (t table) othersLine() string {
	var said []string
	for _, o := range t.Others {
		said = append(said, fmt.Sprintf("%.20s %.1f", o.Group, o.Percent))
	}
	return strings.Join(said, ", ")
}
