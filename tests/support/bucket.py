"""A bucket at an HTTP server of S3 on this machine, which asks each caller for credentials."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

NAME = "audits"
_RIGHTS = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}


@dataclass(frozen=True)
class Bucket:
    """An empty bucket."""

    endpoint: str
    key: str
    secret: str

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which every client of S3 finds server and credentials."""
        return {**_without_files(self.endpoint), "AWS_ACCESS_KEY_ID": self.key, "AWS_SECRET_ACCESS_KEY": self.secret}

    @property
    def files(self) -> Any:
        """The file system of the server, which remembers nothing."""
        import s3fs

        return s3fs.S3FileSystem(key=self.key, secret=self.secret, endpoint_url=self.endpoint, skip_instance_cache=True)

    def names(self, place: str) -> list[str]:
        """Return the names of all objects below `place`, which begins with s3://."""
        return [str(each) for each in self.files.find(place)]


def _without_files(endpoint: str) -> dict[str, str]:
    """Return variables that name the server, and leave nothing to the files of the user or the machine."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@contextmanager
def served() -> Iterator[Bucket]:
    """Serve a bucket from a thread."""
    for name in ("s3fs", "moto", "flask_cors"):
        pytest.importorskip(name, reason=f"{name} is not installed: .ci/bucket installs it")
    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        made = boto3.Session("first", "first", region_name="us-east-1")
        made.client("s3", endpoint_url=endpoint).create_bucket(Bucket=NAME)
        iam = made.client("iam", endpoint_url=endpoint)
        iam.create_user(UserName="auditor")
        iam.put_user_policy(UserName="auditor", PolicyName="all", PolicyDocument=json.dumps(_RIGHTS))
        key = iam.create_access_key(UserName="auditor")["AccessKey"]
        # From now on the server checks the signature of each call.
        httpx.post(f"{endpoint}/moto-api/reset-auth", content="0").raise_for_status()
        yield Bucket(endpoint, key["AccessKeyId"], key["SecretAccessKey"])
    finally:
        httpx.post(f"{endpoint}/moto-api/reset-auth", content="inf").raise_for_status()
        server.stop()
