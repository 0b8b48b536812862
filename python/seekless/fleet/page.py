"""The HTML page of a drift: tables, and for each scenario a chart over days. It is a single file and loads nothing
from the network."""

from __future__ import annotations

import datetime
import html

from seekless.fleet.drift import LIMIT, Drift, ScenarioDrift

__all__ = ["drift_page"]

_STYLE = """body{font:16px system-ui,sans-serif;margin:2em auto;max-width:60em;padding:0 1em;color-scheme:light dark}
table{border-collapse:collapse}td,th{padding:.3em .8em;text-align:left;border-bottom:1px solid #8888}
.alarm{color:#c22;font-weight:600}svg{width:100%;height:auto;max-width:44em}"""
_WIDTH, _HEIGHT, _EDGE = 640, 150, 36


def _date(day: int) -> str:
    return (datetime.date(1970, 1, 1) + datetime.timedelta(days=day)).isoformat()


def _chart(scenario: ScenarioDrift) -> str:
    days = scenario.days
    most = max([LIMIT * 1.2, *(min(day.sum, 5 * LIMIT) for day in days)])
    first, last = days[0].day, max(days[-1].day, days[0].day + 1)

    def place(day: int, value: float) -> str:
        x = _EDGE + (day - first) / (last - first) * (_WIDTH - 2 * _EDGE)
        y = _HEIGHT - _EDGE / 2 - min(value, most) / most * (_HEIGHT - _EDGE)
        return f"{x:.1f},{y:.1f}"

    points = " ".join(place(day.day, day.sum) for day in days)
    limit = place(first, LIMIT).split(",")[1]
    return (f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="sum over days of {html.escape(scenario.scenario)}">'
            f'<line x1="{_EDGE}" x2="{_WIDTH - _EDGE}" y1="{limit}" y2="{limit}" stroke="#c22" stroke-dasharray="4"/>'
            f'<polyline points="{points}" fill="none" stroke="#27c" stroke-width="2"/>'
            f'<text x="{_EDGE}" y="{_HEIGHT - 2}" font-size="11" fill="currentColor">{_date(first)}</text>'
            f'<text x="{_WIDTH - _EDGE}" y="{_HEIGHT - 2}" font-size="11" fill="currentColor" text-anchor="end">'
            f'{_date(days[-1].day)}</text></svg>')


def _row(scenario: ScenarioDrift) -> str:
    state = (f'<span class="alarm">drifted on {_date(scenario.alarm_day)}</span>' if scenario.alarm_day is not None
             else "as planned")
    lost = "" if scenario.lost_seconds is None else f"{scenario.lost_seconds:.2f} s"
    now = f"{scenario.days[-1].seconds:.2f} s" if scenario.days else ""
    return (f"<tr><td>{html.escape(scenario.scenario)}</td><td>{state}</td><td>{scenario.reference_seconds:.2f} s</td>"
            f"<td>{now}</td><td>{lost}</td></tr>")


def drift_page(drift: Drift) -> str:
    rows = "\n".join(map(_row, drift.scenarios))
    charts = "\n".join(f"<h3>{html.escape(of.scenario)}</h3>\n{_chart(of)}" for of in drift.scenarios if of.days)
    drives = ""
    if drift.drives is not None:
        share = drift.drives.rotational_share
        medians = ", ".join(f"{name} {us / 1000:.1f} ms" for name, us in drift.drives.median_seek_us.items())
        drives = (f"<h2>Drives</h2><p>{drift.drives.clients} clients reported; "
                  + ("none knows its drive" if share is None else f"{share:.0%} of those that know their drive have a "
                     "rotational one") + f". Median of a seek: {medians or 'not reported'}.</p>")
    unrecorded = ", ".join(map(html.escape, drift.unrecorded_scenarios)) or "none"
    return f"""<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>What the fleet reads now</title><style>{_STYLE}</style>
<h1>What the fleet reads now, against the packs that ship</h1>
<p>{len(drift.alarms)} of {len(drift.scenarios)} scenarios have drifted. Scenarios that nobody recorded: {unrecorded}.
Assets that no charged run read: {drift.unrecorded_assets}.</p>
<table><tr><th>scenario</th><th>state</th><th>reference</th><th>latest day</th><th>lost in a load</th></tr>
{rows}</table>
<p>Seconds are the drive model's, of a load without sweeps. The line in a chart is the sum, over days, of how far a day's mean lies above
the reference; an alarm is above the dashed line.</p>
{charts}
{drives}</html>
"""
