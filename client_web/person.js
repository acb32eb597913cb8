// As whom the server knows us again: a number that nobody can guess, kept in this browser.

const KEPT = "parley.person";

/** Made where there is none yet. */
export function person() {
  const known = localStorage.getItem(KEPT);
  if (known) return known;
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const made = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  localStorage.setItem(KEPT, made);
  return made;
}

/** The next time we are somebody else. */
export function becomeAnother() {
  localStorage.removeItem(KEPT);
}
