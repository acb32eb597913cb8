// Why something was given in a lesser form or not at all, by the server's code, in the reader's
// language.

import { inLanguages } from "./language.js";

const english = {
  small_picture: "the picture is looked at in less detail",
  picture_wait: "the picture is waited for less long",
  kept_picture: "what the camera showed before is used again",
  no_picture: "answers do without the camera",
  picture_late: "the picture came too late",
  half_history: "less of the earlier conversation is kept in mind",
  short_history: "only the last turns are kept in mind",
  no_draft: "drafting is off",
  short_first_phrase: "the first words come in a shorter phrase",
  short_answers: "answers are shorter",
  smaller_brain: "a smaller brain answers",
  near_answers: "answers to much the same questions are given again",
  kept_answer: "an answer that was kept stood in",
  cut_short: "the answer was cut short",
  acknowledged: "the answer takes a moment",
  fast_voice: "a plainer, faster voice speaks",
  text_only: "answers are shown and not spoken",
  impatient_ears: "the end of what is said is waited for less long",
  partial_words: "the last words were not waited for",
  silent: "said nothing for too long",
  other_brain: "another brain answered",
  died: "the engine died",
  away: "the engine was being restarted",
  too_long: "the conversation had outgrown the memory",
  plain_voice: "no natural voice for this language is installed, so a plainer one speaks",
  error: "something failed; the server’s log says what",
};

/** @type {Record<keyof typeof english, string>} */
const chinese = {
  small_picture: "画面看得粗略一些",
  picture_wait: "等画面的时间缩短",
  kept_picture: "沿用先前看到的画面",
  no_picture: "回答不再看摄像头",
  picture_late: "画面来得太晚",
  half_history: "少记一些先前的对话",
  short_history: "只记最近几轮",
  no_draft: "不再猜词",
  short_first_phrase: "首句更短",
  short_answers: "回答更短",
  smaller_brain: "由较小的模型回答",
  near_answers: "相近的问题沿用先前的回答",
  kept_answer: "用保存的回答代替",
  cut_short: "回答提前结束",
  acknowledged: "答案还要等一会儿",
  fast_voice: "改用较快、较生硬的声音",
  text_only: "只显示文字，不出声",
  impatient_ears: "等最后几个字的时间缩短",
  partial_words: "没有等最后几个字",
  silent: "太久没有动静",
  other_brain: "由另一个模型回答",
  died: "引擎崩溃",
  away: "引擎正在重启",
  too_long: "对话超出了记忆容量",
  plain_voice: "没有安装这种语言的自然语音，改用较生硬的声音",
  error: "出了故障，详见服务器日志",
};

const { say, sayIfKnown } = inLanguages(english, chinese);

/** @param {string} code */
export const explain = (code) => sayIfKnown(code) ?? say("error");

const englishRefusals = {
  rate_limit_exceeded: "too much was asked for at once; wait a minute and try again",
  too_fast: "too much was asked for at once",
  message_too_large: "that was too long",
  unknown_call: "that conversation is over",
  invalid_image: "that picture cannot be read",
  not_deleted: "it could not be deleted; the server’s log says why",
  not_ready: "the models are still being loaded",
  origin: "this page may not use the assistant",
  host: "it goes by another name; see server.allowed_hosts",
  not_found: "it is of another version than this page",
};

/** @type {Record<keyof typeof englishRefusals, string>} */
const chineseRefusals = {
  rate_limit_exceeded: "一下子请求太多，请过一分钟再试",
  too_fast: "一下子请求太多",
  message_too_large: "内容太长",
  unknown_call: "那次对话已经结束",
  invalid_image: "无法读取这张图片",
  not_deleted: "未能删除，原因见服务器日志",
  not_ready: "模型还在加载",
  origin: "此页面不能使用助手",
  host: "服务器用的是别的名称，见 server.allowed_hosts",
  not_found: "服务器与本页面的版本不同",
};

const refusals = inLanguages(englishRefusals, chineseRefusals);

/**
 * Why the server did not do something. What only a program can do wrong is told as it says it.
 * @param {{ code?: string | null, message: string }} error
 */
export const refusal = ({ code, message }) => refusals.sayIfKnown(code ?? "") ?? message;
