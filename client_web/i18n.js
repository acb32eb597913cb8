// Every text of the page where people talk.

import { inLanguages } from "./language.js";

const english = {
  headline: "Talk to it. Show it things.",
  promise:
    "It listens, looks and answers aloud. Sound and pictures go to the server that this page came from, and nowhere else.",
  start: "Start",
  stop: "Stop",
  details: "Details",

  conversation: "Conversation",
  you: "You",
  assistant: "Parley",
  goAhead: "Go ahead, ask something.",
  interrupted: "interrupted",
  forgotten: "A new conversation: what was said before is forgotten.",

  connecting: "Connecting",
  listening: "Listening",
  deaf: "Mic off",
  thinking: "Thinking",
  speaking: "Speaking",
  interrupt: "Interrupt",

  type: "Or type a message",
  send: "Send",
  mute: "Mute",
  unmute: "Unmute",
  noMicrophone: "No microphone",
  talk: "Hold to talk",
  talkHint: "Hold this button or the space bar while you speak",
  camera: "Camera",
  screen: "Screen",
  cameraOn: "Turn camera on",
  cameraOff: "Turn camera off",
  preview: "What you are showing",
  looked: "The picture that was looked at",
  voice: "Voice",
  devices: "Devices",
  microphone: "Microphone",
  standard: "Standard",
  numbered: "{kind} {number}",

  recorded: "Being recorded",
  seen: "What it saw",
  lastTurn: "Last turn",
  allTurns: "All turns",
  wordToSound: "from your last word to its first sound",
  noWait: "No wait to show: the question was typed, or its answer was never heard.",
  turnToCome: "After your first question, this shows where the time went.",
  overlap: "Pale bars ran beside the others and cost no extra time.",
  answeredBy: "Answered by",
  here: "{model}: {reason}",
  elsewhere: "{model}, not on this machine: {reason}",
  cost: "Cost",
  firstToken: "First token",
  perToken: "Each token after it",
  kept: "Prompt reused",
  keptOf: "{cached} of {prompt} tokens",
  sources: "From {where}",
  recalled_template: "A prepared answer: nothing had to be thought up.",
  recalled_exact: "Asked before: this is the answer that was kept.",
  recalled_similar: "Something alike was asked before: this is the answer that was kept.",
  milliseconds: "{ms} ms",
  line_pause: "Your pause",
  line_asr: "Hearing",
  line_queue: "Queue",
  line_vision: "Looking",
  line_prefill: "First token",
  line_first_phrase: "First phrase",
  line_tts: "Voice",
  line_end_of_turn: "End of turn",
  line_pacing: "Pacing",
  line_network_and_playout: "Network",

  degraded_ears: "Hearing gave less than usual",
  degraded_brain: "Thinking gave less than usual",
  degraded_voice: "The voice gave less than usual",
  degraded_eyes: "Looking gave less than usual",
  degraded: "Something gave less than usual",
  remark_acknowledged: "This answer takes a moment longer.",
  slow: "Answers are slower than they should be just now",

  dismiss: "Dismiss",
  problem_microphoneInsecure:
    "Browsers lend a microphone only to secure pages. Open {local} on the server itself, or have it started with “assistant serve --tls” and open its https address. Until then you can type.",
  problem_microphoneMissing: "No microphone was found. Plug one in, or type instead.",
  problem_microphoneDenied:
    "The browser may not use the microphone. Allow it beside the address bar, then press “No microphone” to try again. Until then you can type.",
  problem_microphoneBusy:
    "Another program holds the microphone. Close it, then press “No microphone” to try again. Until then you can type.",
  problem_microphoneGone:
    "The microphone is gone. Plug it in again or choose another one. Until then you can type.",
  problem_cameraInsecure:
    "Browsers lend a camera only to secure pages. Open {local} on the server itself, or use https.",
  problem_cameraMissing: "No camera was found. Plug one in and try again.",
  problem_cameraDenied:
    "The browser may not use the camera. Allow it beside the address bar, then turn the camera on again.",
  problem_cameraBusy: "Another program holds the camera. Close it, then turn the camera on again.",
  problem_cameraGone: "The camera is gone. Plug it in again or choose another one.",
  problem_screenInsecure:
    "Browsers share a screen only with secure pages. Open {local} on the server itself, or use https.",
  problem_screenMissing: "There is no screen or window that could be shared.",
  problem_screenDenied: "Nothing is being shared. Press “Screen” again and choose what to show.",
  problem_screenBusy:
    "The system does not let the browser see that window. Try again or choose another one.",
  problem_serverAway:
    "The server does not answer. See that it is running and that you are on its network. The page keeps trying.",
  problem_serverWarming:
    "The assistant is still waking up. The conversation starts by itself when it is ready.",
  problem_serverBusy:
    "The assistant is talking with as many people as it can. The page keeps trying; you can leave it open.",
  problem_serverRefused: "The server refused the call: {reason}",
  problem_keyNeeded:
    "This server lets in only those who have its code. Scan the QR code that it printed when it was started, or open {page}/#token=CODE with the code, its key, or a client secret.",
  problem_serverError: "The server reports a problem: {reason}",
  narrow:
    "Sound goes over a WebSocket instead, a little later than it could, and without pictures.",
  problem_noPath:
    "The server answered, but nothing got through to {tried} within a few seconds. A firewall may be blocking UDP between you and it.",
  problem_noSocket:
    "Neither UDP nor a WebSocket gets through to the server. A proxy or a firewall stands between; ask whoever runs it to let WebSockets pass.",
  problem_lineWeak: "The line is weak. Waiting for it to come back.",
  problem_lineLost:
    "The line to the assistant was lost. Calling it again; the conversation goes on then.",
  problem_noWebRtc:
    "This browser cannot make calls (WebRTC). Use a current Firefox, Chrome, Edge or Safari.",
  problem_unexpected: "Something went wrong in this page: {reason}",
};

