// A Timeline is the live form of a figure: its drawing, what a moment or a request was, and ways through them for pointer and keyboard.
class Timeline {
  constructor(figure) {
    this.figure = figure;
    this.data = JSON.parse(figure.querySelector("script").textContent);
    const p = this.data.points;
    let at = 0;
    p.at = p.at.map(since => at += since);
    this.picked = -1;
    this.drawing = new Drawing(figure.querySelector(".drawing"), this.data);
    this.build();
    this.resize();
    this.zoom(this.data.from, this.data.to);
    new ResizeObserver(() => this.resize()).observe(figure);
    addEventListener("beforeprint", () => this.print(this.drawing.drawn.width, this.data));
    addEventListener("afterprint", () => this.print(this.wide(), this));
  }

  wide() { return Math.floor(this.figure.clientWidth); }

  resize() {
    if (this.wide() === this.shownWide || this.wide() <= 0) return;
    this.shownWide = this.wide();
    this.drawing.resize(this.shownWide);
    this.place(this.pickedLine, this.data.points.at[this.picked]);
  }

  // print draws a part of the time for paper or for the screen.
  print(wide, { from, to }) {
    this.drawing.resize(wide);
    this.drawing.show(from, to);
  }

  build() {
    const tools = make("div", "tools");
    const tool = (text, act) => tools.append(Object.assign(make("button", "", text), { type: "button", onclick: act }));
    tool("whole run", () => this.zoom(this.data.from, this.data.to));
    const begins = this.mark("rollout begins"), gone = this.mark("old pods gone") ?? this.mark("barrier");
    if (begins !== undefined && gone !== undefined) tool("the rollout", () => this.zoom(begins - 1e6, gone + 1e6));
    const disrupted = this.data.bands;
    if (disrupted) tool("the disruption", () => this.zoom(disrupted[0].from - 1e6, disrupted.at(-1).to + 1e6));
    if (this.data.points.at.length) {
      tool("previous request", () => this.step(-1));
      tool("next request", () => this.step(1));
    }
    this.readout = make("p", "readout");
    this.board = make("div", "plots");
    this.board.tabIndex = 0;
    this.board.setAttribute("role", "application");
    this.board.setAttribute("aria-label", "Timeline. Left and right move, plus and minus zoom, Escape shows the whole run, up and down go through the requests that failed.");
    this.board.addEventListener("keydown", e => this.key(e));
    [this.selection, this.cursor, this.pickedLine] = ["selection", "cursor", "picked"].map(name => make("div", name));
    [this.selection, this.cursor, this.pickedLine].forEach(line => { line.hidden = true; this.board.append(line); });
    this.listen();
    this.card = make("aside", "request");
    this.card.setAttribute("aria-live", "polite");
    this.card.hidden = true;
    this.figure.classList.add("live");
    const charts = this.figure.querySelector(".charts"), strip = this.figure.querySelector(".overview");
    (strip ?? charts).before(tools);
    charts.before(this.readout);
    charts.append(this.board);
    charts.after(this.card);
    if (strip) this.overview = new Overview(strip, this.data, (from, to) => this.zoom(from, to));
    this.say();
  }

