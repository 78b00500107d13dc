package model_test

import (
	"fmt"

	"example.com/rollcall/reports/model"
)

func ExampleMetric() {
	// The entry to add to Metrics.
	asked := model.Metric{Name: "asked_rate", Unit: model.InRequests, Title: "requests asked for per second",
		Help:      "Requests per second that all lanes together were asked to send.",
		Direction: model.Neutral, Sample: &model.Sample{},
		Read: func(s model.Scenario) *model.Value {
			if len(s.Lanes) == 0 {
				return nil // nothing was under load
			}
			sum := 0
			for _, lane := range s.Lanes {
				sum += lane.RequestedRate
			}
			return &model.Value{Value: float64(sum)}
		}}

	value := asked.Read(model.Scenario{Lanes: []model.Lane{{RequestedRate: 50}, {RequestedRate: 25}}})
	fmt.Println(asked.Key(), model.Measurement{Metric: asked, Value: *value}.Text())
	// Output: asked_rate 75
}
