"""The outcome as a badge: an SVG image, and the data from which shields.io draws one."""

from __future__ import annotations

from markupsafe import Markup

from conformance.model.report import Report
from conformance.reports import outcome

LABEL = "DRSI"

_COLOURS = {
    "conforms": ("brightgreen", "#2b7a0b"),
    "conforms-in-part": ("green", "#56720a"),
    "conforms-with-waivers": ("yellow", "#8a6100"),
    "does-not-conform": ("red", "#b3261e"),
}
"""The name that shields.io knows, and a colour on which white text has enough contrast."""
_ALERT = ("yellow", "#8a6100")
_UNDECIDED = ("lightgrey", "#5f5f5f")

_SVG = Markup("""\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{title}">
<title>{title}</title>
<clipPath id="round"><rect width="{width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#round)">
<rect width="{left}" height="20" fill="#555"/>
<rect x="{left}" width="{right}" height="20" fill="{colour}"/>
</g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
<text x="{label_middle}" y="14" textLength="{label_length}">{label}</text>
<text x="{message_middle}" y="14" textLength="{message_length}">{message}</text>
</g>
</svg>
""")


def message(report: Report) -> str:
    """Return the words of the badge, such as "conforms, 1 alert"."""
    text = outcome.headline(report)
    return text[:1].lower() + text[1:]


def endpoint(report: Report) -> dict[str, object]:
    """Return the data for the endpoint badge of shields.io."""
    colour, _ = _colours(report.outcome, alerts=bool(report.alerts))
    return {"schemaVersion": 1, "label": LABEL, "message": message(report), "color": colour}


def svg(report: Report) -> str:
    """Return the image."""
    words = message(report)
    return drawn(f"{LABEL}: {words}", words, colour_of(report.outcome, alerts=bool(report.alerts)))


def drawn(title: str, words: str, colour: str) -> str:
    """Return an image with words on a colour, beside the label; `title` is for readers who do not see it."""
    label_length, message_length = _length(LABEL), _length(words)
    left, right = label_length + 10, message_length + 10
    return _SVG.format(
        title=title,
        label=LABEL,
        message=words,
        colour=colour,
        width=left + right,
        left=left,
        right=right,
        label_middle=left / 2,
        message_middle=left + right / 2,
        label_length=label_length,
        message_length=message_length,
    )


def colour_of(outcome: str, *, alerts: bool) -> str:
    """Return the colour of an outcome; an unknown one, or none, is grey."""
    return _colours(outcome, alerts=alerts)[1]


def _colours(outcome: str, *, alerts: bool) -> tuple[str, str]:
    conforming = outcome in _COLOURS and outcome != "does-not-conform"
    return _ALERT if alerts and conforming else _COLOURS.get(outcome, _UNDECIDED)


def _length(text: str) -> int:
    """Return about the width of `text` in pixels; textLength makes every font fit it."""
    narrow, wide = sum(text.count(each) for each in " ,.filjrt1"), sum(character.isupper() for character in text)
    return round(6.9 * len(text) - 2.6 * narrow + 0.3 * wide)
