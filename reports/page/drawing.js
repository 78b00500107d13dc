const seconds = micros => (micros / 1e6).toFixed(3) + " s";
const millis = micros => micros < 1e6 ? +(micros / 1e3).toPrecision(3) + " ms" : (micros / 1e6).toPrecision(3) + " s";
// clock is a time of a recording that lasts minutes or hours.
const clock = micros => {
  const all = Math.round(micros / 1e3), two = n => String(n).padStart(2, "0"), rest = all % 1000;
  return `${Math.floor(all / 3.6e6)}:${two(Math.floor(all / 6e4) % 60)}:${two(Math.floor(all / 1e3) % 60)}` + (rest ? "." + String(rest).padStart(3, "0") : "");
};
const make = (tag, name, text) => {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined) element.textContent = text;
  return element;
};
const set = (element, values) => Object.entries(values).forEach(([name, value]) => element.setAttribute(name, value));

// A Drawing shows a part of the time of an SVG. What lies over time is stretched by the viewBox of its layers; labels, times and requests
// keep their size and are moved. Times are microseconds, places pixels from where the time axis begins.
class Drawing {
  constructor(svg, data) {
    const { x, width, height } = svg.viewBox.baseVal, over = svg.querySelector(".over"), plot = over.width.baseVal.value;
    Object.assign(this, { svg, data, over, height, from: data.from, to: data.to, long: data.to - data.from >= 300e6 });
    this.drawn = { width, gutter: -x, plot, margin: width + x - plot };
    this.titles = svg.querySelectorAll(".title");
    this.labels = [...svg.querySelectorAll("[data-at]")].map(element => {
      const { at, until, zoom } = element.dataset, moment = ms => data.from + ms * 1e3;
      return { element, at: moment(at), until: moment(until ?? at), zoom: +(zoom ?? 0), band: until !== undefined,
        end: element.hasAttribute("text-anchor"), y: element.getAttribute("y"), long: element.textContent.length * tables.letter + 8 };
    });
    this.times = svg.querySelector(".times");
    this.ticks = svg.querySelector(".ticks");
    this.below = this.ticks.firstElementChild.getAttribute("y");
    const lanes = svg.querySelector(".requests");
    this.lane = { top: +lanes.dataset.top, tall: +lanes.dataset.tall };
    this.kinds = data.kinds.map(kind => ({ ...tables.requests[kind], path: lanes.querySelector("." + kind) }));
    this.again = { ...tables.requests.again, path: lanes.querySelector(".again") };
  }

  // resize makes the drawing so many pixels wide.
  resize(width) {
    this.gutter = Math.min(this.drawn.gutter, width / 4);
    this.plot = width - this.gutter - this.drawn.margin;
    set(this.svg, { viewBox: [-this.gutter, 0, width, this.height].join(" ") });
    set(this.over, { width: this.plot });
    this.titles.forEach(title => set(title, { x: -this.gutter }));
    this.show(this.from, this.to);
  }

  // show stretches a part of the time over the axis.
  show(from, to) {
    Object.assign(this, { from, to });
    if (!this.plot) return;
    const { x, y, height } = this.over.viewBox.baseVal;
    set(this.over, { viewBox: [(from - this.data.from) / 1e3, y, (to - from) / 1e3, height].join(" ") });
    this.moveLabels();
    this.moveTimes();
    this.moveRequests();
  }

  x(at) { return this.plot * (at - this.from) / (this.to - this.from); }

  at(x) { return this.from + (this.to - this.from) * x / this.plot; }

  // moveLabels shows the labels that there is room for. One at the edge stands on the other side of its moment.
  moveLabels() {
    const { from, to, data, drawn } = this, zoom = this.plot / drawn.plot * (data.to - data.from) / (to - from), ends = {};
    for (const { element, at, until, zoom: least, band, end, long, y } of this.labels) {
      const x = this.x(at), left = !band && (end ? x - long >= -this.gutter : x + long > this.plot + drawn.margin);
      const begin = band ? Math.max(0, Math.min(x, this.plot - long)) : left ? x - long : x;
      const shown = until >= from && at <= to && zoom >= least && begin >= (ends[y] ?? -Infinity);
      if (shown) ends[y] = begin + long;
      set(element, { visibility: shown ? "visible" : "hidden", x: left ? x - 3 : begin + 3, "text-anchor": left ? "end" : "start" });
    }
  }

