// In place of the browser's peer connection: the test is the other end.
// `say(event)` tells the page something; `sent` holds what the page said; `tracks` what it opened.
window.sent = [];
window.tracks = [];
window.refuseDevices = null; // or the name of the DOMException that getUserMedia throws

const openDevice = MediaDevices.prototype.getUserMedia;
MediaDevices.prototype.getUserMedia = async function (wanted) {
  if (window.refuseDevices) throw new DOMException("refused", window.refuseDevices);
  const stream = await openDevice.call(this, wanted);
  window.tracks.push(...stream.getTracks());
  return stream;
};

window.RTCPeerConnection = class extends EventTarget {
  iceGatheringState = "complete";
  connectionState = "new";
  localDescription = { type: "offer", sdp: "v=0" };
  channel = {
    readyState: "connecting",
    send: (text) => window.sent.push(JSON.parse(text)),
  };

  constructor() {
    super();
    window.peer = this;
    window.say = (event) => this.channel.onmessage({ data: JSON.stringify(event) });
  }

  createDataChannel() {
    return this.channel;
  }

  addTransceiver() {
    return { sender: { replaceTrack: async () => {} } };
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
