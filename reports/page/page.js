"use strict";
(() => {
  const paint = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
  const seconds = micros => (micros / 1e6).toFixed(3) + "s";
  const millis = micros => micros < 1e6 ? +(micros / 1e3).toPrecision(4) + " ms" : seconds(micros);
  const make = (tag, name, text) => {
    const element = document.createElement(tag);
    if (name) element.className = name;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // A Timeline is the live form of a figure: four charts with one axis and one cursor. Times are microseconds.
  class Timeline {
    constructor(figure) {
      this.figure = figure;
      this.data = JSON.parse(figure.querySelector("script").textContent);
      const p = this.data.points;
      let at = 0;
      p.at = p.at.map(since => at += since);
      this.glyphs = this.data.glyphs.map(glyph => new Path2D("M0 0" + glyph));
      this.gutter = this.wide() < 560 ? 92 : 150;
      this.picked = -1;
      this.laneHeight = p.at.length ? 24 : 14;
      this.build();
      this.zoom(this.data.from, this.data.to);
      new ResizeObserver(() => this.resize()).observe(figure);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.plots.forEach(u => u.redraw(false)));
    }

    wide() { return Math.floor(this.figure.clientWidth); }

    resize() {
      const width = this.wide();
      if (width > 0) this.plots.forEach(u => u.width !== width && u.setSize({ width, height: u.height }));
    }

    build() {
      const tools = make("div", "tools");
      const tool = (text, act) => tools.append(Object.assign(make("button", "", text), { type: "button", onclick: act }));
      tool("whole run", () => this.zoom(this.data.from, this.data.to));
      const begins = this.mark("rollout begins"), gone = this.mark("old pods gone") ?? this.mark("barrier");
      if (begins !== undefined && gone !== undefined) tool("the rollout", () => this.zoom(begins - 1e6, gone + 1e6));
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
      this.card = make("aside", "request");
      this.card.setAttribute("aria-live", "polite");
      this.card.hidden = true;
      this.figure.classList.add("live");
      this.figure.append(tools, this.readout, this.board, this.card);
      this.say();

      const d = this.data, pods = d.pods;
      this.podHeight = Math.min(15, Math.max(2, 600 / pods.length));
      this.plots = [this.replies(), this.failures(), this.latency()];
      if (pods.length) this.plots.push(this.pods(pods));
      this.over(this.plots[1], (x, y) => this.pointAt(x, y));
    }

    mark(name) { return this.data.marks.find(m => m.name === name)?.at; }

    // plot makes one of the charts; last has the axis.
    plot(title, height, data, series, y, options) {
      const axis = { stroke: () => paint("--quiet"), grid: { stroke: () => paint("--rule"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
      const last = options.last;
      return new uPlot({
        width: this.wide(), height: height + 18 + (options.top || 0) + (last ? 22 : 7),
        padding: [18 + (options.top || 0), 10, last ? 0 : 7, 0],
        legend: { show: false },
        cursor: {
          y: false, points: { show: false }, drag: { x: true, y: false, setScale: false }, sync: { key: this.figure.closest("article").id },
          bind: { dblclick: () => () => { this.zoom(this.data.from, this.data.to); return null; } },
        },
        scales: { x: { time: false, range: (u, min, max) => [min, max] }, y },
        axes: [
          { ...axis, size: last ? 22 : 0, values: (u, splits) => last ? splits.map(at => +at.toFixed(3) + "s") : splits.map(() => ""), space: 70 },
          { ...axis, size: this.gutter, ...options.axis },
        ],
        series: [{}, ...series],
        hooks: {
          drawClear: [u => options.under?.(u)],
          draw: [u => { options.draw?.(u); this.frame(u, title, options.top || 0); }],
          setSelect: [u => {
            if (u.select.width < 4) return;
            const at = px => u.posToVal(px, "x") * 1e6;
            this.zoom(at(u.select.left), at(u.select.left + u.select.width));
          }],
          setCursor: [u => this.hover(u)],
        },
      }, data, this.board);
    }

    // frame draws the title and the marks; the names of marks above the first chart.
    frame(u, title, top) {
      const { ctx, bbox } = u, px = uPlot.pxRatio;
      ctx.save();
      ctx.fillStyle = paint("--ink");
      ctx.textAlign = "left";
      ctx.textBaseline = "bottom";
      ctx.font = `${11 * px}px system-ui, sans-serif`;
      ctx.strokeStyle = paint("--ink");
      ctx.lineWidth = px * 0.8;
      const ends = [-1e9, -1e9, -1e9];
      for (const m of this.data.marks) {
        const x = u.valToPos(m.at / 1e6, "x", true);
        if (x < bbox.left || x > bbox.left + bbox.width) continue;
        let from = bbox.top;
        if (top) {
          const long = ctx.measureText(m.name).width + 8 * px, left = x + long > bbox.left + bbox.width;
          const begin = left ? x - long : x, row = Math.max(0, [0, 1, 2].find(row => ends[row] <= begin) ?? 2);
          ends[row] = begin + long;
          from = (row + 0.15) * 14 * px;
          ctx.textAlign = left ? "right" : "left";
          ctx.fillText(m.name, x + (left ? -3 : 3) * px, from + 12 * px);
          ctx.textAlign = "left";
        }
        ctx.setLineDash([3 * px, 2 * px]);
        ctx.beginPath();
        ctx.moveTo(x, from);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
        ctx.setLineDash([]);
      }
      ctx.font = `600 ${11 * px}px system-ui, sans-serif`;
      ctx.strokeStyle = paint("--paper");
      ctx.lineWidth = 3 * px;
      ctx.strokeText(title, 0, bbox.top - 5 * px);
      ctx.fillText(title, 0, bbox.top - 5 * px);
      const at = this.data.points.at[this.picked];
      if (at !== undefined) {
        const x = u.valToPos(at / 1e6, "x", true);
        ctx.strokeStyle = paint("--link");
        ctx.lineWidth = 2 * px;
        ctx.beginPath();
        ctx.moveTo(x, bbox.top);
        ctx.lineTo(x, bbox.top + bbox.height);
        ctx.stroke();
      }
      ctx.restore();
    }

    edges() {
      const s = this.data.series, n = s.p50.length;
      return Array.from({ length: n + 1 }, (_, i) => (s.from + i * s.width) / 1e3);
    }

    replies() {
      const s = this.data.series, x = this.edges(), stacked = [];
      let below = new Array(x.length).fill(0);
      for (let i = s.versions.length - 1; i >= 0; i--) {
        below = below.map((sum, bucket) => sum + (s.replies[i][bucket] || 0) * 1000 / s.width);
        stacked.unshift(below);
      }
      const most = Math.max(1, ...(stacked[0] ?? [0])) * 1.05;
      const stepped = uPlot.paths.stepped({ align: 1 });
      const series = s.versions.map((_, i) => ({ paths: stepped, width: 0, fill: () => paint("--v" + i), points: { show: false } }));
      return this.plot("replies per second", 120, [x, ...stacked], series, { range: () => [0, most] }, { top: 34, axis: { space: 34 } });
    }

    latency() {
      const s = this.data.series, ms = took => took === null ? null : Math.max(took, 1) / 1e3;
      const level = took => [...took.map(ms), null];
      const all = [s.max, s.p99, s.p50], known = all.flat().filter(took => took !== null).map(ms);
      const least = known.reduce((a, b) => Math.min(a, b), known.length ? Infinity : 1), most = known.reduce((a, b) => Math.max(a, b), 10);
      const low = 10 ** Math.floor(Math.log10(least)), high = 10 ** Math.ceil(Math.log10(most));
      const powers = Array.from({ length: Math.round(Math.log10(high / low)) + 1 }, (_, i) => low * 10 ** i);
      const stepped = uPlot.paths.stepped({ align: 1 });
      const series = ["--slowest", "--most", "--half"].map((name, i) => ({ paths: stepped, width: i === 2 ? 1.5 : 1, stroke: () => paint(name), points: { show: false } }));
      return this.plot("how long good replies took: slowest, 99 % and half of them within", 90, [this.edges(), ...all.map(level)], series,
        { distr: 3, range: () => [low, high] },
        { last: !this.data.pods.length, axis: { splits: () => powers, filter: (u, splits) => splits, values: (u, splits) => splits.map(v => millis(v * 1e3)) } });
    }

    // rows is a chart that draws itself, row by row.
    rows(title, names, height, options) {
      const d = this.data;
      return this.plot(title, names.length * height, [[d.from / 1e6, d.to / 1e6], [null, null]], [{}], { range: () => [0, 1] }, {
        ...options, axis: { splits: () => [], grid: { show: false } },
        draw: u => {
          const { ctx, bbox } = u, px = uPlot.pxRatio;
          ctx.save();
          ctx.fillStyle = paint("--quiet");
          ctx.font = `${11 * px}px system-ui, sans-serif`;
          ctx.textAlign = "left";
          ctx.textBaseline = "middle";
          if (height >= 10) names.forEach((name, row) => ctx.fillText(this.fit(ctx, name, (this.gutter - 8) * px), 0, bbox.top + (row + 0.5) * height * px));
          ctx.beginPath();
          ctx.rect(bbox.left, bbox.top - 2 * px, bbox.width, bbox.height + 4 * px);
          ctx.clip();
          options.each(ctx, at => u.valToPos(at / 1e6, "x", true), row => bbox.top + (row + 0.5) * height * px, px, bbox);
          ctx.restore();
        },
      });
    }

    // fit keeps the end of a name, which tells it from others.
    fit(ctx, name, width) {
      if (ctx.measureText(name).width <= width) return name;
      while (name && ctx.measureText("…" + name).width > width) name = name.slice(1);
      return "…" + name;
    }

    failures() {
      const p = this.data.points, ring = this.glyphs.length - 1;
      return this.rows("requests that failed or were sent again", this.data.lanes, this.laneHeight, {
        each: (ctx, x, y, px, bbox) => {
          ctx.strokeStyle = paint("--rule");
          this.data.lanes.forEach((_, row) => { ctx.beginPath(); ctx.moveTo(bbox.left, y(row)); ctx.lineTo(bbox.left + bbox.width, y(row)); ctx.stroke(); });
          const stamps = this.glyphs.map((_, kind) => this.stamp(kind, px));
          const drawn = new Set();
          const draw = (i, kind) => {
            const left = Math.round(x(p.at[i])), top = Math.round(y(p.lane[i]) + this.track(i) * px), place = left * 65536 + top * 16 + kind;
            if (drawn.has(place) || left < bbox.left - 9 || left > bbox.left + bbox.width + 9) return; // two at one place look like one
            drawn.add(place);
            ctx.drawImage(stamps[kind], left - stamps[kind].width / 2, top - stamps[kind].height / 2);
          };
          p.at.forEach((_, i) => {
            if (p.lane[i] < 0 || p.kind[i] < 0) return;
            draw(i, p.kind[i]);
            if (this.again(i)) draw(i, ring);
          });
        },
      });
    }

    // stamp is a picture of a kind of requests: thousands are drawn in no time.
    stamp(kind, px) {
      const stamp = make("canvas"), ctx = stamp.getContext("2d"), glyph = this.glyphs[kind];
      stamp.width = stamp.height = 14 * px;
      ctx.setTransform(px, 0, 0, px, 7 * px, 7 * px);
      ctx.lineWidth = 1.3;
      ctx.strokeStyle = ctx.fillStyle = paint("--k" + kind);
      ctx.stroke(glyph);
      if (kind > 0 && kind < this.glyphs.length - 1) ctx.fill(glyph);
      return stamp;
    }

    // track is how far below the middle of its lane a request is drawn: kinds are apart, so that none hides another.
    track(i) { return this.data.tracks[this.data.points.kind[i]] * this.laneHeight; }

    again(i) { const p = this.data.points; return p.attempts[i] > 1 || p.arrivals[i] > 1; }

    pods(pods) {
      const d = this.data, height = this.podHeight;
      return this.rows("pods", pods.map(pod => pod.version + " " + pod.name.slice(pod.name.lastIndexOf("-") + 1)), height, {
        last: true,
        each: (ctx, x, y, px) => pods.forEach((pod, row) => {
          const version = d.series.versions.indexOf(pod.version);
          pod.steps.forEach((step, i) => {
            const thick = (d.phases[step.phase]?.thickness || 0) * height / 12;
            if (!thick) return;
            const from = x(step.at), to = x(pod.steps[i + 1]?.at ?? d.to);
            ctx.fillStyle = paint("--v" + (version < 0 ? 5 : version));
            ctx.globalAlpha = step.phase >= 3 && step.phase <= 5 ? 0.55 : 1;
            ctx.fillRect(from, y(row) - thick * px / 2, Math.max(px, to - from), thick * px);
          });
          ctx.globalAlpha = 1;
          ctx.fillStyle = paint("--ink");
          for (const gone of pod.rules) ctx.fillRect(x(gone.at) - px / 2, y(row) - height * px / 2, px, height * px);
        }),
      });
    }

    // over lets requests in a chart be found by the pointer: find gives the number of one, or -1.
    over(u, find) {
      const at = e => find(e.offsetX, e.offsetY);
      u.over.addEventListener("mousemove", e => {
        this.near = at(e);
        this.board.classList.toggle("near", this.near >= 0);
        this.say(u.posToVal(e.offsetX, "x") * 1e6);
      });
      u.over.addEventListener("mouseleave", () => { this.near = -1; this.board.classList.remove("near"); });
      u.over.addEventListener("click", e => { if (at(e) >= 0) this.pick(at(e), false); });
    }

    pointAt(x, y) {
      const u = this.plots[1], p = this.data.points, reach = 9;
      const from = u.posToVal(x - reach, "x") * 1e6, to = u.posToVal(x + reach, "x") * 1e6;
      let best = -1, least = reach * reach + 1;
      for (let i = this.first(from); i < p.at.length && p.at[i] <= to; i++) {
        const dx = u.valToPos(p.at[i] / 1e6, "x") - x, dy = (p.lane[i] + 0.5) * this.laneHeight + this.track(i) - y, far = dx * dx + dy * dy;
        if (far < least) { least = far; best = i; }
      }
      return best;
    }

    // first is the number of the first request sent at a moment or later.
    first(at) {
      let low = 0, high = this.data.points.at.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.data.points.at[middle] < at) low = middle + 1; else high = middle;
      }
      return low;
    }

    hover(u) {
      const x = u.cursor.left;
      if (u === this.plots?.[0]) this.say(x >= 0 ? u.posToVal(x, "x") * 1e6 : undefined);
    }

    // say tells what is known of a moment.
    say(at) {
      if (at === undefined) {
        this.readout.textContent = "Drag to zoom, double-click for the whole run, click a point for its request.";
        return;
      }
      const s = this.data.series, bucket = Math.floor((at / 1e3 - s.from) / s.width), said = [seconds(at)];
      const begins = this.mark("rollout begins");
      if (begins !== undefined) said[0] += ` (${at < begins ? "−" : "+"}${seconds(Math.abs(at - begins))} from the rollout's begin)`;
      if (bucket >= 0 && bucket < s.p50.length) {
        s.versions.forEach((version, i) => said.push(`${version} ${+(s.replies[i][bucket] * 1000 / s.width).toFixed(1)}/s`));
        if (s.p50[bucket] !== null) said.push(`half within ${millis(s.p50[bucket])}, 99 % ${millis(s.p99[bucket])}, slowest ${millis(s.max[bucket])}`);
      }
      if (this.near >= 0) said.push(`${this.name(this.near)}: ${this.fate(this.near)} after ${millis(this.data.points.took[this.near])}`);
      this.readout.textContent = said.join(" · ");
    }

    name(i) { const p = this.data.points; return `${this.data.lanes[p.lane[i]] ?? "unknown lane"} ${p.seq[i]}`; }

    fate(i) {
      const p = this.data.points, kind = this.data.kinds[p.kind[i]] ?? "failed";
      const said = p.kind[i] === 0 ? "replied, as " + (this.data.series.versions[p.version[i]] ?? "an unknown version") : kind === "bad_status" ? `${kind} ${p.status[i]}` : kind;
      return said + (this.again(i) ? ", sent again" : "");
    }

    // phase is how far a pod had got at a moment.
    phase(pod, at) {
      const step = pod.steps.findLast(step => step.at <= at);
      return step ? `${this.data.phases[step.phase].name}, since ${seconds(at - step.at)}` : this.data.phases[0].name;
    }

    zoom(from, to) {
      const d = this.data, least = 1e3;
      if (to - from < least) to = from + least;
      from = Math.max(d.from, from);
      to = Math.min(d.to, to);
      if (!(to > from)) return;
      [this.from, this.to] = [from, to];
      for (const u of this.plots) {
        u.batch(() => {
          u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
          u.setScale("x", { min: from / 1e6, max: to / 1e6 });
        });
      }
    }

    key(e) {
      const span = this.to - this.from, act = {
        ArrowLeft: () => this.pan(-span / 5), ArrowRight: () => this.pan(span / 5),
        "+": () => this.zoom(this.from + span / 4, this.to - span / 4), "=": () => this.zoom(this.from + span / 4, this.to - span / 4),
        "-": () => this.zoom(this.from - span / 2, this.to + span / 2),
        Escape: () => this.zoom(this.data.from, this.data.to),
        ArrowDown: () => this.step(1), ArrowUp: () => this.step(-1),
      }[e.key];
      if (!act || e.ctrlKey || e.metaKey || e.altKey) return;
      e.preventDefault();
      act();
    }

    pan(by) {
      by = Math.min(Math.max(by, this.data.from - this.from), this.data.to - this.to);
      this.zoom(this.from + by, this.to + by);
    }

    step(by) {
      const n = this.data.points.at.length;
      if (n) this.pick(this.picked < 0 ? (by > 0 ? 0 : n - 1) : (this.picked + by + n) % n, false);
    }

    // pick shows a request: where it is, and everything about it.
    pick(i, scroll) {
      const d = this.data, p = d.points, at = p.at[i], pod = d.pods[p.pod[i]], begins = this.mark("rollout begins");
      this.picked = i;
      if (at < this.from || at > this.to) this.pan(at - (this.from + this.to) / 2);
      this.plots.forEach(u => u.redraw(false));
      const arrivals = p.arrivals[i], list = make("dl");
      const tell = (what, text) => { const box = make("div"); box.append(make("dt", "", what), make("dd", "", text)); list.append(box); };
      tell("sent", seconds(at) + (begins === undefined ? "" : `, ${at < begins ? "−" : "+"}${seconds(Math.abs(at - begins))} from the rollout's begin`));
      tell("its client got", this.fate(i));
      tell("after", millis(p.took[i]));
      tell("arrived", arrivals < 0 ? "not recorded" : ["never", "once"][arrivals] ?? arrivals + " times");
      tell("pod", pod ? `${pod.name} (${pod.version}) on ${pod.node || "an unknown node"}` : "not known");
      if (pod) tell("the pod was then", this.phase(pod, at));
      tell("connection", (p.reused[i] ? "kept" : "new") + (p.port[i] ? `, port ${p.port[i]}` : "") + (p.attempts[i] > 1 ? `, ${p.attempts[i]} tried` : ""));
      const head = make("header"), close = Object.assign(make("button", "", "close"), { type: "button" });
      close.onclick = () => { this.picked = -1; this.card.hidden = true; this.plots.forEach(u => u.redraw(false)); };
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

  const live = new WeakMap();
  const timelineOf = figure => {
    if (!live.has(figure) && figure.clientWidth) live.set(figure, new Timeline(figure));
    return live.get(figure);
  };
  const watcher = new IntersectionObserver(entries => entries.forEach(e => e.isIntersecting && timelineOf(e.target)), { rootMargin: "300px" });
  document.querySelectorAll(".timeline").forEach(figure => watcher.observe(figure));

  document.addEventListener("click", e => {
    const link = e.target.closest(".witnesses a[data-seq]");
    if (!link) return;
    const figure = link.closest("article").querySelector(".timeline");
    const timeline = figure && timelineOf(figure), i = timeline ? timeline.find(link.dataset.lane, link.dataset.seq) : -1;
    if (i < 0) return;
    e.preventDefault();
    link.closest("table").querySelectorAll(".picked").forEach(row => row.classList.remove("picked"));
    link.closest("tr").classList.add("picked");
    timeline.pick(i, true);
  });

  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let box = target; box; box = box.parentElement) if (box.tagName === "DETAILS") box.open = true;
    target?.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  addEventListener("beforeprint", () => document.querySelectorAll(".run.fail, .run.inconclusive").forEach(run => { run.closest("details").open = true; }));
})();
