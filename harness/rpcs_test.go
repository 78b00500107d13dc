package harness_test

import (
	"testing"

	"example.com/rollcall/fixtures"
	"example.com/rollcall/harness"
	"example.com/rollcall/harness/evidence"
	"example.com/rollcall/suites"
)

// Images that are large go to nodes only where they are needed.
func TestSendsRPCs(t *testing.T) {
	for _, row := range []struct {
		sentence string
		scenario harness.Scenario
		rpcs     bool
		agent    string
	}{
		{"an update over HTTP", harness.Update(harness.Scenario{}), false, fixtures.AgentName},
		{"one beside which streams are asked for", harness.Update(harness.Scenario{
			Kind: harness.UnderLoad{Also: []string{evidence.Streaming}}}), false, fixtures.AgentName},
		{"one with a lane of RPCs", harness.Update(harness.Scenario{App: fixtures.App{GRPC: true},
			Kind: harness.UnderLoad{Also: []string{evidence.RPCs}}}), true, fixtures.GRPCAgent},
		{"one with a lane of streamed RPCs", harness.Update(harness.Scenario{App: fixtures.App{GRPC: true},
			Kind: harness.UnderLoad{Also: []string{evidence.Plain, evidence.StreamedRPCs}}}), true, fixtures.GRPCAgent},
		{"an app that answers RPCs, and is asked for none", harness.Update(harness.Scenario{App: fixtures.App{GRPC: true}}), true,
			fixtures.AgentName},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			if s := row.scenario; s.SendsRPCs() != row.rpcs || s.UnderLoad().Agent() != row.agent {
				t.Errorf("sends RPCs: %v, by %s; want %v and %s", s.SendsRPCs(), s.UnderLoad().Agent(), row.rpcs, row.agent)
			}
		})
	}
}

// A lane of RPCs to an app that answers none would wait for it until the recording is given up.
func TestAppsOfScenariosAnswerTheirRPCs(t *testing.T) {
	for name, scenarios := range suites.All() {
		for _, s := range scenarios {
			if load := s.UnderLoad(); load.Agent() == fixtures.GRPCAgent && !s.App.GRPC && load.UserApp == nil {
				t.Errorf("%s/%s: its app answers no RPCs", name, s.ID)
			}
		}
	}
}
