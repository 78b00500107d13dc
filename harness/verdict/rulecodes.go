package verdict

// ruleCodes are the codes of rules, in the order in which they were given.
var ruleCodes = []Code{
	{
		Code: "RC1001", ID: "no-failures",
		Causes: "a pod ended while a node still routed to it, or was routed to before it listened; a pod was killed or restarted; " +
			"all pods were gone at once. The finding names the pods, their phase and the kind of failure. Inconclusive: none " +
			"failed, but some were in flight when their agent went away.",
		Do: "refused or timed out around a pod's end: add or lengthen a preStop sleep, to at least the needed one that the " +
			"report names, with a terminationGracePeriodSeconds above it. Around a pod's start: a readiness probe that asks " +
			"what serves. A reset or closed connection: finish open requests after SIGTERM before the process exits. All at " +
			"once: maxUnavailable 0, more replicas, a PodDisruptionBudget.",
	},
	{
		Code: "RC1002", ID: "recovers-within",
		Causes: "clients still lost requests when the time allowed after the named moment was over: pods, rules or endpoints had " +
			"not recovered.",
		Do: "see in the timeline what came late (pods ready, endpoints, a node's rules), and shorten that, or allow more " +
			"time.",
	},
	{
		Code: "RC1003", ID: "no-lost-replies",
		Causes: "a pod got the request and ended, or closed the connection, before the reply was through. A client must not " +
			"resend it blindly.",
		Do: "let the app finish open requests after SIGTERM, and let the grace period be longer than its longest request.",
	},
	{
		Code: "RC1004", ID: "no-hidden-retries",
		Causes: "a client, a proxy or the app's HTTP library sent a request twice without being asked to.",
		Do: "turn resending off in the lane's client. Otherwise failures are hidden, and requests that change something are " +
			"made twice.",
	},
	{
		Code: "RC1005", ID: "serves-until-sigterm",
		Causes: "a node's rules stopped routing to terminating pods that still served, although no other pod was ready " +
			"(KEP-1669).",
		Do: "check that kube-proxy is of 1.26 or later and that the app keeps its readiness until SIGTERM.",
	},
	{
		Code: "RC1006", ID: "damage-seen",
		Causes: "a negative control, which has to lose requests, lost none: clients sent too few requests to see a loss, or " +
			"something drains the pods.",
		Do: "record again at a higher rate; scenarios that lost nothing beside this one prove nothing.",
	},
	{
		Code: "RC1007", ID: "lost-while-terminating",
		Causes: "no client lost a request to pods that exit at once, so the loss that a drain prevents was not seen.",
		As:     "RC1006",
	},
	{
		Code: "RC1008", ID: "lost-while-none-serves",
		Causes: "while no pod could answer, clients lost no request, or requests failed in another way than they do in this " +
			"kube-proxy mode.",
		Do: "see in the page's rule events whether the Service had endpoints then, and find out what answers instead of its " +
			"pods.",
	},
	{
		Code: "RC1009", ID: "lost-while-starting",
		Causes: "no request was sent to a pod in the time in which it counted as ready and did not listen yet.",
		Do:     "record again at a higher rate.",
	},
	{
		Code: "RC1010", ID: "min-terminations-lost",
		Causes: "too few pod terminations lost a request to show that a loss in any of them would be seen.",
		Do:     "record again at a higher rate, or with more pods.",
	},
	{
		Code: "RC1011", ID: "max-outage",
		Causes: "a client had no good reply for longer than allowed; inconclusive if the outage is only that long with a time in " +
			"which the client's agent was away.",
		Do: "see which lane and node, and what was gone meanwhile: pods, endpoints or the node's rules.",
	},
	{
		Code: "RC1012", ID: "max-failed-share",
		Causes: "a client lost a larger share than allowed of the requests that it sent since the rollout began, or since the " +
			"first step of maintenance.",
		As: "RC1001",
	},
	{
		Code: "RC1013", ID: "min-outage",
		Causes: "clients were without replies for a shorter time than the damage should last, so the damage did not happen as " +
			"intended.",
		Do: "check in the timeline that the step took effect on every node.",
	},
	{
		Code: "RC1014", ID: "reply-gap",
		Causes: "the gap without replies was shorter or longer than the rollout strategy makes it.",
		Do:     "compare pod ends and starts in the timeline: old pods that end late shorten it, slow starts lengthen it.",
	},
	{
		Code: "RC1015", ID: "losses-at-steps",
		Causes: "requests were lost at a step that should cost none, before any step, or too long after a step that may cost " +
			"some.",
		Do: "look at the named step in the table of steps, and at the pods that ended in it.",
	},
	{
		Code: "RC1016", ID: "lost-at-steps",
		Causes: "no requests were lost at a step that has to cost some, so it is not known whether a loss would have been seen.",
		Do:     "record again at a higher rate.",
	},
	{
		Code: "RC1017", ID: "pause",
		Causes: "the pause in which no version answered was shorter or longer than the rollout strategy makes it.",
		As:     "RC1014",
	},
	{
		Code: "RC1018", ID: "no-slow-replies",
		Causes: "replies took longer than usual: a packet was dropped and sent again (a SYN after 1 s, data after 0.2 s), or a " +
			"pod answered late, a request by a second or several at once.",
		Do: "see whether the late replies came over new connections (drops: conntrack, NetworkPolicy, a node without rules) " +
			"or from one pod (it was stopped, collected garbage or reached its CPU limit). If an app of yours is slow by " +
			"itself, say what it may take: `--max-latency=p99=TIME`.",
	},
	{
		Code: "RC1019", ID: "max-latency",
		Causes: "a client waited longer for a good reply than allowed.",
		As:     "RC1018",
		Do:     "`cpu-throttled` in events.jsonl names pods that waited because of their own CPU limit.",
	},
	{
		Code: "RC1020", ID: "rules-before-sigterm",
		Causes: "a node's rules still routed to a pod when it got SIGTERM: kube-proxy takes longer than the preStop sleep.",
		Do: "lengthen the preStop sleep to the needed one that the report names, or make kube-proxy write sooner " +
			"(minSyncPeriod, more CPU for the node).",
	},
	{
		Code: "RC1021", ID: "clients-before-sigterm",
		Causes: "as RC1020, seen by clients where rules cannot be read.",
		As:     "RC1020",
	},
	{
		Code: "RC1022", ID: "max-rule-lag",
		Causes: "kube-proxy took longer than allowed to write what the endpoints said: minSyncPeriod, very many rules, a slow API " +
			"server or node.",
		Do: "look at that node's kube-proxy log and sync duration metrics.",
	},
	{
		Code: "RC1023", ID: "max-drain-lag",
		Causes: "as RC1022, measured by the last request that a client still sent to the pod.",
		As:     "RC1022",
	},
	{
		Code: "RC1024", ID: "most-drain-lags",
		Causes: "as RC1023, on more nodes than allowed.",
		As:     "RC1022",
	},
	{
		Code: "RC1025", ID: "min-available",
		Causes: "fewer pods were available than maxUnavailable or the PodDisruptionBudget should leave.",
		Do:     "see which pods were not ready then, and what ended them: the rollout, an eviction, a probe, the node.",
	},
	{
		Code: "RC1026", ID: "max-pods",
		Causes: "there were more pods than maxSurge allows, terminating ones included.",
		Do:     "long grace periods keep old pods beside new ones; plan quota and nodes for that.",
	},
	{
		Code: "RC1027", ID: "scaling",
		Causes: "ReplicaSets were scaled in another order than the Deployment controller's rules say.",
		Do:     "compare with the Deployment's events; a second writer (an autoscaler, a GitOps tool) is the usual cause.",
	},
	{
		Code: "RC1028", ID: "max-active",
		Causes: "ReplicaSets together asked for more pods than replicas and maxSurge allow.",
		As:     "RC1027",
	},
	{
		Code: "RC1029", ID: "old-at-status",
		Causes: "fewer old pods than expected were still there when the rollout was said to be done.",
		Do:     "if something depends on old pods being gone, wait for that, and not for `kubectl rollout status`.",
	},
	{
		Code: "RC1030", ID: "answers-after",
		Causes: "the named version answered too few requests after the named moment.",
		Do:     "see in the timeline when its pods left the endpoints.",
	},
	{
		Code: "RC1031", ID: "max-status-gap",
		Causes: "the old version still answered for longer than allowed after the rollout was said to be done.",
		As:     "RC1029",
		Do:     "keep-alive connections stay with a terminating pod until it closes them.",
	},
	{
		Code: "RC1032", ID: "old-ends-first",
		Causes: "a new pod was created before the last old one had ended.",
		Do:     "check the strategy (Recreate) and who else creates pods with these labels.",
	},
	{
		Code: "RC1033", ID: "between",
		Causes: "a step of a pod's termination came earlier or later than expected.",
		Do:     "look at the hook, the grace period and the log of that node's kubelet.",
	},
	{
		Code: "RC1035", ID: "kept-connections",
		Causes: "connections did not stay with their pod: it closed them, or something in between did.",
		Do:     "find out what closed the connection: the server's keep-alive limit, a pod's end, a proxy.",
	},
	{
		Code: "RC1036", ID: "max-switch",
		Causes: "new connections reached the old version for longer than allowed after the Service was changed.",
		As:     "RC1022",
	},
	{
		Code: "RC1037", ID: "only-serves",
		Causes: "another version answered after the moment from which only one may: old pods were still routed to, or foreign " +
			"pods match the Service's selector.",
		Do: "the finding names the pod. If it does not belong to the rollout, narrow the selector; otherwise see RC1020.",
	},
	{
		Code: "RC1038", ID: "only-serves-after",
		Causes: "as RC1037, some time after that moment.",
		As:     "RC1037",
	},
	{
		Code: "RC1039", ID: "serves",
		Causes: "a version answered that was not expected, or an expected one never answered.",
		As:     "RC1037",
	},
	{
		Code: "RC1040", ID: "still-serves",
		Causes: "at the end of the load the named version gave too small a share of the replies.",
		Do:     "see in the timeline what happened to its pods.",
	},
	{
		Code: "RC1041", ID: "share",
		Causes: "a version's share of the replies differs from its share of the pods: clients keep connections, or a node routes " +
			"unevenly.",
		Do: "compare lanes: if only keep-alive lanes differ, connections have to be closed for traffic to spread.",
	},
	{
		Code: "RC1042", ID: "mixes",
		Causes: "clients got too few replies by the old version after one by the new, so the effect of mixed versions was not " +
			"seen.",
		Do: "record again at a higher rate.",
	},
	{
		Code: "RC1043", ID: "clean-cut",
		Causes: "the old version still answered after the new one had: nodes switch one after the other.",
		Do:     "make versions compatible for that time, or drain before the switch.",
	},
	{
		Code: "RC1044", ID: "max-mixed-window",
		Causes: "both versions answered for longer than allowed.",
		Do:     "fewer or faster steps: maxSurge, readiness delays, minReadySeconds.",
	},
	{
		Code: "RC1045", ID: "min-mixed-window",
		Causes: "both versions answered for a shorter time than expected, so the effect was not seen.",
		Do:     "record again; a faster start of pods shortens it.",
	},
	{
		Code: "RC1046", ID: "fact",
		Causes: "the cluster did something else than expected. The finding has what it did.",
		Do:     "compare it with the claim of the scenario and with the cluster's version.",
	},
	{
		Code: "RC1047", ID: "fact-at-least",
		Causes: "the number that was found is lower than expected.",
		As:     "RC1046",
	},
	{
		Code: "RC1048", ID: "fact-within",
		Causes: "the cluster took less or more time than expected.",
		As:     "RC1046",
		Do:     "a slow node or API server shows in other scenarios, too.",
	},
	{
		Code: "RC1049", ID: "noted",
		Causes: "the scenario did not find out what it should.",
		Do:     "look at the errors in log.txt.",
	},
	{
		Code: "RC1050", ID: "sent-while-terminating",
		Causes: "no request was sent while an old pod was terminating and others were ready, so the other rules saw nothing.",
		Do:     "record again at a higher rate.",
	},
	{
		Code: "RC1051", ID: "reaches-terminating",
		Causes: "no new connection reached a pod after its endpoint was gone: the nodes' rules changed too fast to be seen.",
		Do:     "record again at a higher rate.",
	},
	{
		Code: "RC1052", ID: "both-orders",
		Causes: "the two steps came in the same order in all pods.",
		Do:     "record again; the order is a race between two components.",
	},
	{
		Code: "RC1054", ID: "min-terminations",
		Causes: "too few pod terminations to bound the share that loses a request.",
		Do:     "run the scenario with more pods, or profile full.",
	},
	{
		Code: "RC1055", ID: "full-rate",
		Causes: "a client sent less than the load asked of it: this machine or the node had no processor free.",
		Do:     "run with a lower `--rate`, fewer `--jobs`, or on a larger machine.",
	},
	{
		Code: "RC1056", ID: "all-answered",
		Causes: "a request of the scenario's steps got no good reply, or one by a pod of another recording.",
		Do:     "see in the page when it was sent, and what happened to pods, endpoints and rules then.",
	},
	{
		Code: "RC1057", ID: "all-fail",
		Causes: "a request of the steps was answered although it should fail, or failed in another way than it does in this " +
			"kube-proxy mode.",
		Do: "see what answered, and whether something else than kube-proxy routes to the Service's port.",
	},
	{
		Code: "RC1058", ID: "answered-by",
		Causes: "one of the expected versions answered none of the steps' requests, or another version answered some.",
		Do:     "see which pods were ready endpoints when the requests were sent.",
	},
	{
		Code: "RC1059", ID: "even-turns",
		Causes: "new connections from one client prefer some of the pods, as with session affinity or a proxy in between that " +
			"keeps connections.",
		Do: "look at the Service's sessionAffinity, and at what is between this host and the node's port.",
	},
	{
		Code: "RC1060", ID: "equal-turns",
		Causes: "a virtual server of IPVS has another scheduler than rr, or other clients took turns meanwhile.",
		Do:     "look at kube-proxy's ipvs.scheduler; record again without other clients.",
	},
	{
		Code: "RC1061", ID: "answered-by-deleted",
		Causes: "too few requests of the steps were answered by pods that were being deleted: rules changed at once, or the pods " +
			"exited or closed connections.",
		Do: "look at the pod's preStop sleep, and at what it does to open connections.",
	},
	{
		Code: "RC1062", ID: "not-answered-by-deleted",
		Causes: "a node's rules still routed to a pod whose deletion had been seen, or a connection to it was used again.",
		Do:     "compare when each node's rules stopped routing to that pod with when the request was sent.",
	},
	{
		Code: "RC1063", ID: "answered-within",
		Causes: "no pod answered in time after the named moment: pods were not ready, or a node's rules were written late.",
		Do: "see in the page when endpoints became ready, and when rules were added on the node that the client outside the " +
			"cluster asks.",
	},
	{
		Code: "RC1064", ID: "sent-in-maintenance",
		Causes: "during the maintenance a client sent fewer than three requests in the time of the shortest outage that has to be " +
			"seen, or no client sent any for a while: their agents went away with their nodes, or the rate is too low for " +
			"that outage. A loss would not have been seen.",
		Do: "add a client that stays, by `--outside-url` or more `--load-nodes`, and take down one of their nodes at a time; " +
			"or raise `--rate` to what the finding says. `agents_away` in report.json says which agent was away when.",
	},
	{
		Code: "RC1065", ID: "lost-share",
		Causes: "after a node was disrupted, clients lost a smaller share of new connections than its pods get, because its " +
			"endpoints left sooner than they have to, or a larger one, because other connections failed, too; or the damage " +
			"did not happen as intended.",
		Do: "see in the timeline when the endpoints of that node's pods left, and to which pods the lost requests were " +
			"routed.",
	},
	{
		Code: "RC1066", ID: "done-after",
		Causes: "the rollout was said to be done although a program that it needs was stopped, so something else did the work; " +
			"inconclusive if no new pod was created after the last step, so that the program was not needed.",
		Do: "see in the timeline which pods and sizes changed meanwhile, and whether another replica of that program runs.",
	},
	{
		Code: "RC1067", ID: "step-in-rollout",
		Causes: "the rollout was done before the named step was reached, or began after it: nothing shows what the step does to a " +
			"rollout.",
		Do: "record again, with an earlier step or a longer rollout (minReadySeconds, more pods).",
	},
	{
		Code: "RC1068", ID: "something-changed",
		Causes: "the command failed, or returned before anything happened, as `kubectl set image` of a paused Deployment and a " +
			"`git push` do, or a budget blocked its drain; or it changed another app than the one that clients ask. What has " +
			"to be seen is a pod, an endpoint, the workload or the Service of that app, or a node that its pods or clients " +
			"are on (for Rollcall's own app also the API server's version, and kube-proxy, the network plugin and static pods " +
			"in kube-system); a node that is only cordoned, or joins, and other pods do not count. With --url alone, or where " +
			"its pods may not be read, it is a reply by another version, certificate or address.",
		Do: "read `command.log`; name the Service of the app that is rolled out, by `--service`; for a rollout that begins " +
			"later, as with GitOps, say how long to wait for it, by `--for=TIME`. With --url alone say where replies name " +
			"their version, such as `--version-header`, or give an `--until=COMMAND` that fails until it is over.",
	},
	{
		Code: "RC1069", ID: "max-p99",
		Causes: "more than 1 % of a client's good replies since the first change took longer than allowed: the remaining pods " +
			"were too few or not warm yet, or packets were dropped and sent again.",
		Do: "compare `latency_by_phase_ms` before and during; keep more pods (maxUnavailable 0), or let new ones become ready " +
			"only when warm.",
	},
	{
		Code: "RC1070", ID: "versions-overlap",
		Causes: "the rollout's steps took longer, or less long, than expected, from the first new pod's readiness to the last old " +
			"one's deletion.",
		Do: "more surge or faster starts make it shorter; for less than a step use blue/green or Recreate.",
	},
	{
		Code: "RC1071", ID: "lost-to",
		Causes: "no request was lost at the stage that the scenario is about, so that it shows nothing: too few were sent, or the app had what " +
			"it should lack.",
		Do: "record again at a higher rate; the causes of what was lost say where the other losses belong.",
	},
	{
		Code: "RC1072", ID: "max-cuts",
		Causes: "a client's connection was ended more often than allowed: each time it went to a pod that ended soon after.",
		Do: "let pods drain for longer than the rollout takes, so that the others have left the rules when the first one ends, or surge by all " +
			"new pods at once.",
	},
	{
		Code: "RC1073", ID: "told-before-end",
		Causes: "a server ended connections without telling their clients to go first: what was in flight is lost, and clients find out by the " +
			"next request.",
		Do: "after SIGTERM serve on and tell clients to go, by `Connection: close`, GOAWAY or the close frame of a WebSocket, until they have gone; " +
			"only then exit.",
	},
	{
		Code: "RC1074", ID: "back-within",
		Causes: "after a connection ended, the next one was opened late or not answered soon: its client waits between tries, or was routed to " +
			"a pod that had ended.",
		Do: "look at where the connection was routed, and until when the node's rules led there; let pods sleep before SIGTERM.",
	},
	{
		Code: "RC1075", ID: "ended-by-kill",
		Causes: "fewer connections than expected lasted until their pod was killed: the server let them go before.",
		Do:     "if that is what it should do, expect that clients are told; else look at its limit for draining.",
	},
	{
		Code: "RC1076", ID: "max-connection-share",
		Causes: "clients that keep connections gathered on the pods that were ready first, and stay there.",
		Do: "let pods drain for longer than the rollout takes, or give connections a greatest age, so that clients open others from time to " +
			"time.",
	},
	{
		Code: "RC1077", ID: "min-connection-share",
		Causes: "connections are spread more evenly than expected, so that the recording does not show how clients gather on one pod.",
		Do:     "record a rollout whose pods take longer to become ready than old ones to end.",
	},
	{
		Code: "RC1078", ID: "cut-as-predicted",
		Causes: "more or fewer replies were cut than were under way when their pod ended, or a request failed whose pod did not end: the app " +
			"drains for less or more time than it is set to, or something beside the grace period cuts connections.",
		Do: "compare when each pod got SIGTERM, drained and ended with terminationGracePeriodSeconds and preStop; look for a proxy or a " +
			"sidecar with a limit of its own.",
	},
	{
		Code: "RC1079", ID: "cut-again",
		Causes: "fewer connections than expected were cut more than once, so that the recording does not show what a drain costs that is " +
			"shorter than the rollout: old pods had left the rules before the first one ended.",
		Do: "record a rollout whose pods take longer to become ready than old ones to end.",
	},
	{
		Code: "RC1080", ID: "ledger",
		Causes: "a request was sent or answered twice, or a server that returned it as not processed had got it: whoever sends it again, as it " +
			"may, has it carried out twice.",
		Do: "look for who resends: a proxy, a mesh or the client library; and let a server vouch only for what it has not read.",
	},
}
