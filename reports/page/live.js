const over = document.getElementById("over");
const look = async () => {
  if (!document.hidden) try {
    const reply = await fetch(location.pathname, { cache: "no-store" });
    if (!reply.ok) throw reply.status;
    const page = new DOMParser().parseFromString(await reply.text(), "text/html");
    document.title = page.title;
    for (const part of page.querySelectorAll("main > section")) {
      const shown = document.getElementById(part.id);
      if (shown.outerHTML !== part.outerHTML) shown.replaceWith(part);
    }
    over.hidden = true;
  } catch {
    over.hidden = false;
  }
  setTimeout(look, 1000);
};
setTimeout(look, 1000);
