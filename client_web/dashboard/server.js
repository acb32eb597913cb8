// What the dashboard asks the server.

/**
 * This moment, as soon as it differs from what was seen; the same again after a second or so.
 * @param {number} seen a version
 * @param {AbortSignal} signal
 * @returns {Promise<import("./wire").Now>}
 */
export const fetchNow = (seen, signal) => ask(`../v1/assistant/now?seen=${seen}`, signal);

/**
 * The turns that are over.
 * @param {AbortSignal} signal
 * @returns {Promise<import("./wire").Report>}
 */
export const fetchReport = (signal) => ask("../v1/assistant/report", signal);

/**
 * @param {string} path
 * @param {AbortSignal} signal
 */
async function ask(path, signal) {
  const answer = await fetch(path, { cache: "no-store", signal });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return answer.json();
}
