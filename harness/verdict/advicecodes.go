package verdict

// adviceCodes are the codes of advice to an app's owner, in the order in which they were given.
var adviceCodes = []Code{
	{
		Code: "RC3001", ID: "hook-failed",
		Causes: "the program of a preStop hook is not in the image (no shell, exit 127), or it fails; the kubelet says so in an " +
			"Event and goes on with SIGTERM at once.",
		Do: "use `lifecycle.preStop.sleep`, for which the kubelet needs no program, or an image that has the program.",
	},
	{
		Code: "RC3002", ID: "none-available",
		Causes: "the workload's limits allow every pod to end before another is ready: maxUnavailable is as large as the number " +
			"of pods.",
		Do: "set maxUnavailable to 0 and maxSurge to 1 or more; give a StatefulSet, which has no maxSurge, 2 replicas. A " +
			"preStop sleep does not help.",
	},
	{
		Code: "RC3003", ID: "unprobed-pods",
		Causes: "the container that answers has no readiness probe, so that a pod counts as ready as soon as the container runs.",
		Do:     "add one that succeeds when the app can answer.",
	},
	{
		Code: "RC3004", ID: "backend-ends-first",
		Causes: "a terminating pod answers 502, 503 or 504: its front container still runs while the one behind it has got " +
			"SIGTERM and exited.",
		Do: "give every container of the pod the same preStop hook, or let the one behind end last.",
	},
	{
		Code: "RC3005", ID: "hook-stops-listening",
		Causes: "terminating pods refuse connections while nodes still send them some: the hook is over too soon, or makes the " +
			"app stop listening, as `nginx -s quit` does.",
		Do: "sleep first, for as long as the advice says, and then do what the hook does.",
	},
	{
		Code: "RC3006", ID: "sleep-needed",
		Causes: "nodes send requests to a pod until their rules follow the endpoints; an app that exits before loses them. If " +
			"nothing was lost, the advice says how much longer pods served than they had to.",
		Do: "set `lifecycle.preStop.sleep` to the time in the advice, and terminationGracePeriodSeconds to a longer one.",
	},
	{
		Code: "RC3007", ID: "drain-measured",
		Causes: "no fault: the advice says how long nodes kept sending requests to terminating pods.",
		Do:     "record more terminations, by more pods or rollouts, to make the number more certain.",
	},
	{
		Code: "RC3008", ID: "grace-too-short",
		Causes: "terminationGracePeriodSeconds counts from the deletion, the preStop hook included, and is not longer than that: " +
			"the kubelet cuts the hook at its end, and kills the app 2 s later.",
		Do: "make it longer than the hook and the last requests take together.",
	},
	{
		Code: "RC3009", ID: "replicas-named",
		Causes: "a manifest with `replicas` resets the number with each apply.",
		Do: "remove `replicas` from the manifest if an autoscaler sets the number; not by `kubectl patch`, since an object " +
			"without it gets 1.",
	},
	{
		Code: "RC3010", ID: "recreates",
		Causes: "the strategy Recreate ends every old pod before the first new one starts.",
		Do:     "use RollingUpdate, unless two versions must not run together.",
	},
	{
		Code: "RC3011", ID: "closed-connections",
		Causes: "only clients that keep their connections lost requests: the app closed the connections in the middle of a " +
			"request.",
		Do: "after SIGTERM answer with Connection: close, and keep serving until clients are gone.",
	},
	{
		Code: "RC3012", ID: "affinity-pins",
		Causes: "sessionAffinity ClientIP sends every connection of a client to the same pod as before, even while that pod " +
			"terminates.",
		Do: "follow the other advice; without the affinity a client loses fewer requests at a time.",
	},
	{
		Code: "RC3013", ID: "rollout-stuck",
		Causes: "a new pod cannot be created, scheduled or given its volume while the old ones are there: they hold a port of the " +
			"node, the volume, quota or room, or no node fits the pod (a taint, a selector), or its image does not exist. The " +
			"advice has the Event that says so.",
		Do: "let an old pod end first, by maxSurge 0 and maxUnavailable 1 (a DaemonSet for a port of each node, a StatefulSet " +
			"for a volume of each pod); otherwise make room, raise the quota, make a node fit the pod, or correct the name of " +
			"its image.",
	},
	{
		Code: "RC3014", ID: "killed-starting",
		Causes: "containers need longer to start than their liveness or startup probe allows, so the kubelet restarts them before " +
			"they are ready. An app that does not start at all looks the same.",
		Do: "see with `kubectl logs --previous` whether the app only starts slowly; if so, add a startupProbe, or raise its " +
			"failureThreshold. Without one, initialDelaySeconds of the liveness probe has to cover the slowest start.",
	},
	{
		Code: "RC3015", ID: "idle-closed",
		Causes: "the server closes an idle connection at about the time when a client sends the next request on it, so that the " +
			"close and the request cross. It happens at any time, also without a rollout.",
		Do: "make the server keep idle connections longer than clients do (node keepAliveTimeout, Go http.Server.IdleTimeout, " +
			"gunicorn keepalive), or clients for a shorter time.",
	},
	{
		Code: "RC3016", ID: "accepted-dropped",
		Causes: "the kernel opens connections that the app has not accepted yet; an app that exits at once on SIGTERM, or a " +
			"worker that does not empty its listen queue, drops them.",
		Do: "sleep in the preStop hook until nodes send nothing more; if it does already, let the app finish what it " +
			"accepted.",
	},
	{
		Code: "RC3017", ID: "lost-behind",
		Causes: "pods that stayed ready answered with status 502 to 504, or not at all, after pods of another workload in the " +
			"namespace began to terminate: the front, such as a proxy, sends requests to these, and they exited before it " +
			"knew.",
		Do: "give the pods behind the front a preStop sleep, longer than the front needs to stop using them; `rollcall during " +
			"--service` with their own Service measures how long nodes need. A drain of the front itself does not help.",
	},
}
