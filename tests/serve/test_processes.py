"""The server as a process: it prints its address, drains at SIGTERM, shares a port, and says what is wrong."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from typer.testing import CliRunner

from tests.limits import PATIENCE
from tests.serve.conftest import make_home
from watchword.cli import app
from watchword.home import Home


@contextmanager
def started(home: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run ``watchword serve --port 0`` and yield the process and its address."""
    command = [sys.executable, "-m", "watchword", "serve", "--home", str(home), "--port", "0", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().strip()
    finally:
        if process.poll() is None:
            process.terminate()
        process.communicate(timeout=PATIENCE)


@pytest.mark.slow
def test_a_request_that_has_begun_is_answered_after_sigterm(tmp_path: Path) -> None:
    _, tokens = make_home(tmp_path / "home")
    with started(tmp_path / "home") as (process, url):
        assert url.startswith("http://127.0.0.1:")
        port = int(url.rpartition(":")[2])
        body = json.dumps({"text": "ferry AND storm"}).encode()
        head = (
            f"PUT /subscriptions/late HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {tokens['ada']}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        ).encode()
        with (
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as silent,
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as half,
        ):
            half.sendall(head + body[:5])
            time.sleep(0.5)
            process.send_signal(signal.SIGTERM)
            time.sleep(0.5)
            half.sendall(body[5:])
            answer = half.recv(65_536)
            assert answer.startswith(b"HTTP/1.1 201"), answer
            assert silent.recv(1) == b""
        assert process.wait(PATIENCE) == 0
    with Home(tmp_path / "home").store() as store:
        assert store.subscription("late").text == "ferry AND storm"


@pytest.mark.slow
def test_changes_that_were_answered_survive_a_sigkill(tmp_path: Path) -> None:
    _, tokens = make_home(tmp_path / "home")
    headers = {"Authorization": f"Bearer {tokens['ada']}"}
    answered: list[str] = []

    def change(url: str) -> None:
        with httpx.Client(base_url=url, headers=headers, timeout=PATIENCE) as client:
            for number in range(10_000):
                try:
                    if client.put(f"/subscriptions/k{number}", json={"text": f"word{number}"}).status_code == 201:
                        answered.append(f"k{number}")
                except httpx.TransportError:
                    return

    with started(tmp_path / "home") as (process, url):
        changing = threading.Thread(target=change, args=(url,))
        changing.start()
        while len(answered) < 10:
            time.sleep(0.01)
        process.kill()
        changing.join()
    with Home(tmp_path / "home").store() as store:
        there = [one.id for one in store.subscriptions("ada")]
    assert there[: len(answered)] == answered
    assert len(there) <= len(answered) + 1


@pytest.mark.slow
def test_several_processes_share_a_port_and_agree(tmp_path: Path) -> None:
    _, tokens = make_home(tmp_path / "home")
    headers = {"Authorization": f"Bearer {tokens['ada']}", "Connection": "close"}
    with started(tmp_path / "home", "--workers", "2") as (process, url):
        pids = set()
        while len(pids) < 2:
            text = httpx.get(f"{url}/metrics", headers=headers).text
            pids.add(next(line for line in text.splitlines() if line.startswith("watchword_process_info")))
        for number in range(3):
            made = httpx.put(f"{url}/subscriptions/w{number}", json={"text": f"word{number}"}, headers=headers).json()
            for _ in range(3):
                asked = f"{url}/match?after={made['change']}"
                found = httpx.post(asked, json={"event": f"word{number}"}, headers=headers).json()
                assert [one["id"] for one in found["matches"]] == [f"w{number}"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize(
    "options, said",
    [
        (["--port", "0", "--limit", "nonsense=1"], "no limit 'nonsense'"),
        (["--port", "0", "--limit", "body=0"], "above 0"),
        (["--port", "0", "--limit", "body=many"], "not 'many'"),
        (["--port", "0", "--host", "no.such.host.invalid"], "no address"),
        (["--port", "0", "--proxy", "x.y"], "10.0.0.0/8, not 'x.y'"),
    ],
)
def test_what_cannot_be_served_is_said_in_one_line(tmp_path: Path, options: list[str], said: str) -> None:
    make_home(tmp_path / "home")
    done = CliRunner().invoke(app, ["serve", "--home", str(tmp_path / "home"), *options])
    assert done.exit_code == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr


def test_a_port_that_is_taken_and_a_home_that_is_none(tmp_path: Path) -> None:
    make_home(tmp_path / "home")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        options = ["serve", "--home", str(tmp_path / "home"), "--port", str(taken.getsockname()[1])]
        done = CliRunner().invoke(app, options)
    assert done.exit_code == 2
    assert "Address already in use; choose another by --port" in done.stderr
    none = CliRunner().invoke(app, ["serve", "--home", str(tmp_path / "none")])
    assert (none.exit_code, "watchword init makes one" in none.stderr) == (2, True)


@pytest.mark.slow
def test_without_the_web_framework_the_remedy_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "fastapi.py").write_text("raise ModuleNotFoundError(\"No module named 'fastapi'\", name='fastapi')")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "watchword", "serve", "--home", str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": path}
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env=environment)
    assert done.returncode == 2
    assert done.stderr == "error: this needs the web framework: pip install 'watchword[serve]'\n"


@pytest.mark.slow
def test_the_access_log_has_a_line_for_each_request_and_no_secret(tmp_path: Path) -> None:
    _, tokens = make_home(tmp_path / "home")
    with started(tmp_path / "home", "--access-log") as (process, url):
        headers = {"Authorization": f"Bearer {tokens['ada']}"}
        httpx.get(f"{url}/subscriptions?secret=word", headers=headers)
        httpx.get(f"{url}/f/{tokens['feed']}.atom")
        httpx.get(f"{url}/a%0Ab%1b%5B2J")
        time.sleep(0.6)
        process.terminate()
        _, said = process.communicate(timeout=PATIENCE)
    lines = [line for line in said.splitlines() if '"GET' in line]
    assert len(lines) == 3
    assert '"GET /subscriptions" 200' in lines[0]
    assert '"GET /f/…" ' in lines[1]
    assert "/a\\nb\\x1b[2J" in lines[2]
    assert not any(secret in said for secret in (*tokens.values(), "secret=word"))


@pytest.mark.slow
def test_it_speaks_tls_and_its_cookie_is_for_this_host_alone(tmp_path: Path) -> None:
    home, tokens = make_home(tmp_path / "home")
    certificate, key = self_signed(tmp_path)
    with home.store() as store:
        once = store.add_login("ada")
    trusted = ssl.create_default_context(cafile=str(certificate))
    with started(home.path, "--certificate", str(certificate), "--key", str(key)) as (_, url):
        assert url.startswith("https://127.0.0.1:")
        with httpx.Client(base_url=url, verify=trusted, timeout=PATIENCE) as client:
            answer = client.get("/subscriptions", headers={"Authorization": f"Bearer {tokens['ada']}"})
            assert answer.status_code == 200
            assert answer.headers["strict-transport-security"].startswith("max-age=")
            entered = client.post("/login", data={"once": once}, headers={"Origin": url})
            cookie = entered.headers["set-cookie"]
            assert cookie.startswith("__Host-watchword=")
            assert {"HttpOnly", "Secure", "SameSite=lax", "Path=/"} <= set(cookie.split("; "))
            assert client.get("/", headers={"Accept": "text/html"}).status_code == 200
        with pytest.raises(httpx.HTTPError):
            httpx.get(url.replace("https", "http"), timeout=PATIENCE)


def self_signed(folder: Path) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "watchword")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    made = builder.add_extension(address, critical=False).sign(key, hashes.SHA256())
    plain = serialization.NoEncryption()
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )
    (folder / "certificate.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    return folder / "certificate.pem", folder / "key.pem"