  // listen follows the pointer: it shows what is under it, a drag zooms, a click picks a request and a double click shows the whole run.
  listen() {
    const { board, drawing } = this, on = (name, act) => board.addEventListener(name, act);
    const place = e => {
      const box = board.getBoundingClientRect();
      return [e.clientX - box.left - drawing.gutter, e.clientY - box.top];
    };
    const within = x => Math.min(drawing.plot, Math.max(0, x));
    let drag;
    const end = () => { drag = undefined; this.selection.hidden = true; };
    on("pointerdown", e => {
      if (e.button || place(e)[0] < 0) return;
      board.setPointerCapture(e.pointerId);
      drag = [within(place(e)[0]), within(place(e)[0])];
    });
    on("pointermove", e => {
      const [x, y] = place(e), near = drawing.near(x, y), inside = x >= 0 && x <= drawing.plot;
      board.classList.toggle("near", near >= 0);
      this.place(this.cursor, inside ? drawing.at(x) : undefined);
      this.say(inside ? drawing.at(x) : undefined, near);
      if (drag) {
        drag[1] = within(x);
        this.place(this.selection, drawing.at(Math.min(...drag)), Math.abs(drag[1] - drag[0]));
      }
    });
    on("pointerup", e => {
      if (!drag) return;
      const [from, to] = drag.sort((a, b) => a - b), near = drawing.near(...place(e));
      end();
      if (to - from >= 4) this.zoom(drawing.at(from), drawing.at(to));
      else if (near >= 0) this.pick(near, false);
    });
    on("pointercancel", end);
    on("pointerleave", () => { this.cursor.hidden = true; board.classList.remove("near"); this.say(); });
    on("dblclick", () => this.zoom(this.data.from, this.data.to));
  }

  // place puts a line, or an area, over the charts; it is hidden where there is no moment, or one that they do not show.
  place(line, at, width) {
    line.hidden = !(at >= this.drawing.from && at <= this.drawing.to);
    line.style.left = this.drawing.gutter + this.drawing.x(at) + "px";
    if (width !== undefined) line.style.width = width + "px";
  }

  mark(name) { return this.data.marks.find(m => m.name === name)?.at; }

  // say shows what is known of a moment, and of the request under the pointer.
  say(at, near = -1) {
    if (at === undefined) {
      this.readout.textContent = (this.overview ? "Click the strip for a minute of it. " : "") + "Drag to zoom, double-click for the whole run, click a point for its request.";
      return;
    }
    const s = this.data.series, bucket = Math.floor((at / 1e3 - s.from) / s.width), said = [this.time(at)];
    const begins = this.mark("rollout begins");
    if (begins !== undefined) said[0] += ` (${at < begins ? "−" : "+"}${this.since(Math.abs(at - begins))} from the rollout's begin)`;
    if (bucket >= 0 && bucket < s.p50.length) {
      s.versions.forEach((version, i) => said.push(`${version} ${+(s.replies[i][bucket] * 1000 / s.width).toFixed(1)}/s`));
      if (s.p50[bucket] !== null) said.push(`half within ${millis(s.p50[bucket])}, 99 % ${millis(s.p99[bucket])}, slowest ${millis(s.max[bucket])}`);
    }
    const step = this.lastStep(at);
    if (step) said.push(`${this.since(at - step.at)} after ${step.name}`);
    if (near >= 0) said.push(`${this.name(near)}: ${this.outcome(near)} after ${millis(this.data.points.took[near])}`);
    this.readout.textContent = said.join(" · ");
  }

  name(i) { const p = this.data.points; return `${this.data.lanes[p.lane[i]] ?? "unknown lane"} ${p.seq[i]}`; }

  outcome(i) {
    const p = this.data.points, kind = this.data.kinds[p.kind[i]] ?? "failed";
    const said = p.kind[i] === 0 ? "replied, as " + (this.data.series.versions[p.version[i]] ?? "an unknown version") : kind === "bad_status" ? `${kind} ${this.data.statuses[p.status[i]]}` : kind;
    return said + (this.drawing.sentAgain(i) ? ", sent again" : "");
  }

  // time is a moment of the run.
  time(at) { return this.overview ? clock(at) : seconds(at); }

  since(micros) { return this.overview && micros >= 60e6 ? clock(micros) : seconds(micros); }

  lastStep(at) { return this.data.steps?.findLast(step => step.at <= at); }

  // phase is how far a pod had got at a moment.
  phase(pod, at) {
    const step = pod.steps.findLast(step => step.at <= at);
    return step ? `${tables.phases[step.phase]}, since ${seconds(at - step.at)}` : tables.phases[0];
  }

