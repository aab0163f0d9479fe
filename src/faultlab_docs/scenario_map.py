"""The map of the Failure Lab's scenarios and their end states, as HTML tables."""

from html import escape
from typing import Any, Final

_KEY: Final = """<ul class="fl-key fl-key--map">
<li><span class="fl-status s-succeeded"></span>succeeded</li>
<li><span class="fl-status s-cancelled"></span>cancelled</li>
<li><span class="fl-status s-needs_review"></span>needs review</li>
<li><span class="fl-status s-failed"></span>failed</li>
<li><span class="ticks" aria-hidden="true"><i class="on"></i></span>asked for and met</li>
<li><span class="ticks" aria-hidden="true"><i class="off"></i></span>asked for, never reached</li>
<li><span class="ticks" aria-hidden="true"><i class="no"></i></span>not asked for</li></ul>"""


def lab_map(the_map: dict[str, Any]) -> str:
    """The map of 72 scenarios as an HTML table, and the end states as another."""
    runs = {run["id"]: run for run in the_map["runs"]}
    faults = list(dict.fromkeys(run["scenario"]["fault"] for run in the_map["runs"]))
    cancels = list(dict.fromkeys(run["scenario"]["cancel_at"] for run in the_map["runs"]))
    sights = list(dict.fromkeys(run["scenario"]["observation"] for run in the_map["runs"]))
    head = "".join(
        f'<th scope="colgroup" colspan="{len(sights)}"><span class="fl-of">cancel at</span> '
        f"<code>{cancel}</code></th>"
        for cancel in cancels
    )
    sub = "".join(
        f'<th scope="col"><abbr title="{sight}">{_short(sight)}</abbr></th>'
        for _ in cancels
        for sight in sights
    )
    body = "".join(
        f'<tr><th scope="row"><code>{fault}</code></th>'
        + "".join(
            _cell(runs[f"{fault}.{cancel}.{sight}"]) for cancel in cancels for sight in sights
        )
        + "</tr>"
        for fault in faults
    )
    return (
        '<div class="fl-scroll" role="region" aria-label="Map of all scenarios" tabindex="0">'
        '<table class="fl-map"><thead><tr><th scope="col" rowspan="2">'
        f'<span class="fl-of">fault</span></th>{head}</tr>'
        f"<tr>{sub}</tr></thead><tbody>{body}</tbody></table></div>{_KEY}{_end_states(the_map)}"
    )


def _short(sight: str) -> str:
    return {"match": "=", "mismatch": "≠", "unavailable": "?"}[sight]


def _cell(run: dict[str, Any]) -> str:
    scenario, unmet = run["scenario"], run["never_reached"]
    status = run["record"]["status"]
    words = {
        "fault": f"fault {scenario['fault']}" + (", never reached" * ("fault" in unmet)),
        "cancel_at": f"cancel at {scenario['cancel_at']}"
        + (", never reached" * ("cancel_at" in unmet)),
        "observation": f"observation {scenario['observation']}"
        + (", never judged" * ("observation" in unmet)),
    }
    label = f"{'; '.join(words.values())}: end state {run['end_state']}, {status}"
    ticks = "".join(f'<i class="{_tick(scenario, unmet, name)}"></i>' for name in words)
    kind = f"s-{status}" + (" unmet" if unmet else "")
    return (
        f'<td class="{kind}" id="{run["id"]}"><a href="#{run["id"]}" '
        f'data-scenario="{run["id"]}" aria-label="{escape(label)}">{run["end_state"]}'
        f'<span class="ticks" aria-hidden="true">{ticks}</span></a></td>'
    )


def _tick(scenario: dict[str, str], unmet: list[str], name: str) -> str:
    if name in unmet:
        return "off"
    return "no" if scenario[name] in ("none", "match") else "on"


def _end_states(the_map: dict[str, Any]) -> str:
    rows = "".join(
        f'<tr id="end-state-{entry["number"]}"><td>{entry["number"]}</td>'
        f'<th scope="row">{escape(entry["stop"])}</th><td>{entry["scenarios"]}</td>'
        f'<td class="s-{entry["state"]["status"]}">{entry["state"]["status"]}</td>'
        f"<td>{entry['state']['outcome']}</td>"
        f"<td>{entry['state']['send_count']}/{entry['state']['read_count']}</td>"
        f"<td>{', '.join(entry['state']['memory_checkpoints']) or '–'}</td></tr>"
        for entry in the_map["end_states"]
    )
    return (
        '<div class="fl-scroll" role="region" aria-label="End states" tabindex="0">'
        '<table class="fl-ends"><thead><tr><th scope="col">No.</th><th scope="col">Stop</th>'
        '<th scope="col">Scenarios</th><th scope="col">Status</th><th scope="col">Outcome</th>'
        '<th scope="col">Sends/reads</th><th scope="col">Checkpoints</th></tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