  // moveTimes chooses the times below the charts, each with its line.
  moveTimes() {
    const { from, to, data, plot, drawn } = this, all = [], lines = [];
    const step = (tables.tickSteps.find(s => plot * s * 1e6 / (to - from) >= tables.tickWidth) ?? tables.tickSteps.at(-1)) * 1e6;
    for (let n = Math.ceil(from / step); n * step <= to; n++) {
      const at = Math.round(n * step), text = document.createElementNS(this.svg.namespaceURI, "text");
      text.textContent = this.long ? clock(at) : +(at / 1e6).toFixed(3) + " s";
      set(text, { x: Math.min(this.x(at), plot + drawn.margin - text.textContent.length * tables.letter / 2), y: this.below });
      all.push(text);
      lines.push(`M${(at - data.from) / 1e3} 0V${this.over.viewBox.baseVal.height}`);
    }
    this.ticks.replaceChildren(...all);
    set(this.times, { d: lines.join("") });
  }

  // moveRequests draws the requests again, each as its symbol, in one path for each kind. Thousands are stamped on a canvas, which a
  // browser paints sooner than such a path (make bench).
  moveRequests() {
    const p = this.data.points, drawn = new Set(), kinds = [...this.kinds, this.again], places = kinds.map(() => []);
    const put = (i, kind) => {
      const x = Math.round(this.x(p.at[i])), place = (x * this.data.lanes.length + p.lane[i]) * kinds.length + kind;
      if (drawn.has(place)) return; // two at one place look like one
      drawn.add(place);
      places[kind].push([x, this.y(i)]);
    };
    for (let i = this.first(this.from); i < p.at.length && p.at[i] <= this.to; i++) {
      if (p.lane[i] < 0 || p.kind[i] < 0) continue;
      put(i, p.kind[i]);
      if (this.sentAgain(i)) put(i, kinds.length - 1);
    }
    const dense = drawn.size > 2000;
    kinds.forEach(({ path, symbol }, kind) =>
      path && set(path, { d: dense ? "" : places[kind].map(([x, y]) => `M${x} ${y}${symbol}`).join("") }));
    this.stamp(dense ? kinds.map((kind, n) => ({ ...kind, places: places[n] })) : []);
  }

  // stamp draws many requests on a canvas over the lanes; without any there is none.
  stamp(kinds) {
    this.canvas?.remove();
    if (!kinds.length) return;
    const scale = devicePixelRatio, size = 16 * scale, { plot, lane, data } = this, tall = lane.tall * data.lanes.length;
    this.canvas = document.createElementNS(this.svg.namespaceURI, "foreignObject");
    set(this.canvas, { x: 0, y: lane.top, width: plot, height: tall, "pointer-events": "none" });
    const board = this.canvas.appendChild(make("canvas")), over = board.getContext("2d");
    Object.assign(board, { width: plot * scale, height: tall * scale });
    Object.assign(board.style, { width: plot + "px", height: tall + "px" });
    for (const { path, symbol, places } of kinds.filter(kind => kind.path && kind.places.length)) {
      const stamp = Object.assign(make("canvas"), { width: size, height: size }), one = stamp.getContext("2d"), style = getComputedStyle(path);
      Object.assign(one, { strokeStyle: style.stroke, lineWidth: parseFloat(style.strokeWidth) });
      one.setTransform(scale, 0, 0, scale, size / 2, size / 2);
      const shape = new Path2D("M0 0" + symbol);
      if (style.fill !== "none") Object.assign(one, { fillStyle: style.fill }).fill(shape);
      one.stroke(shape);
      for (const [x, y] of places) over.drawImage(stamp, x * scale - size / 2, (y - lane.top) * scale - size / 2);
    }
    this.kinds.find(kind => kind.path)?.path.after(this.canvas);
  }

  // y is where a request is drawn.
  y(i) {
    const p = this.data.points;
    return this.lane.top + (p.lane[i] + 0.5) * this.lane.tall + this.kinds[p.kind[i]].below;
  }

  sentAgain(i) { const p = this.data.points; return p.attempts[i] > 1 || p.arrivals[i] > 1; }

  // near is the number of the request at a place; -1 if there is none.
  near(x, y) {
    const p = this.data.points, reach = 9;
    let best = -1, least = reach * reach + 1;
    for (let i = this.first(this.at(x - reach)); i < p.at.length && p.at[i] <= this.at(x + reach); i++) {
      if (p.lane[i] < 0 || p.kind[i] < 0) continue;
      const dx = this.x(p.at[i]) - x, dy = this.y(i) - y, far = dx * dx + dy * dy;
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
