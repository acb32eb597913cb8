// Every text of the planner.

import { inLanguages } from "../language.js";

const english = {
  title: "Parley · Planner",
  planner: "Planner",
  talk: "Talk to it",
  needsJavaScript: "This page needs JavaScript.",
  drafting: "What a draft brings",
  draftingHint:
    "A small model guesses the next tokens, the brain checks them all at once. Costs are in tokens of the brain: 0.1 is a draft ten times as fast. Checking one more guess costs next to nothing on a GPU, and much on a CPU.",
  acceptance: "Guesses that are right",
  draftCost: "Cost of a guess",
  checkCost: "Cost of checking one more",
  best: "{length} {length:guess|guesses} a step are best: {tokens} tokens a step, {speed} times as fast.",
  none: "Drafting does not pay: plain decoding is fastest.",
  lengthSays: "{length} {length:guess|guesses} a step: {speed} times as fast",
  crowd: "How many boxes",
  crowdHint:
    "How many callers a box bears is measured by “assistant load --ramp”, and worked out for other machines by “assistant plan crowd”.",
  people: "People who may call",
  talking: "Of them talking at the busiest time, in %",
  callersABox: "Callers that a box bears",
  price: "Price of a box, an hour",
  callers: "Callers at the busiest time",
  boxes: "Boxes",
  anHour: "Price, an hour",
  aMonth: "Price, 30 days",
  unclear: "Please fill in all four.",
};

/** @type {Record<keyof typeof english, string>} */
const chinese = {
  title: "Parley · 规划",
  planner: "规划",
  talk: "去对话",
  needsJavaScript: "此页面需要 JavaScript。",
  drafting: "草稿模型能带来什么",
  draftingHint:
    "小模型先猜接下来的词元，主模型一次核对全部。成本以主模型的一个词元为单位：0.1 表示草稿快十倍。多核对一个猜测，在 GPU 上几乎不花时间，在 CPU 上则不少。",
  acceptance: "猜对的比例",
  draftCost: "猜一个的成本",
  checkCost: "多核对一个的成本",
  best: "每步猜 {length} 个最好：每步 {tokens} 个词元，速度是原来的 {speed} 倍。",
  none: "草稿不划算：直接解码最快。",
  lengthSays: "每步猜 {length} 个：速度是原来的 {speed} 倍",
  crowd: "需要多少台机器",
  crowdHint:
    "一台机器能承受多少人，由“assistant load --ramp”测量；换别的机器，由“assistant plan crowd”推算。",
  people: "可能来电的人数",
  talking: "最忙时同时通话的比例（%）",
  callersABox: "一台机器能承受的通话数",
  price: "一台机器每小时的价格",
  callers: "最忙时的通话数",
  boxes: "机器数",
  anHour: "每小时价格",
  aMonth: "30 天价格",
  unclear: "请填写全部四项。",
};

export const { say, translateDocument } = inLanguages(english, chinese);
