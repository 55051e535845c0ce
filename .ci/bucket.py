"""A store with its evidence in a bucket of S3, at a server on this machine that asks each caller for credentials.

Usage: bucket.py RUN LATER, the folders of two recorded runs of one service. The exit code is 0 when bundles are put,
read and removed, and when wrong credentials end with a message.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import boto3
import httpx
import s3fs
from moto.server import ThreadedMotoServer

PLACE = "audits/evidence"
RIGHTS = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}


def main(run: str, later: str) -> None:
    """Serve a bucket, and keep the evidence of the runs there."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    made = boto3.Session("first", "first", region_name="us-east-1")
    made.client("s3", endpoint_url=endpoint).create_bucket(Bucket=PLACE.partition("/")[0])
    iam = made.client("iam", endpoint_url=endpoint)
    iam.create_user(UserName="auditor")
    iam.put_user_policy(UserName="auditor", PolicyName="all", PolicyDocument=json.dumps(RIGHTS))
    key = iam.create_access_key(UserName="auditor")["AccessKey"]
    # From now on the server checks the signature of each call.
    httpx.post(f"{endpoint}/moto-api/reset-auth", content="0").raise_for_status()
    own = {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}
    files = s3fs.S3FileSystem(key=key["AccessKeyId"], secret=key["SecretAccessKey"], endpoint_url=endpoint)
    with tempfile.TemporaryDirectory() as name:
        environment = {**os.environ, **_without_files(endpoint), **own}
        store, place = f"{name}/a.sqlite", ("--evidence", f"s3://{PLACE}")
        _expect(("store", "add", store, run, later, run, "--target", "a", *place), environment, 0)
        assert len(files.find(PLACE)) == 2  # each is there once
        _expect(("site", store, f"{name}/site", "--reports"), environment, 0)  # which reads them
        _expect(("store", "keep", store, "1"), environment, 0)
        files.invalidate_cache()
        assert len(files.find(PLACE)) == 1

        for changed, reason in (
            ({"AWS_SECRET_ACCESS_KEY": "wrong"}, "Forbidden"),
            ({"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""}, "Unable to locate credentials"),
        ):
            said = _expect(("store", "add", f"{name}/b.sqlite", run, *place), environment | changed, 2)
            assert f"Evidence at s3://{PLACE} cannot be written: {reason}" in said, said
            assert "Give access to that place, or name another one." in said, said
            assert "Traceback" not in said, said
    server.stop()


def _without_files(endpoint: str) -> dict[str, str]:
    """Return variables that name the server, and leave nothing to the files of the user or the machine."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def _expect(words: tuple[str, ...], environment: dict[str, str], code: int) -> str:
    """Run a command; return what it wrote to standard error."""
    suite = Path(sys.executable).with_name("drsi-conformance")
    done = subprocess.run([suite, *words], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == code, f"{words} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stderr


if __name__ == "__main__":
    main(*sys.argv[1:])
