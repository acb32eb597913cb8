// What /v1/assistant/now and /v1/assistant/report tell. Times in milliseconds where they say so.

import type { Line } from "../wire";

export type StepName = "capture" | "analyse" | "decide" | "respond";

/** This moment. */
export interface Now {
  version: number;
  /** Of the last turn that is over: another one means that there is another report. */
  last_turn: string | null;
  turn: LiveTurn | null;
  sessions: LiveSession[];
  vitals: Vitals;
}

/** The turn that is being taken, or was taken last. */
export interface LiveTurn {
  session_id: string;
  turn_id: string;
  /** Since it began; null when it has not. */
  elapsed_ms: number | null;
  /** Those that have begun. */
  steps: { step: StepName; start_ms: number; duration_ms: number | null }[];
  voice_to_voice_ms: number | null;
  is_speaking: boolean;
  is_over: boolean;
}

export interface LiveSession {
  session_id: string;
  age_s: number;
  n_turns: number;
  step: StepName | null;
  is_listening: boolean;
}

export interface Vitals {
  n_sessions: number;
  loop_lag_ms: number;
  memory_bytes: number;
  workers: {
    name: string;
    is_ready: boolean;
    n_jobs: number;
    restarts: number;
    memory_bytes: number;
  }[];
}

/** The turns that are over. */
export interface Report {
  promise_ms: number;
  stages: Stage[];
  quality: Quality;
  tokens: {
    prompt: number;
    cached: number;
    reply: number;
    drafted: number;
    accepted: number;
    /** Of remote brains; null where nothing was charged. */
    cost: number | null;
  };
  alerts: Alert[];
  /** The newest first. */
  turns: Turn[];
}

export interface Stage {
  stage: string;
  /** What it added to the wait. */
  added: Spread;
  /** When it was done, after the end of speech. */
  done: Spread;
  deadline_ms: number | null;
  n_late: number;
}

export interface Spread {
  n: number;
  p50_ms: number;
  p95_ms: number;
  p99_ms: number;
}

export interface Quality {
  turns: number;
  /** Turns in which somebody waited for sound. */
  waited: number;
  in_time: number;
  interruptions: number;
  apologies: number;
  repeats: number;
  fillers: number;
  degraded: number;
}

export interface Alert {
  stage: string;
  percentile: number;
  value_ms: number | null;
  limit_ms: number;
  n_turns: number;
}

export interface Turn {
  name: string;
  session_id: string;
  turn_id: string;
  /** Seconds since 1970. */
  ended_at: number;
  status: "completed" | "cancelled" | "failed";
  was_typed: boolean;
  was_interrupted: boolean;
  is_repeat: boolean;
  had_filler: boolean;
  speech_s: number;
  voice_to_voice_ms: number | null;
  lines: Line[];
  overruns: { stage: string; late_ms: number }[];
  degraded: { stage: string; reason: string; code: string }[];
  stats: Stats | null;
}

export interface Stats {
  prompt_tokens: number;
  cached_tokens: number;
  /** Of earlier messages, while somebody waited. */
  reread_tokens: number;
  sources: string[];
  recalled: "template" | "exact" | "similar" | null;
  reply_tokens: number;
  queue_ms: number;
  prefill_ms: number;
  ttft_ms: number;
  tpot_ms: number | null;
  drafted_tokens: number;
  accepted_tokens: number;
  cost: number | null;
  by: import("../wire").Answerer | null;
}
