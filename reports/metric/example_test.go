package metric_test

import (
	"fmt"

	"rollcall/reports/metric"
	"rollcall/reports/model"
)

func ExampleMetric() {
	// The entry to add to All.
	asked := metric.Metric{Name: "asked_rate", Unit: metric.Requests, Title: "requests asked for per second",
		Help:      "Requests per second that all lanes together were asked to send.",
		Direction: metric.Neutral, Sample: &metric.Sample{},
		Read: func(s model.Scenario) *metric.Value {
			if len(s.Lanes) == 0 {
				return nil // nothing was under load
			}
			sum := 0
			for _, lane := range s.Lanes {
				sum += lane.AskedRate
			}
			return &metric.Value{Value: float64(sum)}
		}}

	value := asked.Read(model.Scenario{Lanes: []model.Lane{{AskedRate: 50}, {AskedRate: 25}}})
	fmt.Println(asked.Key(), metric.Measurement{Metric: asked, Value: *value}.Text())
	// Output: asked_rate 75
}
