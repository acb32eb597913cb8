// The composition root: finds the controls and lets them act on the session.

import { Captions } from "./captions.js";
import { canShareScreen } from "./devices.js";
import { find } from "./dom.js";
import { Problem } from "./errors.js";
import { History } from "./history.js";
import { translateDocument } from "./i18n.js";
import { Notice } from "./notice.js";
import { Page } from "./page.js";
import { pushToTalk } from "./push-to-talk.js";
import { Session } from "./session.js";

/** @type {Session | null} */
let session = null;

translateDocument();
const views = {
  page: new Page(),
  captions: new Captions(find("captions", HTMLElement)),
  notice: new Notice(),
  history: new History(),
};
views.page.showState("idle");
// On a LAN address over plain http nobody would ever be heard.
if (!isSecureContext) views.notice.show(Problem.insecure("microphone"));

find("start", HTMLButtonElement).onclick = async () => {
  if (session) return session.stop();
  session = new Session(views);
  await session.run();
  session = null;
};

find("mute", HTMLButtonElement).onclick = () => session?.toggleMute();
find("camera", HTMLButtonElement).onclick = () => session?.toggleCamera();
const screenButton = find("screen", HTMLButtonElement);
screenButton.onclick = () => session?.toggleScreen();
screenButton.hidden = !canShareScreen;
find("interrupt", HTMLButtonElement).onclick = () => session?.interrupt();
pushToTalk(find("talk", HTMLButtonElement), (isPressed) => session?.talk(isPressed));

const message = find("message", HTMLInputElement);
find("composer", HTMLFormElement).onsubmit = (event) => {
  event.preventDefault();
  const text = message.value.trim();
  if (!text) return;
  session?.type(text);
  message.value = "";
};

for (const device of /** @type {const} */ (["microphone", "camera"])) {
  const choice = find(`${device}-choice`, HTMLSelectElement);
  choice.onchange = () => session?.equipment.choose(device, choice.value);
}
const voice = find("voice-choice", HTMLSelectElement);
voice.onchange = () => session?.voices.choose(voice.value);
navigator.mediaDevices?.addEventListener("devicechange", () => session?.equipment.list());

for (const button of document.querySelectorAll("button[data-format]")) {
  const format = /** @type {"markdown" | "json" | "srt"} */ (button.getAttribute("data-format"));
  button.addEventListener("click", () => tellProblem(views.history.download(format)));
}
// What is still said would be news to delete: the conversation ends first.
find("delete", HTMLButtonElement).onclick = () => {
  if (!views.history.isSure()) return;
  session?.stop();
  views.captions.clear();
  tellProblem(views.history.delete());
};

/** @param {Promise<void>} work */
function tellProblem(work) {
  work.catch((error) => views.notice.show(Problem.from(error)));
}

find("details", HTMLButtonElement).onclick = () => views.page.showDetails(!views.page.hasDetails);

// The server frees the conversation at once when the page goes.
addEventListener("pagehide", () => session?.stop());
