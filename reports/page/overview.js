// An Overview is the strip above the charts of a long recording: it has the part of it that the charts show. A click opens a minute, a drag
// what it spans; so do keys. Times are microseconds.
class Overview {
  constructor(strip, data, open) {
    Object.assign(this, { strip, data, open, from: data.from, to: data.to });
    set(strip, { tabindex: 0, role: "slider", "aria-label": "Overview of the whole run. Left and right go through it, Enter opens a minute, plus and minus open less and more of it, down and up the next and the previous minute in which requests failed, Escape the whole run.",
      "aria-valuemin": data.from / 1e6, "aria-valuemax": data.to / 1e6 });
    const on = (name, act) => strip.addEventListener(name, act);
    on("pointerdown", e => {
      if (e.button) return;
      strip.setPointerCapture(e.pointerId);
      this.drag = [this.at(e), this.at(e)];
    });
    on("pointermove", e => { if (this.drag) { this.drag[1] = this.at(e); this.draw(...this.drag); } });
    on("pointerup", () => {
      if (!this.drag) return;
      const [from, to] = this.drag.sort((a, b) => a - b);
      this.drag = undefined;
      this.show(...this.span(from, to), true);
    });
    on("pointercancel", () => { this.drag = undefined; this.draw(this.from, this.to); });
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
    set(this.strip, { "aria-valuenow": (from + to) / 2e6, "aria-valuetext": `${clock(from)} to ${clock(to)}` });
    this.draw(from, to);
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

  // at is the moment under the pointer.
  at(e) {
    const { from, to } = this.data, { left, width } = this.strip.getBoundingClientRect();
    return Math.min(to, Math.max(from, from + (to - from) * (e.clientX - left) / width));
  }

  // draw frames a part of the strip, and dims what is before and after it.
  draw(...part) {
    const { data, strip } = this, [before, after] = strip.querySelectorAll(".dim");
    const [from, to] = part.sort((a, b) => a - b).map(at => 100 * (at - data.from) / (data.to - data.from));
    const place = (box, from, to) => set(box, { x: from + "%", width: to - from + "%" });
    place(before, 0, from);
    place(after, to, 100);
    place(strip.querySelector(".shown"), from, to);
  }
}
