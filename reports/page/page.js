const live = new WeakMap();
const timelineOf = figure => {
  if (!live.has(figure) && figure.clientWidth) live.set(figure, new Timeline(figure));
  return live.get(figure);
};
const watcher = new IntersectionObserver(entries => entries.forEach(e => e.isIntersecting && timelineOf(e.target)), { rootMargin: "300px" });
document.querySelectorAll(".timeline").forEach(figure => watcher.observe(figure));

document.addEventListener("click", e => {
  const outage = e.target.closest(".outages a[data-from]"), of = outage?.closest("article").querySelector(".timeline"), timeline = of && timelineOf(of);
  if (!timeline) return;
  e.preventDefault();
  const from = outage.dataset.from * 1e3, length = outage.dataset.ms * 1e3, margin = Math.max(2e6, length / 4);
  timeline.zoom(from - margin, from + length + margin);
  of.scrollIntoView({ block: "start" });
});

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
