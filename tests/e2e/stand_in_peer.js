// In place of the browser's peer connection: the test is the other end.
// `say(event)` tells the page something; `sent` holds what the page said; `tracks` what it opened;
// `senders` what it sends, by kind.
window.sent = [];
window.tracks = [];
window.senders = {};
window.soundReport = { type: "outbound-rtp" }; // what the other end reports of our sound
window.isDead = false; // or true: nothing comes back any more
window.refuseDevices = null; // or the name of the DOMException that getUserMedia throws

const openDevice = MediaDevices.prototype.getUserMedia;
MediaDevices.prototype.getUserMedia = async function (wanted) {
  if (window.refuseDevices) throw new DOMException("refused", window.refuseDevices);
  const stream = await openDevice.call(this, wanted);
  window.tracks.push(...stream.getTracks());
  return stream;
};

MediaDevices.prototype.getDisplayMedia = async function () {
  if (window.refuseDevices) throw new DOMException("refused", window.refuseDevices);
  const canvas = document.createElement("canvas");
  canvas.getContext("2d");
  const stream = canvas.captureStream();
  window.tracks.push(...stream.getTracks());
  return stream;
};

window.RTCPeerConnection = class extends EventTarget {
  iceGatheringState = "complete";
  connectionState = "new";
  localDescription = { type: "offer", sdp: "v=0" };
  channel = {
    readyState: "connecting",
    send: (text) => {
      const event = JSON.parse(text);
      window.sent.push(event);
      if (event.type === "assistant.ping" && !window.isDead)
        window.say({ type: "assistant.pong", sent_at_ms: event.sent_at_ms, server_at_ms: 0 });
    },
  };

  constructor(configuration) {
    super();
    window.peer = this;
    this.configuration = configuration;
    window.say = (event) => this.channel.onmessage({ data: JSON.stringify(event) });
  }

  createDataChannel() {
    return this.channel;
  }

  addTransceiver(kind, options) {
    const sender = { options, track: null };
    sender.replaceTrack = async (track) => {
      sender.track = track;
    };
    sender.getStats = async () => new Map([["report", window.soundReport]]);
    sender.getParameters = () => ({ encodings: [{}] });
    sender.setParameters = async (parameters) => {
      sender.parameters = parameters;
    };
    window.senders[kind] = sender;
    return { sender };
  }

  async setLocalDescription() {}

  async setRemoteDescription() {
    this.connectionState = "connected";
    this.onconnectionstatechange();
    this.channel.readyState = "open";
    setTimeout(() => this.channel.onopen());
  }

  close() {
    this.connectionState = "closed";
    this.channel.readyState = "closed";
  }
};
