const paint = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim() || "#888";
const seconds = micros => (micros / 1e6).toFixed(3) + " s";
const millis = micros => micros < 1e6 ? +(micros / 1e3).toPrecision(3) + " ms" : (micros / 1e6).toPrecision(3) + " s";
// clock is a time of a recording that lasts minutes or hours.
const clock = micros => {
  const all = Math.round(micros / 1e3), two = n => String(n).padStart(2, "0"), rest = all % 1000;
  return `${Math.floor(all / 3.6e6)}:${two(Math.floor(all / 6e4) % 60)}:${two(Math.floor(all / 1e3) % 60)}` + (rest ? "." + String(rest).padStart(3, "0") : "");
};
// wholeTimes are how many seconds may lie between two times on the axis of such a recording.
const wholeTimes = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 86400];
const make = (tag, name, text) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
};

// stepRows is in how many rows the names of steps stand; of more than manySteps the lines are faint.
const stepRows = 4, manySteps = 40;

// Charts draw the data of a timeline, one below the other with one axis and one cursor. Times are microseconds. They know
// what they show, from and to and the request that is picked; what a person does to them they tell on.
class Charts {
  constructor(board, width, data, on) {
    Object.assign(this, { board, width, data, on, picked: -1, near: -1 });
    this.long = data.to - data.from >= 300e6;
    this.glyphs = data.glyphs.map(glyph => new Path2D("M0 0" + glyph));
    this.gutter = width < 560 ? 92 : 150;
    this.laneHeight = data.points.at.length ? 24 : 14;
    this.podHeight = Math.min(15, Math.max(2, 600 / data.pods.length));
    this.plots = [this.replies(), this.failures(), this.latency()];
    if (data.nodes) this.plots.push(this.nodes(data.nodes));
    if (data.pods.length) this.plots.push(this.pods(data.pods));
    this.over(this.plots[1]);
  }

  resize(width) {
    this.plots.forEach(u => u.width !== width && u.setSize({ width, height: u.height }));
    this.width = width;
  }

  redraw() { this.plots.forEach(u => u.redraw(false)); }

  // show takes all charts to a range of time.
  show(from, to) {
    [this.from, this.to] = [from, to];
    for (const u of this.plots) {
      u.batch(() => {
        u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
        u.setScale("x", { min: from / 1e6, max: to / 1e6 });
      });
    }
  }