/** @typedef {keyof typeof english} Text */

/** @type {Record<Text, string>} */
const chinese = {
  headline: "跟它说话，给它看东西。",
  promise: "它会听、会看，并开口回答。声音和画面只发送到提供本页面的服务器，不会去别处。",
  start: "开始",
  stop: "结束",
  details: "详情",

  conversation: "对话",
  you: "你",
  assistant: "Parley",
  goAhead: "请说吧。",
  interrupted: "已打断",
  forgotten: "这是新的对话：之前说过的内容已被忘记。",

  connecting: "连接中",
  listening: "聆听",
  deaf: "麦克风关",
  thinking: "思考",
  speaking: "说话",
  interrupt: "打断",

  type: "也可以打字",
  send: "发送",
  mute: "静音",
  unmute: "取消静音",
  noMicrophone: "无麦克风",
  talk: "按住说话",
  talkHint: "说话时按住此按钮或空格键",
  camera: "摄像头",
  screen: "屏幕",
  cameraOn: "打开摄像头",
  cameraOff: "关闭摄像头",
  preview: "你正在展示的画面",
  looked: "它看过的那一帧",
  voice: "声音",
  devices: "设备",
  microphone: "麦克风",
  standard: "默认",
  numbered: "{kind} {number}",

  recorded: "正在录制",
  seen: "它看到了",
  lastTurn: "上一轮",
  allTurns: "全部轮次",
  wordToSound: "从你说完到它出声",
  noWait: "没有等待时间可显示：问题是打字的，或回答没有播放出来。",
  turnToCome: "提出第一个问题后，这里会显示时间花在了哪里。",
  overlap: "浅色条与其他环节同时进行，不另占时间。",
  answeredBy: "回答者",
  here: "{model}：{reason}",
  elsewhere: "{model}（不在本机）：{reason}",
  cost: "费用",
  firstToken: "首个词元",
  perToken: "之后每个词元",
  kept: "提示词复用",
  keptOf: "{cached} / {prompt} 词元",
  sources: "来源：{where}",
  recalled_template: "这是预先写好的答案，没有经过思考。",
  recalled_exact: "这个问题以前有人问过，用的是当时的答案。",
  recalled_similar: "以前有人问过意思相同的问题，用的是当时的答案。",
  milliseconds: "{ms} 毫秒",
  line_pause: "你的停顿",
  line_asr: "听写",
  line_queue: "排队",
  line_vision: "观看",
  line_prefill: "首个词元",
  line_first_phrase: "首句",
  line_tts: "合成语音",
  line_end_of_turn: "判断说完",
  line_pacing: "排播",
  line_network_and_playout: "网络与播放",

  degraded_ears: "听写做了简化",
  degraded_brain: "思考做了简化",
  degraded_voice: "语音做了简化",
  degraded_eyes: "观看做了简化",
  degraded: "某个环节做了简化",
  remark_acknowledged: "这个回答要多等一会儿。",
  slow: "目前回答比平时慢",

  dismiss: "关闭提示",
  problem_microphoneInsecure:
    "浏览器只允许安全页面使用麦克风。请在服务器本机打开 {local}，或用 “assistant serve --tls” 启动服务器并打开其 https 地址。在此之前可以打字。",
  problem_microphoneMissing: "没有找到麦克风。请插上麦克风，或改用打字。",
  problem_microphoneDenied:
    "浏览器不允许使用麦克风。请在地址栏旁允许，然后点“无麦克风”重试。在此之前可以打字。",
  problem_microphoneBusy:
    "麦克风正被其他程序占用。请关闭该程序，然后点“无麦克风”重试。在此之前可以打字。",
  problem_microphoneGone: "麦克风已断开。请重新插上或选择另一个。在此之前可以打字。",
  problem_cameraInsecure:
    "浏览器只允许安全页面使用摄像头。请在服务器本机打开 {local}，或改用 https。",
  problem_cameraMissing: "没有找到摄像头。请插上后重试。",
  problem_cameraDenied: "浏览器不允许使用摄像头。请在地址栏旁允许，然后重新打开摄像头。",
  problem_cameraBusy: "摄像头正被其他程序占用。请关闭该程序，然后重新打开摄像头。",
  problem_cameraGone: "摄像头已断开。请重新插上或选择另一个。",
  problem_screenInsecure: "浏览器只向安全页面共享屏幕。请在服务器本机打开 {local}，或改用 https。",
  problem_screenMissing: "没有可以共享的屏幕或窗口。",
  problem_screenDenied: "没有共享任何画面。请再点“屏幕”并选择要展示的内容。",
  problem_screenBusy: "系统不允许浏览器查看该窗口。请重试，或选择其他窗口。",
  problem_serverAway: "服务器没有回应。请确认它正在运行，且你与它在同一网络。页面会继续尝试。",
  problem_serverWarming: "助手还在启动，就绪后对话会自动开始。",
  problem_serverBusy: "助手正在与其他人通话，暂时没有空位。页面会继续尝试，请不要关闭。",
  problem_serverRefused: "服务器拒绝了通话：{reason}",
  problem_keyNeeded:
    "此服务器只允许持有配对码的人使用。请扫描它启动时显示的二维码，或用配对码、密钥或客户端令牌打开 {page}/#token=配对码。",
  problem_serverError: "服务器报告了一个问题：{reason}",
  narrow: "声音改走 WebSocket，会稍慢一些，并且不能传送画面。",
  problem_noPath: "服务器有回应，但几秒内连不上 {tried}。可能有防火墙拦截了 UDP。",
  problem_noSocket:
    "UDP 和 WebSocket 都无法连到服务器。中间有代理或防火墙；请管理员放行 WebSocket。",
  problem_lineWeak: "线路不稳，正在等待恢复。",
  problem_lineLost: "与助手的连接已断开，正在重新连接；接通后对话会继续。",
  problem_noWebRtc: "此浏览器不支持通话（WebRTC）。请使用新版 Firefox、Chrome、Edge 或 Safari。",
  problem_unexpected: "页面出了问题：{reason}",
};

export const { say, sayIfKnown, translateDocument } = inLanguages(english, chinese);
