package verdict

// reasonCodes are the codes of reasons for an inconclusive verdict, in the order in which they were given.
var reasonCodes = []Code{
	{
		Code: "RC2001", ID: "stage-failed",
		Causes: "deploying, starting the load or another stage failed, or Ctrl-C came.",
		Do:     "read the error in the finding and in log.txt; pods that do not start are described in the diagnostics folder.",
	},
	{
		Code: "RC2002", ID: "never-settled",
		Causes: "the rollout did not end within 5 minutes: a pod does not become ready, an image or a volume is missing, a quota " +
			"is used up. With an app of yours (`during --service`, `try`), waiting does not help, or `--deadline` or Ctrl-C ended " +
			"what was done; the finding says which pod and container, and why.",
		Do: "mend what the finding names; of Rollcall's own app see `kubectl describe` of the pods in the diagnostics folder.",
	},
	{
		Code: "RC2003", ID: "stray-endpoint",
		Causes: "pods that do not belong to the rollout match the Service's selector.",
		Do:     "remove them, or narrow the selector.",
	},
	{
		Code: "RC2004", ID: "no-lanes",
		Causes: "the scenario asks for load, and no client is recorded: the run folder is incomplete.",
		Do:     "record again.",
	},
	{
		Code: "RC2005", ID: "unclean-cluster",
		Causes: "pods of another run were in the cluster. With an app of yours (`during --service`, `try`) they are only " +
			"mentioned.",
		Do: "wait for that run, or remove them if it is over: `rollcall clean --context=NAME --all`, for kind clusters " +
			"`rollcall clean`.",
	},
	{
		Code: "RC2006", ID: "proxy-missing",
		Causes: "a node that should have a kube-proxy has none.",
		Do:     "`kubectl get pods -n kube-system -o wide`; exclude nodes that have none by design, with `--load-nodes`.",
	},
	{
		Code: "RC2007", ID: "damaged-file",
		Causes: "a file of the recording is cut off or damaged: a full disk, a killed process, an incomplete copy.",
		Do:     "check the disk, copy the run folder again, or record again.",
	},
	{
		Code: "RC2008", ID: "contradiction",
		Causes: "two records of the same request cannot both be true, or some are missing.",
		Do:     "record again; if it happens again, it is a bug of Rollcall: keep the folder and report it.",
	},
	{
		Code: "RC2009", ID: "missing-mark",
		Causes: "a moment at which the load or the rollout begins or ends was not recorded, mostly because a stage failed.",
		Do:     "look at the other reasons first.",
	},
	{
		Code: "RC2010", ID: "watch-blind",
		Causes: "a watch of the API broke, or the API server did not answer for a while.",
		Do:     "look at the API server's load and restarts; record again.",
	},
	{
		Code: "RC2011", ID: "observer-lost",
		Causes: "the pod that reads a node's rules ended, was evicted, or is not allowed to run there.",
		Do:     "look at its log in the diagnostics folder; on a cluster of yours see fixtures/staging/README.md for its rights.",
	},
	{
		Code: "RC2012", ID: "pod-log-lost",
		Causes: "a pod was deleted or its log rotated before it was read to its end.",
		Do:     "record again; on clusters with small log limits raise containerLogMaxSize.",
	},
	{
		Code: "RC2013", ID: "node-unready",
		Causes: "a node was not Ready under load.",
		Do:     "look at the node's kubelet; requests lost meanwhile were lost by the node, not by the rollout.",
	},
	{
		Code: "RC2014", ID: "full-conntrack",
		Causes: "a node's connection table was over 90 % full; new connections are dropped then.",
		Do:     "raise net.netfilter.nf_conntrack_max (kube-proxy's conntrack.maxPerCore), or send less load.",
	},
	{
		Code: "RC2015", ID: "early-failures",
		Causes: "requests failed before anything was changed: the app or the network was not healthy to begin with.",
		Do:     "fix that first; try this scenario alone, with `rollcall run --run=`.",
	},
	{
		Code: "RC2016", ID: "control-failures",
		Causes: "requests straight to a pod that is not rolled out, without kube-proxy, failed, too: the network, a node or this " +
			"host is at fault.",
		Do: "look at that node; rollouts cannot be judged there until it is healthy.",
	},
	{
		Code: "RC2017", ID: "agent-lost",
		Causes: "a load pod was killed, evicted or out of reach, or stayed away for more than 15 s after maintenance had given " +
			"its node back.",
		Do: "see its log in the diagnostics folder; an OOM kill needs a lower `--rate`, an eviction a node with room. " +
			"`agents_away` in report.json says which agent was away when.",
	},
	{
		Code: "RC2018", ID: "empty-lane",
		Causes: "a client sent nothing: its pod did not start or could not be reached.",
		As:     "RC2017",
	},
	{
		Code: "RC2019", ID: "under-rate",
		Causes: "a client sent less than 99 % of what was asked: no processor was free where it runs.",
		Do:     "lower `--rate` or `--jobs`, or give the node or this machine more processors.",
	},
	{
		Code: "RC2020", ID: "silent-agent",
		Causes: "a load pod began late, or stopped sending for a while.",
		As:     "RC2019",
	},
	{
		Code: "RC2021", ID: "late-lane",
		Causes: "1 % of a client's requests were sent late: no processor was free where it runs.",
		As:     "RC2019",
	},
	{
		Code: "RC2022", ID: "stalled-lane",
		Causes: "one request of a client was sent very late: its process or the machine stood still for a moment.",
		As:     "RC2019",
		Do:     "suspended or overcommitted virtual machines show this.",
	},
	{
		Code: "RC2023", ID: "host-fault",
		Causes: "the host of the client outside the cluster could not resolve the name of the URL, had no local port left, or had " +
			"no route. Such requests never left the host, so they show nothing about the app.",
		Do: "check that host's resolver, its routes and what else opens connections there (`ss -s`); then record again, or " +
			"from another host.",
	},
	{
		Code: "RC2024", ID: "proxy-unused",
		Causes: "HTTPS_PROXY or HTTP_PROXY is set for the URL; the load goes straight to the URL, unlike clients that use the " +
			"proxy.",
		Do: "if clients should not use the proxy, add the URL's host to NO_PROXY, or unset the variable; otherwise record " +
			"from a host without one.",
	},
	{
		Code: "RC2025", ID: "answered-elsewhere",
		Causes: "good replies came while no pod of the app was there, or from an address where its pod was gone: a cache, an " +
			"Ingress's or load balancer's own page, or another app, which got the address, gave them. What the app would have " +
			"replied is not known.",
		Do: "ask past the cache or the door, by `--service`; give `--good-status` without the status of the door's own page, " +
			"or say where replies of the app name their version, such as `--version-header`, so that a reply without one " +
			"fails.",
	},
}
