// What lets us in where the server asks for it: the end of the page's address, #token=…

const KEPT = "token";

const token = take();

/** Headers that show the token; none where there is none. @returns {Record<string, string>} */
export function credentials() {
  return token ? { Authorization: `Bearer ${token}` } : {};
}

/** The same where no headers can be sent. */
export function subprotocols() {
  return token ? ["realtime", `openai-insecure-api-key.${token}`] : ["realtime"];
}

/** Out of the address, where somebody could read it, and kept until the tab is closed. */
function take() {
  const brought = new URLSearchParams(location.hash.slice(1)).get(KEPT);
  if (brought) {
    sessionStorage.setItem(KEPT, brought);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(KEPT);
}
