"""The report as one HTML file that needs nothing else, and as tables in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment

from assistant.bench.report import Report
from assistant.replay.report import PERCENTILES

_MOST_WATERFALLS = 50

_TEMPLATE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Replay: {{ report.n }} turns</title>
<style>
  :root { --ink: #1d1c1a; --soft: #67635b; --line: #e3e0d8; --paper: #faf9f6; --bar: #0c7463;
          --beside: #b9d8d0; --late: #a8321f; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #edebe6; --soft: #a5a097; --line: #343230; --paper: #161615; --bar: #62cdb6;
            --beside: #2c4a43; --late: #f29b89; } }
  body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
         max-width: 900px; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.5rem; } h2 { font-size: 1.05rem; margin-top: 2.2rem; }
  table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
  th, td { text-align: right; padding: .3rem .6rem; border-bottom: 1px solid var(--line); }
  th:first-child, td:first-child { text-align: left; } th { font-weight: 600; color: var(--soft); }
  small, .soft { color: var(--soft); } .late { color: var(--late); }
  svg { display: block; width: 100%; height: auto; } svg text { fill: var(--ink); font-size: 11px; }
  .scroll { overflow-x: auto; }
</style>
<h1>{{ report.n }} turns, replayed</h1>
<p>{{ report.sessions }} at a time, at {{ report.speed }} times their pace, in
{{ report.took_s }} s; load {{ report.load_1min | map("round", 1) | join(" to ") }} on
{{ report.cores }} cores.
{{ report.broken | length }} of {{ report.n }} turns broke the promise of
{{ report.promise_ms | round | int }} ms; in {{ report.failures }} there was no answer.</p>
{% if report.bottleneck %}{% set it = report.bottleneck %}
<p>Most of the wait goes to <b>{{ it.stage | replace("_", " ") }}</b>:
{{ it.mean_ms | round | int }} ms a turn, {{ (100 * it.share) | round | int }} % of it.
{% if it.cpu_share is not none %}The {{ it.process }} process used
{{ "%.2f" | format(it.cpu_share) }} of a core meanwhile, and turns waited
{{ it.queue_ms | round | int }} ms in line for the brain.{% endif %}</p>{% endif %}

<h2>Each stage's share of the wait, in ms, with 95 % confidence intervals</h2>
<div class="scroll"><table>
<tr><th>stage<th>turns<th>P50<th>P95<th>P99{% if changes %}<th>change of P50{% endif %}
{% for stage, each in report.stages.items() %}
<tr><td>{{ stage | replace("_", " ") }}<td>{{ each.n }}
{% for p in ("p50", "p95", "p99") %}
<td>{{ each[p].ms | round | int }}
<small>{{ each[p].spread_ms[0] | round | int }}–{{ each[p].spread_ms[1] | round | int }}</small>
{% endfor %}
{% if changes %}<td>{% if stage in changes %}{% set it = changes[stage] %}
<span{% if it.is_real and it.change_ms > 0 %} class="late"{% endif %}>
{{ "%+d" | format(it.change_ms | round | int) }}</span>
<small>{{ "" if it.is_real else "may be chance" }}</small>{% endif %}{% endif %}
{% endfor %}
</table></div>

<h2>How the waits are spread</h2>
<svg viewBox="0 0 900 {{ 28 * report.stages | length + 24 }}" role="img"
  aria-label="Each stage from its fifth to its ninety-fifth percentile">
{% for stage, each in report.stages.items() %}{% set y = 28 * loop.index0 + 18 %}
<text x="0" y="{{ y + 4 }}">{{ stage | replace("_", " ") }}</text>
<line x1="{{ x(each.p50.ms) }}" x2="{{ x(each.p99.ms) }}" y1="{{ y }}" y2="{{ y }}"
  stroke="var(--beside)" stroke-width="10"/>
<line x1="{{ x(each.p50.ms) }}" x2="{{ x(each.p95.ms) }}" y1="{{ y }}" y2="{{ y }}"
  stroke="var(--bar)" stroke-width="10"/>
<circle cx="{{ x(each.p50.ms) }}" cy="{{ y }}" r="6" fill="var(--bar)"/>
<text x="{{ x(each.p99.ms) + 10 }}" y="{{ y + 4 }}">{{ each.p50.ms | round | int }} ms</text>
{% endfor %}
<line x1="{{ x(report.promise_ms) }}" x2="{{ x(report.promise_ms) }}" y1="4"
  y2="{{ 28 * report.stages | length + 6 }}" stroke="var(--late)" stroke-dasharray="4 4"/>
<text x="{{ x(report.promise_ms) + 4 }}" y="{{ 28 * report.stages | length + 18 }}">promise</text>
</svg>
<p class="soft">The dot is the median; dark to P95, light to P99.</p>

<h2>CPU, as shares of one core</h2>
<table>{% for name, share in report.cpu_share.items() %}
<tr><td>{{ name }}<td>{{ "%.2f" | format(share) }}{% endfor %}</table>

<h2>The slowest turns</h2>
{% for turn in slowest %}{% set whole = turn.waits_ms.voice_to_voice %}
<p>{{ turn.turn }}: <b{% if whole > report.promise_ms %} class="late"{% endif %}>
{{ whole | round | int }} ms</b>
<small>{{ turn.status }}{% if turn.degraded %}; less of: {{ turn.degraded | join(", ") }}{% endif %}
</small></p>
<svg viewBox="0 0 900 {{ 16 * turn.lines | length + 4 }}" role="img"
  aria-label="{{ turn.turn }}, stage by stage">
{% for name, start, duration, beside in turn.lines %}{% set y = 16 * loop.index0 %}
<text x="0" y="{{ y + 12 }}">{{ name }}</text>
<rect x="{{ x(start) }}" y="{{ y + 3 }}" width="{{ [x(duration) - x(0), 1] | max }}" height="10"
  fill="var({{ '--beside' if beside else '--bar' }})"/>
{% endfor %}</svg>
{% endfor %}
</html>
"""


def page(report: Report, changes: Mapping[str, Report] | None = None) -> str:
    """`changes`: against an earlier run."""
    waited = [turn for turn in report["turns"] if "voice_to_voice" in turn["waits_ms"]]
    slowest = sorted(waited, key=lambda turn: -float(turn["waits_ms"]["voice_to_voice"]))
    longest_ms = max(
        [report["promise_ms"], *(turn["waits_ms"]["voice_to_voice"] for turn in waited)]
    )

    def x(ms: float) -> float:
        """Where it is in a picture 900 wide, with room for names at its left."""
        return float(round(150 + 670 * max(ms, 0.0) / longest_ms, 1))

    return (
        Environment(autoescape=True, trim_blocks=True)
        .from_string(_TEMPLATE)
        .render(report=report, changes=changes, slowest=slowest[:_MOST_WATERFALLS], x=x)
    )


def rows(report: Report) -> list[tuple[Any, ...]]:
    """For a table: stage, turns, and each percentile with its confidence interval."""
    figures = [f"p{percent}" for percent in PERCENTILES]
    return [
        (stage.replace("_", " "), each["n"], *(_with_spread(each[figure]) for figure in figures))
        for stage, each in report["stages"].items()
    ]


def _with_spread(figure: Report) -> str:
    low, high = figure["spread_ms"]
    return f"{figure['ms']:.0f} ({low:.0f}–{high:.0f})"
