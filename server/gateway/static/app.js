// What a page can do beyond its HTML: follow the jobs. Text from the server only ever becomes text nodes.
"use strict";

(() => {
  const kRefreshDelay = 500; // Milliseconds: many events at once make one request.
  const kProgressInterval = 5000; // Progress makes no events.
  const kStates = {
    JOB_STATE_QUEUED: { zh: "等待", en: "queued", className: "badge idle" },
    JOB_STATE_ASSIGNED: { zh: "已分配", en: "assigned", className: "badge busy" },
    JOB_STATE_RUNNING: { zh: "运行中", en: "running", className: "badge busy" },
  };

  function element(name, className, text) {
    const node = document.createElement(name);
    node.className = className;
    node.textContent = text;
    return node;
  }

  function jobItem(job) {
    const item = document.createElement("li");
    const link = element("a", "", job.displayName || job.name);
    link.href = "/" + job.name.split("/").map(encodeURIComponent).join("/") + location.search;
    const state = kStates[job.state];
    item.append(element("span", state.className, state[document.documentElement.lang] || state.en), link);
    if (job.progress) {
      const percent = Math.round(100 * (job.progress.fraction || 0)) + " %";
      item.append(element("span", "note-text", percent + " " + (job.progress.message || "")));
    }
    return item;
  }

  async function showJobs(list) {
    const query = Object.keys(kStates).map((state) => "states=" + state).join("&");
    const response = await fetch("/v1/jobs?pageSize=20&" + query);
    if (!response.ok) throw new Error("HTTP " + response.status);
    const jobs = ((await response.json()).jobs || []).filter((job) => job.state in kStates);
    list.replaceChildren(...jobs.map(jobItem));
    if (jobs.length === 0) list.append(element("li", "note-text", list.dataset.empty));
  }

  // Calls `refresh` for each burst of events about resources with this prefix.
  function follow(prefix, refresh) {
    let timer = null;
    const events = new EventSource("/v1/events:watch?resourcePrefix=" + encodeURIComponent(prefix));
    events.onmessage = () => {
      if (timer !== null) return;
      timer = setTimeout(() => {
        timer = null;
        refresh();
      }, kRefreshDelay);
    };
    addEventListener("pagehide", () => events.close());
  }

  const list = document.getElementById("running");
  if (list !== null) {
    const refresh = () => showJobs(list).catch((error) => console.warn("jobs not refreshed:", error));
    refresh();
    follow("jobs/", refresh);
    setInterval(() => {
      if (!document.hidden && list.querySelector(".busy") !== null) refresh();
    }, kProgressInterval);
  } else {
    const live = document.body.dataset.live;
    if (live) follow(live, () => location.reload());
  }
})();