  zoom(from, to) {
    const d = this.data, least = 1e3;
    if (to - from < least) to = from + least;
    from = Math.max(d.from, from);
    to = Math.min(d.to, to);
    if (!(to > from)) return;
    Object.assign(this, { from, to });
    this.drawing.show(from, to);
    this.overview?.show(from, to);
    this.cursor.hidden = true;
    this.place(this.pickedLine, d.points.at[this.picked]);
  }

  key(e) {
    const { from, to } = this, span = to - from, act = {
      ArrowLeft: () => this.pan(-span / 5), ArrowRight: () => this.pan(span / 5),
      "+": () => this.zoom(from + span / 4, to - span / 4), "=": () => this.zoom(from + span / 4, to - span / 4),
      "-": () => this.zoom(from - span / 2, to + span / 2),
      Escape: () => this.zoom(this.data.from, this.data.to),
      ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1),
    }[e.key];
    if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    act();
  }

  pan(by) {
    const { from, to } = this;
    by = Math.min(Math.max(by, this.data.from - from), this.data.to - to);
    this.zoom(from + by, to + by);
  }

  step(by) {
    const n = this.data.points.at.length;
    if (n) this.pick(this.picked < 0 ? (by > 0 ? 0 : n - 1) : (this.picked + by + n) % n, false);
  }

  // pick shows a request: where it is, and everything about it.
  pick(i, scroll) {
    const d = this.data, p = d.points, at = p.at[i], { from, to } = this, pod = d.pods[p.pod[i]], begins = this.mark("rollout begins");
    this.picked = i;
    if (at < from || at > to) this.pan(at - (from + to) / 2);
    this.place(this.pickedLine, at);
    const arrivals = p.arrivals[i], list = make("dl");
    const add = (what, text) => { const box = make("div"); box.append(make("dt", "", what), make("dd", "", text)); list.append(box); };
    add("sent", this.time(at) + (begins === undefined ? "" : `, ${at < begins ? "−" : "+"}${this.since(Math.abs(at - begins))} from the rollout's begin`));
    add("its client got", this.outcome(i));
    add("after", millis(p.took[i]));
    if (d.pods.length) add("arrived", arrivals < 0 ? "not recorded" : ["never", "once"][arrivals] ?? arrivals + " times");
    if (d.pods.length) add("pod", pod ? `${pod.name} (${pod.version}) on ${pod.node || "an unknown node"}` : "not known");
    if (pod) add("the pod is known", tables.known[p.known[i]]);
    if (pod) add("the pod was then", this.phase(pod, at));
    const node = d.routes[p.lane[i]], gone = pod?.rules.findLast((rule) => rule.node === node);
    if (gone) add("its client's node", `${node} stopped routing to the pod at ${this.time(gone.at)}, ` +
      `${this.since(Math.abs(gone.at - at))} ${gone.at < at ? "before" : "after"} the request`);
    add("connection", (p.reused[i] ? "keep-alive" : "new") + (p.port[i] ? `, port ${p.port[i]}` : "") + (p.attempts[i] > 1 ? `, ${p.attempts[i]} tried` : ""));
    const step = this.lastStep(at);
    if (step) add("the last step before", `${step.name}, ${this.since(at - step.at)} before`);
    const head = make("header"), close = Object.assign(make("button", "", "close"), { type: "button" });
    close.onclick = () => { this.picked = -1; this.card.hidden = this.pickedLine.hidden = true; };
    head.append(make("span", "", this.name(i)), close);
    this.card.replaceChildren(head, list);
    this.card.hidden = false;
    if (scroll) this.figure.scrollIntoView({ block: "start" });
  }

  // find is the number of a request; -1 when it is none of the points.
  find(lane, seq) {
    const p = this.data.points, row = this.data.lanes.indexOf(lane);
    return p.at.findIndex((_, i) => p.lane[i] === row && String(p.seq[i]) === seq);
  }
}
