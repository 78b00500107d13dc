package model

import (
	"maps"
	"slices"
)

// measured returns the value of a number, or nil if it was not measured.
func measured[N int | float64](n *N) *Value {
	if n == nil {
		return nil
	}
	return &Value{Value: float64(*n)}
}

// uncertain returns the value of a number whose ends were read on two clocks, with its uncertainty as far as that is known.
func uncertain(n, by *float64) *Value {
	v := measured(n)
	if v != nil && by != nil {
		v.Uncertainty = *by
	}
	return v
}

// part returns a function that reads one number of something that may not have been measured.
func part[T any](whole func(Scenario) *T, of func(T) float64) func(Scenario) *Value {
	return func(s Scenario) *Value {
		if all := whole(s); all != nil {
			return &Value{Value: of(*all)}
		}
		return nil
	}
}

// sum returns a function that adds up what each lane counted. Its value is nil if there is no lane, or the count of one is not known.
func sum(of func(Lane) *int) func(Scenario) *Value {
	return func(s Scenario) *Value {
		lanes := s.LoadLanes()
		if len(lanes) == 0 {
			return nil
		}
		total := 0
		for _, lane := range lanes {
			n := of(lane)
			if n == nil {
				return nil
			}
			total += *n
		}
		return measured(&total)
	}
}

// longestOutage returns the longest outage of any lane. It is uncertain by two send periods of the slowest lane, one at each end.
func longestOutage(s Scenario) *Value {
	lanes := s.LoadLanes()
	if len(lanes) == 0 {
		return nil
	}
	var v Value
	for _, lane := range lanes {
		v.Value = max(v.Value, lane.LongestOutage)
		if lane.RequestedRate > 0 {
			v.Uncertainty = max(v.Uncertainty, 2*1000/float64(lane.RequestedRate))
		}
	}
	return &v
}

// latency returns a function that reads the longest of the lanes through the Service.
func latency(of func(Latency) float64) func(Scenario) *Value {
	return func(s Scenario) (longest *Value) {
		for _, lane := range s.Lanes {
			if lane.Latency != nil && lane.Kind().RequestsApp() && (longest == nil || of(*lane.Latency) > longest.Value) {
				longest = &Value{Value: of(*lane.Latency)}
			}
		}
		return longest
	}
}

// neededDrain returns the needed drain of the node that needed most.
func neededDrain(s Scenario) *Value {
	if len(s.Numbers.NeededDrain) == 0 {
		return nil
	}
	return &Value{Value: slices.Max(slices.Collect(maps.Values(s.Numbers.NeededDrain)))}
}
