package verdict

// limitCodes are the codes of limits of what a recording looked at, in the order in which they were given.
var limitCodes = []Code{
	{
		Code: "RC4001", ID: "command-failed",
		Causes: "the command of `rollcall during` ended with another exit code than 0, so perhaps before it did all that it was " +
			"meant to do.",
		Do: "read `command.log` in the run folder, and record again once the command works.",
	},
	{
		Code: "RC4002", ID: "under-way-already",
		Causes: "the app's workload was not rolled out when the load began: a pod was missing, unready or terminating. Perhaps it " +
			"never would be, so the end of the rollout was not waited for.",
		Do: "record once `kubectl rollout status` succeeds, or say when it is over, by `--until=COMMAND`.",
	},
	{
		Code: "RC4003", ID: "ports-not-asked",
		Causes: "the Service has other ports than the one that clients asked. Other programs of the pod may answer there, and end " +
			"earlier.",
		Do: "record once for each port that clients use: `--service=NAMESPACE/NAME:PORT/PATH`.",
	},
	{
		Code: "RC4004", ID: "probe-alone",
		Causes: "clients asked for the path of a probe alone. What answers it may be a server of its own, or not need what other " +
			"requests need.",
		Do: "ask for what clients ask for: `--service=NAMESPACE/NAME:PORT/PATH`.",
	},
	{
		Code: "RC4005", ID: "no-control",
		Causes: "with `--url` alone all requests go the same way to the app, and none past it. If requests fail on that way, the " +
			"app is blamed; that none failed says nothing of clients that come another way.",
		Do: "give `--control-url=URL` too, of something behind the same load balancer or Ingress that nobody rolls out, or " +
			"name the cluster and the Service, `--context` and `--service`, if you may: control lanes then ask a pod that " +
			"nobody rolls out.",
	},
	{
		Code: "RC4006", ID: "nodes-not-asked",
		Causes: "each node routes connections of its own pods by its own rules, and clients were on some nodes only. What clients " +
			"on another node lose is not seen, such as where kube-proxy hangs.",
		Do: "put clients on more nodes, `--load-nodes=N`. A node with a taint takes none: of such nodes at least the rules " +
			"are read with `--allow=node-rules`.",
	},
	{
		Code: "RC4007", ID: "rules-not-read",
		Causes: "nodes' rules, which kube-proxy writes, were not read: that was not allowed, or nodes have no kube-proxy. Whether " +
			"a node goes on routing to a pod that has left is then seen only where a client there sends a request meanwhile.",
		Do: "allow it, `--allow=node-rules`, where your administrator lets privileged pods run. Without kube-proxy only " +
			"clients can tell.",
	},
	{
		Code: "RC4008", ID: "rate-lowered",
		Causes: "clients sent requests late, so the run went on with a lower rate than it began with. A client sees nothing " +
			"between two of its requests, and nothing after the load has ended, such as a connection that breaks when it is " +
			"used again later.",
		Do: "record on a machine that does less beside it, or with fewer recordings at a time: `--jobs=1`. In `during` the " +
			"load goes on for longer with `--settle`.",
	},
	{
		Code: "RC4009", ID: "families-not-asked",
		Causes: "the Service has an address of each IP family, and clients asked the first one alone. Nodes have other rules for " +
			"the other family, and pods may listen on one family only.",
		Do: "record once more with a Service for the same pods whose first family is the other one: `ipFamilies: [IPv6]`.",
	},
	{
		Code: "RC4010", ID: "clients-away",
		Causes: "load agents went down with their nodes and came back soon after them. What clients of these nodes would have " +
			"seen meanwhile is not known; other clients went on.",
		Do: "if such clients matter, take the nodes down one at a time, with a client outside (`--url`, `--outside-url`) or " +
			"more `--load-nodes`. `agents_away` in report.json says which agent was away when.",
	},
	{
		Code: "RC4011", ID: "not-watched",
		Causes: "a right was missing to watch kinds of objects that a recording can do without. What was changed there, such as a " +
			"Service's selector or how many pods a budget lets go, was not seen: no loss is laid to it, and it does not count as a change.",
		Do: "have the rights granted: `rollcall during --print-rights` prints them, with `--service=NAMESPACE/NAME` also those for an app " +
			"of yours. For Rollcall's own app they are in fixtures/staging/changes.",
	},
}