  // plot makes one of the charts; the last has the axis.
  plot(title, height, data, series, y, options) {
    const axis = { stroke: () => paint("--quiet"), grid: { stroke: () => paint("--rule"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const last = options.last, incrs = this.long ? { incrs: [0.001, 0.01, 0.1, 0.2, 0.5, ...wholeTimes] } : {};
    const time = at => this.long ? clock(at * 1e6) : +at.toFixed(3) + " s";
    return new uPlot({
      width: this.width, height: height + 18 + (options.top || 0) + (last ? 22 : 7),
      padding: [18 + (options.top || 0), this.long ? 32 : 10, last ? 0 : 7, 0],
      legend: { show: false },
      cursor: {
        y: false, points: { show: false }, drag: { x: true, y: false, setScale: false }, sync: { key: this.board.closest("article").id },
        bind: { dblclick: () => () => { this.on.zoom(this.data.from, this.data.to); return null; } },
      },
      scales: { x: { time: false, range: (u, min, max) => [min, max] }, y },
      axes: [
        { ...axis, ...incrs, size: last ? 22 : 0, values: (u, splits) => last ? splits.map(time) : splits.map(() => ""), space: 70 },
        { ...axis, size: this.gutter, ...options.axis },
      ],
      series: [{}, ...series],
      hooks: {
        drawClear: [u => this.bands(u, options.top || 0)],
        draw: [u => { options.draw?.(u); this.frame(u, title, options.top || 0); }],
        setSelect: [u => {
          if (u.select.width < 4) return;
          const at = px => u.posToVal(px, "x") * 1e6;
          this.on.zoom(at(u.select.left), at(u.select.left + u.select.width));
        }],
        setCursor: [u => { if (u === this.plots?.[0]) this.on.moment(u.cursor.left >= 0 ? u.posToVal(u.cursor.left, "x") * 1e6 : undefined); }],
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
    this.steps(u, top);
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

  // bands draws waits and disruptions below everything else, and above the first chart the names of the latter.
  bands(u, top) {
    const { ctx, bbox } = u, px = uPlot.pxRatio, right = bbox.left + bbox.width;
    const x = at => Math.min(right, Math.max(bbox.left, u.valToPos(at / 1e6, "x", true)));
    ctx.save();
    ctx.fillStyle = paint("--quiet");
    ctx.font = `600 ${11 * px}px system-ui, sans-serif`;
    ctx.textAlign = "left";
    ctx.textBaseline = "bottom";
    ctx.fillStyle = paint("--inconclusive");
    ctx.globalAlpha = 0.3;
    for (const [begin, end] of this.data.waits ?? []) ctx.fillRect(x(begin), bbox.top, Math.max(px, x(end) - x(begin)), bbox.height);
    ctx.globalAlpha = 1;
    ctx.fillStyle = paint("--quiet");
    for (const b of this.data.bands ?? []) {
      const from = top ? 43 * px : bbox.top;
      for (const [begin, end, alpha] of [[x(b.from), x(b.undone), 0.26], [x(b.undone), x(b.to), 0.1]]) {
        ctx.globalAlpha = alpha;
        if (end > begin) ctx.fillRect(begin, from, end - begin, bbox.top + bbox.height - from);
      }
      ctx.globalAlpha = 1;
      if (!top || x(b.to) <= bbox.left || x(b.from) >= right) continue;
      ctx.fillStyle = paint("--ink");
      ctx.fillText(b.name, Math.max(bbox.left, Math.min(x(b.from) + 3 * px, right - ctx.measureText(b.name).width)), from + 13 * px);
      ctx.fillStyle = paint("--quiet");
    }
    ctx.restore();
  }

  // steps draws a thin line for each, and above the first chart the names that fit.
  steps(u, top) {
    const { ctx, bbox } = u, px = uPlot.pxRatio, row = 14 * px, right = bbox.left + bbox.width;
    const above = (this.data.bands ? 57 : 43) * px, ends = new Array(stepRows).fill(-1e9);
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = paint("--link");
    ctx.font = `${11 * px}px system-ui, sans-serif`;
    ctx.textBaseline = "bottom";
    ctx.lineWidth = 0.8 * px;
    const shown = (this.data.steps ?? []).filter(step => step.at >= this.from && step.at <= this.to);
    for (const step of shown) {
      const x = u.valToPos(step.at / 1e6, "x", true);
      let from = bbox.top;
      if (top) {
        const name = step.name.length > 44 ? step.name.slice(0, 43) + "…" : step.name, long = ctx.measureText(name).width + 8 * px;
        const left = x + long > right, begin = left ? x - long : x, free = ends.findIndex(end => end <= begin);
        from = above + (stepRows - 0.7) * row;
        if (free >= 0) {
          ends[free] = begin + long;
          from = above + free * row;
          ctx.textAlign = left ? "right" : "left";
          ctx.fillText(name, x + (left ? -3 : 3) * px, from + 13 * px);
        }
      }
      ctx.globalAlpha = shown.length > manySteps ? 0.3 : 1;
      ctx.beginPath();
      ctx.moveTo(x, from);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.globalAlpha = 1;
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
    return this.plot("replies per second", 120, [x, ...stacked], series, { range: () => [0, most] },
      { top: 34 + (this.data.bands ? 14 : 0) + (this.data.steps ? stepRows * 14 : 0), axis: { space: 34 } });
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
    return this.plot("how long replies took: slowest, 99 %, half", 90, [this.edges(), ...all.map(level)], series,
      { distr: 3, range: () => [low, high] },
      { last: !this.data.pods.length && !this.data.nodes, axis: { splits: () => powers, filter: (u, splits) => splits, values: (u, splits) => splits.map(v => millis(v * 1e3)) } });
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
        ctx.fillStyle = paint("--raised");
        const high = y(1) - y(0) || bbox.height; // every second lane is shaded
        this.data.lanes.forEach((_, row) => { if (row % 2 === 0) ctx.fillRect(bbox.left, y(row) - high / 2, bbox.width, high); });
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

  // nodes has a row for each: not ready is thick, cordoned a line below, and what changed stands across.
  nodes(nodes) {
    const height = 16;
    return this.rows("nodes", nodes.map(node => node.name), height, {
      last: !this.data.pods.length,
      each: (ctx, x, y, px, bbox) => nodes.forEach((node, row) => {
        const bar = (color, [from, to], below, thick) => {
          ctx.fillStyle = paint(color);
          ctx.fillRect(x(from), y(row) + (below - thick / 2) * px, Math.max(px, x(to) - x(from)), thick * px);
        };
        bar("--quiet", [this.data.from, this.data.to], 0, 0.6);
        node.unready.forEach(span => bar("--fail", span, -1.5, 6));
        node.cordoned.forEach(span => bar("--inconclusive", span, 4, 3));
        ctx.fillStyle = paint("--ink");
        for (const change of node.changes) ctx.fillRect(x(change.at) - 0.75 * px, y(row) - height / 2 * px, 1.5 * px, height * px);
      }),
    });
  }

  // over lets the requests in a chart be found by the pointer.
  over(u) {
    const at = e => this.pointAt(e.offsetX, e.offsetY);
    u.over.addEventListener("mousemove", e => {
      this.near = at(e);
      this.board.classList.toggle("near", this.near >= 0);
      this.on.moment(u.posToVal(e.offsetX, "x") * 1e6);
    });
    u.over.addEventListener("mouseleave", () => { this.near = -1; this.board.classList.remove("near"); });
    u.over.addEventListener("click", e => { if (at(e) >= 0) this.on.pick(at(e)); });
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
}
