"""Faults of clause 4.3: the answer to a deletion."""

from __future__ import annotations

from conformance.calibration.operators import label, on_success, one_in_ten, text
from conformance.calibration.variant import fault_table
from conformance.reference.call import JSON, Operation, Reply

_OK = "4.3-answers-ok"
_LABEL = "4.3-media-type"
_DELETE = Operation.DELETE

for _name, _summary, _change, _also in (
    ("204", "No content is what frameworks and textbooks answer.", lambda _reply: Reply(204), ()),
    ("202", "The removal goes on in the background.", lambda reply: Reply(202, reply.body, reply.headers), ()),
    ("json-ok", "The framework serialises every text, so OK gets quotes.", text('"OK"', JSON), (_LABEL,)),
    ("quoted-ok", "Quotes around the text, although it is labelled as plain.", text('"OK"'), ()),
    ("nothing", "An empty body.", text(""), ()),
    ("lower-case-ok", "The wrong case.", text("ok"), ()),
    ("ok-with-full-stop", "A sentence.", text("OK."), ()),
    ("okay", "Another word.", text("Okay"), ()),
    ("deleted", "Another word.", text("Deleted"), ()),
    ("status-object", "The house style answers with an object.", text('{"status":"OK"}', JSON), (_LABEL,)),
    ("ok-after-space", "A template with blanks in front of the text.", text("  OK"), ()),
    (
        "ok-after-byte-order-mark",
        "The text is a file saved with a byte order mark, which is letters in the charset of its label.",
        text(b"\xef\xbb\xbfOK", "text/plain; charset=iso-8859-1"),
        (),
    ),
    ("ok-page", "The administration's page.", text("<p>OK</p>", "text/html"), (_LABEL,)),
    ("true", "The result of the statement.", text("true", JSON), (_LABEL,)),
):
    fault_table(_OK, (f"delete-answers-{_name}", _summary, on_success(_change, _DELETE)), consequences=_also)

fault_table(
    _OK,
    (
        "delete-answers-204-in-one-of-ten",
        "One of the nodes runs a newer framework.",
        on_success(lambda _reply: Reply(204), _DELETE, when=one_in_ten),
    ),
)
for _name, _media_type in (
    ("html", "text/html; charset=utf-8"),
    ("json", JSON),
    ("octet-stream", "application/octet-stream"),
    ("markdown", "text/markdown"),
):
    fault_table(
        _LABEL, (f"ok-labelled-{_name}", "The framework's default label.", on_success(label(_media_type), _DELETE))
    )
fault_table(
    _LABEL,
    (
        "ok-labelled-html-in-one-of-ten",
        "One of the nodes has another default label.",
        on_success(label("text/html"), _DELETE, when=one_in_ten),
    ),
)
