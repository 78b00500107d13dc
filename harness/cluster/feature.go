package cluster

// Features beside [evidence.NodeRules] that an attached cluster may lack.
const (
	OutsideLane    = "outside"         // a way to the Service from outside the cluster
	ClusterChanges = "cluster-changes" // such as other settings of kube-proxy
	Drains         = "drains"          // of nodes that were named
)
