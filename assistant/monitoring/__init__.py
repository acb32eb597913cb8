"""What the turns were like: metrics, percentiles, alerts, spans and the dashboard's figures.

* percentiles.py  pure: what each stage added to the wait, and how that is spread
* phases.py       pure: where a turn stands: capture, analyse, decide, respond
* live.py         who is talking, and the turns that are being taken
* vitals.py       people, event loop, workers and memory at this moment
* metrics.py      all of it for Prometheus
* alerts.py       which stage is over its limit; webhook.py tells others
* dashboard.py    all of it as JSON
* spans.py        turns as OpenTelemetry spans
* monitor.py      these together, for one server

Everything here reads turns that are over, or looks on: nothing has a say in a turn, and nothing
knows what was said.
"""
