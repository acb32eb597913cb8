// What travels on the data channel: the OpenAI Realtime protocol, plus events of our own, whose
// names begin with "assistant.". Only the fields that the page reads are written down.

export type State = "listening" | "thinking" | "speaking";

export type ServerEvent = { event_id: string } & (
  | { type: "session.created"; session: SessionSettings }
  | { type: "session.updated"; session: SessionSettings }
  | { type: "error"; error: { message: string; code?: string } }
  | { type: "input_audio_buffer.speech_started" }
  | { type: "input_audio_buffer.speech_stopped" }
  | { type: "conversation.item.added"; item: Item }
  | { type: "conversation.item.deleted"; item_id: string }
  | { type: "conversation.item.input_audio_transcription.delta"; item_id: string; delta: string }
  | {
      type: "conversation.item.input_audio_transcription.completed";
      item_id: string;
      transcript: string;
    }
  | { type: "response.created" }
  | { type: "response.output_audio_transcript.delta"; item_id: string; delta: string }
  | { type: "response.output_audio_transcript.done"; item_id: string; transcript: string }
  | { type: "response.output_text.delta"; item_id: string; delta: string }
  | { type: "response.output_text.done"; item_id: string; text: string }
  | { type: "response.output_audio.delta"; delta: string }
  | { type: "response.done"; response: { status: "completed" | "cancelled" | "failed" } }
  | { type: "output_audio_buffer.started" }
  | { type: "output_audio_buffer.stopped" }
  | { type: "output_audio_buffer.cleared" }
  | { type: "assistant.state"; state: State }
  | { type: "assistant.voices"; voices: Voice[] }
  | PartialTranscript
  | Timeline
  | Scene
  | Degraded
  | { type: "assistant.working"; doing: string }
  | Alert
  | Recording
  | MemoryTold
  | Resume
  | Pong
);

export type ClientEvent =
  | { type: "session.update"; session: { type: "realtime" } & SessionSettings }
  | { type: "conversation.item.create"; item: Item }
  | { type: "response.create" }
  | { type: "response.cancel" }
  | { type: "output_audio_buffer.clear" }
  | { type: "input_audio_buffer.append"; audio: string }
  | { type: "assistant.mute"; muted: boolean }
  | { type: "assistant.push_to_talk"; pressed: boolean }
  | { type: "assistant.remember"; person: string }
  | Ping
  | Playout;

export interface SessionSettings {
  audio: { output: { voice: string } };
}

/** Who can speak on the server's machine. */
export interface Voice {
  id: string;
  /** In English. */
  summary: string;
  /** Codes such as "en". */
  languages: string[];
}

export interface Item {
  id: string;
  type: "message";
  role: "user" | "assistant" | "system";
  content?: { type: string; text?: string }[];
}

/** What somebody is saying, while they say it. `committed` only grows; `tentative` may change. */
export interface PartialTranscript {
  type: "assistant.partial";
  item_id: string;
  committed: string;
  tentative: string;
}

/** Where the time of one turn went. Times count from the user's last voiced sample. */
export interface Timeline {
  type: "assistant.timeline";
  turn_id: string;
  voice_to_voice_ms: number | null;
  lines: Line[];
  stats: Stats | null;
}

/** What the brain counted. */
export interface Stats {
  ttft_ms: number;
  /** null with fewer than two tokens. */
  tpot_ms: number | null;
  prompt_tokens: number;
  /** Prompt tokens that were not read again. */
  cached_tokens: number;
  /** Where in the documents the brain was shown something. */
  sources: string[];
  /** How an answer was found that no brain wrote this time. */
  recalled: "template" | "exact" | "similar" | null;
  /** What it cost, where a brain elsewhere charges for it. */
  cost: number | null;
  /** null where there is only one brain. */
  by: Answerer | null;
}

/** Which of several brains answered, and why that one. */
export interface Answerer {
  model: string;
  is_remote: boolean;
  /** A code. */
  reason: string;
}

export interface Line {
  name: string;
  start_ms: number;
  duration_ms: number;
  /** Others were waited for meanwhile: the lines that are not overlapped add up to the whole. */
  overlapped: boolean;
}

/** The server looked at a frame. */
export interface Scene {
  type: "assistant.scene";
  /** What it saw. */
  facts: string[];
  /** The frame, as the address of a small JPEG. */
  picture: string;
}

/** A stage gave less than usual, and why. */
export interface Degraded {
  type: "assistant.degraded";
  stage: string;
  /** Which way of giving less; it stays the same when the reason is worded anew. */
  code: string;
  /** In English, for whoever runs the server. */
  reason: string;
}

/** What is said and shown is kept on the server's disk, or is so no more. */
export interface Recording {
  type: "assistant.recording";
  is_on: boolean;
}

/** A percentile of everybody's last turns went over its limit, or came back. */
export interface Alert {
  type: "assistant.alert";
  stage: string;
  percentile: number;
  is_over: boolean;
  /** null with too few turns to say. */
  value_ms: number | null;
  limit_ms: number;
  n_turns: number;
}

/** Times are milliseconds, each on its sender's own clock. */
export interface Ping {
  type: "assistant.ping";
  sent_at_ms: number;
}

/** What becomes of the words that are said. */
export interface MemoryTold {
  type: "assistant.memory";
  /** "off": forgotten soon after the end. */
  keep: "off" | "plain" | "encrypted";
  expires_after_days: number;
  /** When we were here last, since 1970; null where nothing is known of that. */
  earlier_at_s: number | null;
}

/** Whose line is lost may call again with this, and the conversation goes on. */
export interface Resume {
  type: "assistant.resume";
  token: string;
  /** The last of our events that came through; null for none. */
  last_event_id: string | null;
}

export interface Pong {
  type: "assistant.pong";
  sent_at_ms: number;
  server_at_ms: number;
}

/** The answer became audible here. */
export interface Playout {
  type: "assistant.playout";
  /** On the page's clock. */
  heard_at_ms: number;
  /** Add this to get the server's clock; null until a pong has come. */
  clock_offset_ms: number | null;
  /** From the microphone to the server; null where it is not known. */
  uplink_ms: number | null;
}
