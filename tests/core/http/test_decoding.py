from __future__ import annotations

import gzip
import tracemalloc
import zlib
from functools import cache

import pytest
from raw_server import Client, Serve, answer, once

from conformance.http.wire.decoding import Decoder, coding_of
from conformance.model.exchange import ErrorKind, TransportError

TEXT = bytes(range(256)) * 50


def bare(data: bytes) -> bytes:
    compress = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return compress.compress(data) + compress.flush()


STREAMS = {
    "gzip": ("gzip", gzip.compress(TEXT)),
    "two members": ("gzip", gzip.compress(TEXT[:100]) + gzip.compress(TEXT[100:])),
    "padded": ("gzip", gzip.compress(TEXT) + b"\0\0"),
    "zlib": ("deflate", zlib.compress(TEXT)),
    "raw": ("deflate", bare(TEXT)),
    "identity": ("identity", TEXT),
}


@cache
def bomb() -> bytes:
    return gzip.compress(bytes(64 * 1024 * 1024))


def decode(coding: str, data: bytes, step: int, limit: int = 1_000_000) -> bytes:
    decoder = Decoder(coding_of([("Content-Encoding", coding)]), limit)
    for start in range(0, len(data), step):
        decoder.feed(data[start : start + step])
    with decoder.finish() as body:
        return body.read()


@pytest.mark.parametrize(("coding", "data"), STREAMS.values(), ids=STREAMS)
def test_a_body_is_decoded_however_it_is_cut(coding: str, data: bytes) -> None:
    for step in (1, 7, 100_000):
        assert decode(coding, data, step) == TEXT


def test_coded_answers_reach_httpx_decoded(serve: Serve, client: Client) -> None:
    response = client().get(serve(once(answer(gzip.compress(b"{}"), "Content-Encoding: gzip"))).url)

    assert response.content == b"{}"
    assert "content-encoding" not in response.headers
    assert "content-length" not in response.headers
    assert ("Content-Encoding", "gzip") in response.extensions["raw_headers"]


@pytest.mark.parametrize(
    ("coding", "data", "trouble"),
    [
        ("br", b"x", ErrorKind.CODING),
        ("gzip, gzip", gzip.compress(gzip.compress(TEXT)), ErrorKind.CODING),
        ("gzip", b"not gzip", ErrorKind.CODING),
        ("deflate", b"\xff\xff\xff", ErrorKind.CODING),
        ("gzip", gzip.compress(TEXT)[:-9], ErrorKind.TRUNCATED),
        ("gzip", gzip.compress(TEXT)[:-1] + b"\1", ErrorKind.CODING),
        ("gzip", gzip.compress(b"") * 2000, ErrorKind.CODING),
        ("gzip", gzip.compress(bytes(1_000_001)), ErrorKind.TOO_LARGE),
        ("", bytes(1_000_001), ErrorKind.TOO_LARGE),
    ],
)
def test_a_coding_that_cannot_be_undone_is_no_answer(coding: str, data: bytes, trouble: ErrorKind) -> None:
    for step in (1000, 100_000):
        with pytest.raises(TransportError) as caught:
            decode(coding, data, step)

        assert caught.value.kind is trouble


@pytest.mark.parametrize("status", ["200 OK", "401 Unauthorized"])
def test_a_bomb_costs_no_more_than_the_cap(serve: Serve, client: Client, status: str) -> None:
    server = serve(once(answer(bomb(), "Content-Encoding: gzip", status=status)))
    http = client(decoded=1024 * 1024)

    tracemalloc.start()
    try:
        with pytest.raises(TransportError) as caught:
            http.get(server.url)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert caught.value.kind is ErrorKind.TOO_LARGE
    assert caught.value.detail == "the body is more than 1 MiB decoded"
    assert peak < 8 * 1024 * 1024
