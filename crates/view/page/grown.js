// The page of a run that goes on: it is asked for again and again, and its film taken out.

import { decoded, opened } from "./film.js";
import { recorded } from "./history.js";

/** Milliseconds between two questions at least, and how many times as long as an answer took. */
const [PAUSE, LONGER] = [500, 4];

/**
 * The film with what came since, until the run has ended.
 * @param {import("./film.js").Film} film
 */
export async function* grown(film) {
  let [last, tag, pause] = [film, "", PAUSE];
  while (last.header.growing) {
    await new Promise((resume) => setTimeout(resume, pause));
    const began = performance.now();
    const answer = await fetch(location.href, { headers: { "If-None-Match": tag } }).catch(() => undefined);
    // Who showed the run has ended.
    if (!answer) return;
    if (answer.status !== 200) continue;
    tag = answer.headers.get("ETag") ?? "";
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = await opened(page);
    // Another run is in the folder now.
    if (next.triangles.length !== film.triangles.length || next.vertices !== film.vertices) return location.reload();
    const history = await recorded(next.header.history, page);
    await decoded(next, page, () => {});
    last = next;
    pause = Math.max(PAUSE, LONGER * (performance.now() - began));
    yield { film: next, history };
  }
}
