// A voice agent of somebody else's making, on a line of JSON for each order and each event.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { RealtimeAgent, RealtimeSession, OpenAIRealtimeWebSocket, tool } from "@openai/agents/realtime";
import { z } from "zod";

const BYTES_A_MS = 48;
const CHUNK_MS = 40;

const tell = (kind, told = {}) => console.log(JSON.stringify({ kind, ...told }));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const setLight = tool({
  name: "set_light",
  description: "Turn the light in a room on or off.",
  parameters: z.object({ room: z.string(), on: z.boolean() }),
  execute: async ({ room, on }) => `The light in the ${room} is now ${on ? "on" : "off"}.`,
});

const [url, key, tools] = process.argv.slice(2);
const agent = new RealtimeAgent({
  name: "tester",
  instructions: "You are a friendly voice assistant. Answer in one short spoken sentence.",
  tools: tools === "tools" ? [setLight] : [],
});
const session = new RealtimeSession(agent, {
  transport: new OpenAIRealtimeWebSocket({ url }),
  tracingDisabled: true,
});

session.on("audio", ({ data }) => tell("audio", { bytes: data.byteLength }));
session.on("audio_interrupted", () => tell("audio_interrupted"));
session.on("history_updated", (history) => tell("history", { history }));
session.on("agent_tool_end", (context, agent, tool, result) => tell("tool", { result }));
session.on("error", (error) => tell("mistake", { error }));
session.transport.on("*", (event) => {
  if (event.type !== "response.output_audio.delta") tell("event", { event });
});

/** In real time, as a microphone would, and then two seconds of silence. */
async function say(file) {
  const sound = Buffer.concat([readFileSync(file), Buffer.alloc(2_000 * BYTES_A_MS)]);
  const startedAt = Date.now();
  for (let at = 0; at < sound.length; at += CHUNK_MS * BYTES_A_MS) {
    const chunk = sound.subarray(at, at + CHUNK_MS * BYTES_A_MS);
    session.sendAudio(chunk.buffer.slice(chunk.byteOffset, chunk.byteOffset + chunk.length));
    await pause(startedAt + at / BYTES_A_MS - Date.now());
  }
  tell("said");
}

const orders = {
  say: ({ file }) => say(file),
  message: ({ message }) => session.sendMessage(message),
  image: ({ image }) => session.addImage(image, { triggerResponse: false }),
  interrupt: () => session.interrupt(),
};

await session.connect({ apiKey: key });
tell("connected");
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  void orders[order.do](order);
}
session.close();
