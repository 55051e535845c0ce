"""The examples of docs/audit.md and docs/cluster.md are what the command reads, and what schedulers read."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest
import yaml
from platforms import POSIX_COMMANDS

from conformance.cli.option import AUDIT, allowed
from conformance.cli.options import Options
from conformance.fleet.audit.sources import TOKENS
from conformance.fleet.audit.targets import EMPTIED, PUBLISHED, read
from conformance.fleet.commands.audit import command
from conformance.fleet.commands.audit_targets import arguments_of

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "audit.md").read_text("utf-8")
CLUSTER = (DOCS / "cluster.md").read_text("utf-8")


def blocks(language: str, page: str = PAGE) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def test_the_files_of_targets_are_read(tmp_path: Path) -> None:
    for language in ("toml", "csv"):
        path = tmp_path / f"targets.{language}"
        path.write_text(blocks(language)[0], "utf-8")
        assert len(read(path, allowed(Options, AUDIT), arguments_of)) == 2


def test_every_key_of_a_target_is_documented_and_no_other() -> None:
    table = PAGE.partition("| key | meaning |")[2].partition("\n\n")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row]
    named = {key for row in rows for key in re.findall(r"`([a-z_]+)`", row)}
    assert named == {
        "name",
        "base_url",
        "profile",
        *TOKENS,
        "labels",
        "authority",
        *PUBLISHED,
        EMPTIED,
        *allowed(Options, AUDIT),
    }


def options_of(*commands: click.Command) -> set[str]:
    params = [param for each in commands for param in each.params if isinstance(param, click.Option)]
    return {name for param in params for name in [*param.opts, *param.secondary_opts]}


def test_the_commands_have_options_that_exist() -> None:
    assert {*re.findall(r"(?<![a-z-])(--[a-z][a-z-]*)", PAGE)} <= options_of(command)


def test_the_units_of_systemd() -> None:
    service, timer = blocks("ini")
    parsed = configparser.ConfigParser(interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment,method-assign]
    parsed.read_string(service)
    words = shlex.split(parsed["Service"]["ExecStart"])
    with command.make_context("audit", words[2:]) as context:
        assert context.params["targets"] == Path("targets.toml")
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    moment = re.search(r"OnCalendar=(.*)", timer)
    assert moment
    subprocess.run(["systemd-analyze", "calendar", moment[1]], check=True, capture_output=True)


@POSIX_COMMANDS
def test_the_line_of_cron_is_a_command_of_a_shell() -> None:
    (text,) = blocks("cron")
    line = text.splitlines()[1]
    fields = line.split(maxsplit=5)
    assert all(re.fullmatch(r"[\d*]+", each) for each in fields[:5])
    assert "%" not in fields[5]  # cron makes it a line feed
    subprocess.run(["sh", "-n", "-c", fields[5]], check=True)


def test_the_workflow_is_yaml_and_the_notification_json() -> None:
    (workflow,) = blocks("yaml")
    steps = yaml.safe_load(workflow)["jobs"]["audit"]["steps"]
    assert any("drsi-conformance audit" in step.get("run", "") for step in steps)
    (told,) = blocks("json")
    assert {*json.loads(told)} == {"audit", "previous", "exit_code", "regressions", "unreachable"}


def test_the_examples_of_a_cluster() -> None:
    from distributed.cli.dask_scheduler import main as scheduler
    from distributed.cli.dask_worker import main as worker

    known = options_of(command, scheduler, worker) | {"--build-arg"}
    assert {*re.findall(r"(?<![a-z-])(--[a-z][a-z-]*)", CLUSTER)} <= known
    (script,) = blocks("python", CLUSTER)
    compile(script, "cluster.md", "exec")
    (manifests,) = blocks("yaml", CLUSTER)
    cluster, job = yaml.safe_load_all(manifests)
    pod = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    words = [*pod["containers"][0]["args"]]
    with command.make_context("audit", words[1:]) as context:
        assert context.params["dask"] == f"tcp://{cluster['metadata']['name']}-scheduler:8786"
    (container,) = cluster["spec"]["worker"]["spec"]["containers"]
    with worker.make_context("worker", container["command"][2:]) as context:
        assert (context.params["nthreads"], context.params["nanny"]) == (16, False)
