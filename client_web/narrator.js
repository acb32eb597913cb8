// Shows what the server tells of the conversation.

import { Problem } from "./errors.js";
import { say } from "./i18n.js";
import { refusal } from "./reasons.js";

export class Narrator {
  /** The item of the answer that is being given, once it has words. @type {string | null} */
  #answerId = null;
  #views;

  /** @param {import("./session.js").Views} views */
  constructor(views) {
    this.#views = views;
  }

  /** @param {import("./wire").ServerEvent} event of a type that we do not know: nothing happens */
  tell(event) {
    const { page, captions, notice, history } = this.#views;
    switch (event.type) {
      case "error":
        return notice.show(new Problem("serverError", { reason: refusal(event.error) }));
      case "input_audio_buffer.speech_started":
        return page.showHearing(true);
      case "input_audio_buffer.speech_stopped":
        return page.showHearing(false);
      case "conversation.item.added":
        if (event.item.role !== "system") captions.row(event.item.id, event.item.role);
        return;
      case "conversation.item.deleted":
        return captions.remove(event.item_id);
      case "conversation.item.input_audio_transcription.delta":
        return captions.row(event.item_id, "user").append(event.delta);
      case "assistant.partial":
        return captions.row(event.item_id, "user").revise(event.committed, event.tentative);
      case "conversation.item.input_audio_transcription.completed":
        return captions.row(event.item_id, "user").finish(event.transcript);
      case "response.created":
        this.#answerId = null;
        return;
      case "response.output_audio_transcript.delta":
      case "response.output_text.delta":
        this.#answerId = event.item_id;
        return captions.row(event.item_id, "assistant").append(event.delta);
      case "response.output_audio_transcript.done":
        return captions.row(event.item_id, "assistant").finish(event.transcript);
      case "response.output_text.done":
        return captions.row(event.item_id, "assistant").finish(event.text);
      case "response.done":
        return event.response.status === "cancelled" ? this.#markInterrupted() : undefined;
      case "output_audio_buffer.cleared":
        return this.#markInterrupted();
      case "assistant.state":
        return page.showState(event.state);
      case "assistant.timeline":
        if (event.stats?.sources.length && this.#answerId)
          captions.row(this.#answerId, "assistant").cite(event.stats.sources);
        return page.showTimeline(event);
      case "assistant.scene":
        return page.showScene(event);
      case "assistant.working":
        return captions.work(event.doing);
      case "assistant.degraded":
        return captions.remark(event);
      case "assistant.memory": {
        history.show(event);
        const continuation = history.continuation(event);
        return continuation ? captions.mention(continuation) : undefined;
      }
      case "assistant.recording":
        return page.showRecording(event.is_on);
      case "assistant.alert":
        return event.is_over ? captions.note(say("slow")) : undefined;
    }
  }

  #markInterrupted() {
    if (this.#answerId) this.#views.captions.row(this.#answerId, "assistant").interrupt();
  }
}
