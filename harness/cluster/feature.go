package cluster

// Features that an attached cluster may not have, beside [evidence.NodeRules].
const (
	OutsideLane    = "outside"         // a way to the Service from outside the cluster
	ClusterChanges = "cluster-changes" // such as other settings of kube-proxy
	Drains         = "drains"          // of nodes that its owner named
	NoMetrics      = "no-metrics"      // no API of metrics, so that an autoscaler only keeps its bounds

	SupportedRelease = "supported-release" // a version of Kubernetes that Rollcall is tested with; no scenario requires it
)
