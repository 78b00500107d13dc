// An Overview is the whole of a long recording in a strip: when how many requests were answered and failed, what was done to the
// cluster, and which part of it the charts show. A click opens a minute, a drag what it spans; so do keys. Times are microseconds.
class Overview {
  constructor(data, open) {
    Object.assign(this, { data, open, from: data.from, to: data.to });
    this.canvas = make("canvas", "overview");
    this.canvas.tabIndex = 0;
    const says = { role: "slider", "aria-label": "Overview of the whole run. Left and right go through it, Enter opens a minute, plus and minus open less and more of it, down and up the next and the previous minute in which requests failed, Escape the whole run.",
      "aria-valuemin": data.from / 1e6, "aria-valuemax": data.to / 1e6 };
    Object.entries(says).forEach(([name, value]) => this.canvas.setAttribute(name, value));
    const on = (name, act) => this.canvas.addEventListener(name, act);
    on("pointerdown", e => {
      if (e.button) return;
      this.canvas.setPointerCapture(e.pointerId);
      this.drag = [e.offsetX, e.offsetX];
    });
    on("pointermove", e => { if (this.drag) { this.drag[1] = e.offsetX; this.draw(); } });
    on("pointerup", () => {
      if (!this.drag) return;
      const [from, to] = this.drag.map(x => this.at(x)).sort((a, b) => a - b);
      this.drag = undefined;
      this.show(...this.span(from, to), true);
    });
    on("pointercancel", () => { this.drag = undefined; this.draw(); });
    on("keydown", e => this.key(e));
  }

  // span is a part of the run, not shorter than a minute.
  span(from, to) {
    const { data } = this, least = Math.min(60e6, data.to - data.from), middle = (from + to) / 2, half = Math.max(to - from, least) / 2;
    const begin = Math.min(Math.max(middle - half, data.from), Math.max(data.from, data.to - 2 * half));
    return [begin, Math.min(data.to, begin + 2 * half)];
  }

  // show notes what the charts show, or has them show it.
  show(from, to, open) {
    if (open) return this.open(from, to);
    [this.from, this.to] = [from, to];
    this.canvas.setAttribute("aria-valuenow", (from + to) / 2e6);
    this.canvas.setAttribute("aria-valuetext", `${clock(from)} to ${clock(to)}`);
    this.draw();
  }

  key(e) {
    const { data, from, to } = this, middle = (from + to) / 2, width = to - from, minute = 60e6;
    const whole = width >= data.to - data.from, act = {
      ArrowLeft: () => whole ? [data.to - minute, data.to] : [from - width, to - width],
      ArrowRight: () => whole ? [data.from, data.from + minute] : [from + width, to + width],
      Home: () => [data.from, data.from + minute], End: () => [data.to - minute, data.to],
      Enter: () => [middle, middle], " ": () => [middle, middle],
      "+": () => [middle - width / 4, middle + width / 4], "=": () => [middle - width / 4, middle + width / 4],
      "-": () => [middle - width, middle + width],
      ArrowDown: () => this.failure(1), ArrowUp: () => this.failure(-1),
      Escape: () => [data.from, data.to],
    }[e.key];
    if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    this.show(...this.span(...act()), true);
  }

  // failure is around the next request that failed after what is shown, or the last before it; of the whole run the first or last.
  failure(by) {
    const p = this.data.points, whole = this.to - this.from >= this.data.to - this.data.from;
    const failed = p.at.filter((_, i) => p.kind[i] > 0), next = by > 0 ? failed.find(at => whole || at > this.to) : failed.findLast(at => whole || at < this.from);
    return next === undefined ? [this.from, this.to] : [next, next];
  }

  at(x) {
    const { from, to } = this.data;
    return Math.min(to, Math.max(from, from + (to - from) * x / this.canvas.clientWidth));
  }

  // draw has replies as an area, failures as bars on a logarithmic scale, and dims what the charts do not show.
  draw() {
    const { canvas, data } = this, px = devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight, s = data.series;
    if (!width) return;
    [canvas.width, canvas.height] = [width * px, height * px];
    const ctx = canvas.getContext("2d"), axis = 14, bottom = height - axis;
    ctx.scale(px, px);
    const x = at => width * (at - data.from) / (data.to - data.from);
    const fill = (color, alpha, left, right, top, tall) => {
      ctx.fillStyle = paint(color);
      ctx.globalAlpha = alpha;
      ctx.fillRect(left, top, Math.max(1, right - left), tall);
      ctx.globalAlpha = 1;
    };
    (data.bands ?? []).forEach(b => { fill("--quiet", 0.26, x(b.from), x(b.undone), 0, bottom); fill("--quiet", 0.1, x(b.undone), x(b.to), 0, bottom); });
    const replies = s.p50.map((_, bucket) => s.replies.reduce((sum, of) => sum + of[bucket], 0)), most = replies.reduce((a, b) => Math.max(a, b), 1);
    ctx.fillStyle = paint("--v0");
    ctx.globalAlpha = 0.4;
    ctx.beginPath();
    ctx.moveTo(0, bottom);
    replies.forEach((n, bucket) => {
      const y = bottom - 0.6 * bottom * n / most;
      ctx.lineTo(x((s.from + bucket * s.width) * 1e3), y);
      ctx.lineTo(x((s.from + (bucket + 1) * s.width) * 1e3), y);
    });
    ctx.lineTo(width, bottom);
    ctx.fill();
    ctx.globalAlpha = 1;
    (data.steps ?? []).forEach(step => fill("--link", data.steps.length > manySteps ? 0.3 : 1, x(step.at), x(step.at), 0, bottom));
    const failed = new Map();
    data.points.at.forEach((at, i) => { if (data.points.kind[i] > 0) { const left = Math.floor(x(at) / 2) * 2; failed.set(left, (failed.get(left) ?? 0) + 1); } });
    const worst = [...failed.values()].reduce((a, b) => Math.max(a, b), 9);
    failed.forEach((n, left) => { const tall = bottom * Math.log1p(n) / Math.log1p(worst); fill("--fail", 1, left, left + 2, bottom - tall, tall); });
    const [from, to] = this.drag ? this.drag.slice().sort((a, b) => a - b) : [x(this.from), x(this.to)];
    fill("--paper", 0.65, 0, from, 0, bottom);
    fill("--paper", 0.65, to, width, 0, bottom);
    ctx.strokeStyle = paint("--link");
    ctx.lineWidth = 1.5;
    ctx.strokeRect(from + 0.75, 0.75, Math.max(2, to - from - 1.5), bottom - 1.5);
    ctx.fillStyle = paint("--quiet");
    ctx.font = "11px system-ui, sans-serif";
    ctx.textBaseline = "bottom";
    const step = wholeTimes.find(time => x(data.from + time * 1e6) >= 70) ?? 86400;
    for (let at = Math.ceil(data.from / (step * 1e6)) * step * 1e6; at <= data.to; at += step * 1e6) {
      ctx.textAlign = x(at) < 20 ? "left" : x(at) > width - 20 ? "right" : "center";
      ctx.fillText(clock(at), x(at), height);
    }
  }
}
