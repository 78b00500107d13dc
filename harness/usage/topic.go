package usage

import "slices"

// A Topic is a heading of the help, under which it lists options. The help has topics in the order of their first options, and options in
// the order of the list.
type Topic string

// Topics of options that several commands have.
const (
	Scenarios      Topic = "Which scenarios"
	Losses         Topic = "What clients may lose"
	Requests       Topic = "Requests to your app"
	RequestTLS     Topic = "TLS to your app"
	Load           Topic = "Load and time"
	Kind           Topic = "Kind clusters, which Rollcall makes"
	OnCluster      Topic = "An existing cluster"
	ThereAPIServer Topic = "Its API server, by kubectl's names"
	Printed        Topic = "What is printed"
)

// Under returns the options with a topic for each that has none.
func (l List) Under(topic Topic) List {
	l = slices.Clone(l)
	for i := range l {
		if l[i].Topic == "" {
			l[i].Topic = topic
		}
	}
	return l
}

// First returns the list with these flags, in this order, before all topics.
func (l List) First(flags ...string) List {
	var first List
	for _, name := range flags {
		for _, o := range l.Only(name) {
			o.Topic = ""
			first = append(first, o)
		}
	}
	return append(first, slices.DeleteFunc(slices.Clone(l), func(o Option) bool { return slices.Contains(flags, o.Flag) })...)
}
