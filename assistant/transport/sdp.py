"""SDP beside aiortc: what is wrong with an offer before it, what an answer lacks after it. Pure."""

from __future__ import annotations

import re
from collections import Counter

from assistant.errors import ProtocolError

MAX_CANDIDATES = 32
"""aioice pairs each with every address of ours, and sorts all pairs for each."""


def tidy(offer: str) -> str:
    """The offer without the candidates that would only cost time. Raises ProtocolError.

    Names that end in ".local" hide a browser's address behind multicast DNS, and a name that
    nobody answers for would hold up our answer by a second. Nothing is lost: the browser tries our
    addresses, and its own is learned from that (RFC 8445 section 7.3.1.3). So the candidates in an
    offer are never the last.
    """
    lines = offer.splitlines()
    if not lines or lines[0] != "v=0":
        raise _refusal("The body must be an SDP offer.")
    _, *sections = "\n".join(lines).split("\nm=")
    _check_kinds(sections)
    _check_names(sections, bundled=set(" ".join(_values(lines, "a=group:BUNDLE ")).split()))
    if not _values(lines, "a=fingerprint:"):
        raise _refusal("The SDP offer has no fingerprint, so nothing could be encrypted.")
    return "\r\n".join(_without_useless_candidates(lines)) + "\r\n"


def complete(answer: str, *, announced_address: str) -> str:
    """The answer with what aiortc leaves out.

    It asks for Opus with redundancy (RFC 7587), but not for silence to be left out (DTX): a pause
    is what we wait for, and it is told by its sound. `announced_address`, where there is one, is
    what clients reach this machine at: the router's, or the one around a container.
    """
    lines = answer.splitlines()
    return "\r\n".join(
        [more for line in lines for more in _completed(line, announced_address)] + [""]
    )


def _completed(line: str, announced_address: str) -> list[str]:
    if opus := re.fullmatch(r"a=rtpmap:(\d+) opus/48000/2", line):
        return [line, f"a=fmtp:{opus[1]} minptime=10;useinbandfec=1"]
    if announced_address and line.startswith("a=candidate:") and line.endswith(" typ host"):
        foundation, component, transport, priority, address, *rest = line.split(" ")
        if ":" not in address and not address.startswith("127."):
            known = [f"{foundation}a", component, transport, priority, announced_address, *rest]
            return [line, " ".join(known)]
    return [line]


def _check_kinds(sections: list[str]) -> None:
    kinds = Counter(section.partition(" ")[0] for section in sections)
    if kinds["audio"] != 1 or kinds["video"] > 1 or kinds["application"] > 1:
        raise _refusal(
            "The SDP offer must have one audio section, and at most one for video and for data."
        )


def _check_names(sections: list[str], *, bundled: set[str]) -> None:
    """aiortc finds sections by name, and would lose its sockets over a wrong one."""
    names = [_values(section.splitlines(), "a=mid:") for section in sections]
    first_names = {each[0] for each in names if len(each) == 1}
    if len(first_names) != len(sections) or not bundled <= first_names:
        raise _refusal("Each section of the SDP offer must have a mid of its own.")


def _without_useless_candidates(lines: list[str]) -> list[str]:
    kept: list[str] = []
    n_candidates = 0
    for line in lines:
        if line.startswith("a=candidate:"):
            if ".local " in line or n_candidates == MAX_CANDIDATES:
                continue
            n_candidates += 1
        if line != "a=end-of-candidates":
            kept.append(line)
    return kept


def _values(lines: list[str], prefix: str) -> list[str]:
    return [line[len(prefix) :].strip() for line in lines if line.startswith(prefix)]


def _refusal(message: str) -> ProtocolError:
    return ProtocolError(message, code="invalid_offer", param="sdp")
