"""The server of the explorer: its routes, and how it runs.

It listens on loopback only; :mod:`altsets.app.gate` stands before it. Its own thread takes messages in their order,
others wait for the replies.
"""

from __future__ import annotations

import asyncio
import json
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from altsets.app.clients import Clients
from altsets.app.gate import BODY, GO_ON, App, Gate, Refused
from altsets.app.messages import MESSAGES, Ask
from altsets.app.questions import Asked, OpenEngine, in_background
from altsets.errors import InputError, MissingExtraError, reason_of

HOST = "127.0.0.1"
#: Requests at a time, and connections; pages have a few each.
MOST_REQUESTS, MOST_CONNECTIONS = 200, 100

ROUTES = {"/": "GET"} | {f"/api/{route}": "POST" for route in MESSAGES}


def require_packages() -> None:
    """Check that the packages of the extra are there, or say how to install them."""
    try:
        import jinja2  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("the explorer", "Starlette and uvicorn", "app") from error


class Explorer:
    """The server of one table: it has its socket and address when it is created, and answers once it runs."""

    def __init__(
        self,
        open_engine: OpenEngine,
        port: int = 0,
        *,
        on_failure: Callable[[str], None] = lambda said: None,
    ) -> None:
        require_packages()
        self._open_engine, self._on_failure = open_engine, on_failure
        self._socket = _listening(port)
        self.port: int = self._socket.getsockname()[1]
        self._gate = Gate(self._application(), self.port, ROUTES)
        self._clients = Clients(open_engine)
        self._server: Any = None

    @property
    def address(self) -> str:
        """The address with the token that opens the page once."""
        return self._gate.address

    def run(self) -> None:
        """Answer requests until Ctrl-C, or until :meth:`stop`; threads that still search end by themselves."""
        import uvicorn

        config = uvicorn.Config(
            self._gate,
            http=_protocol(),
            ws="none",
            lifespan="on",
            # A log of requests would have the token.
            access_log=False,
            log_config=None,
            log_level="critical",
            proxy_headers=False,
            server_header=False,
            limit_concurrency=MOST_REQUESTS,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        try:
            self._server.run(sockets=[self._socket])
        except KeyboardInterrupt:
            # The usual end; by now everything is closed.
            pass
        finally:
            self._socket.close()

    def stop(self) -> None:
        """End the server soon; may be called from another thread."""
        if self._server is not None:
            self._server.should_exit = True

    # --- Routes -------------------------------------------------------------------------------------------

    def _application(self) -> App:
        from starlette.applications import Starlette
        from starlette.routing import Route

        api = [Route(f"/api/{route}", self._api, methods=["POST"]) for route in MESSAGES]
        return Starlette(routes=[Route("/", self._page), *api], lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, app: Any) -> AsyncIterator[None]:
        # A thread for each request that waits, so that none waits for another one.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(MOST_REQUESTS))
        first = Asked(Ask("", -1, "prepare", None, {}))
        in_background(self._prepare, first)
        try:
            yield
        finally:
            first.finish()
            self._clients.close()

    def _prepare(self, first: Asked) -> None:
        first.run(lambda *question: self._open_engine()(*question))
        if first.error:
            self._on_failure(first.error)

    async def _page(self, request: Any) -> Any:
        from starlette.responses import HTMLResponse

        from altsets.app.assets import content_policy, page_text

        return HTMLResponse(page_text(), headers={"Content-Security-Policy": content_policy()})

    async def _api(self, request: Any) -> Any:
        from starlette.responses import JSONResponse

        route = request.url.path.rpartition("/")[2]
        try:
            reply = self._clients.reply_to(route, request.scope[BODY])
            return await asyncio.to_thread(_file if route == "download" else _reply, reply)
        except Refused as refused:
            return JSONResponse({"error": str(refused)}, refused.status)


@contextmanager
def entrance_to(address: str) -> Iterator[str]:
    """The address of a file that leads to the page: everybody may see what programs are given, but not this folder."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="altsets-", ignore_cleanup_errors=True)
        entrance = Path(folder.name) / "explorer.html"
        entrance.write_text(GO_ON.format(address), encoding="utf-8")
    except OSError as error:
        raise InputError(
            f"the folder for temporary files cannot be used ({reason_of(error)}); set TMPDIR to another one, or use "
            "--no-browser."
        ) from None
    with folder:
        yield entrance.as_uri()


def _protocol() -> Any:
    """HTTP with room for one more connection: programs that open many and ask nothing do not keep the page out."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    in_order: dict[Any, None] = {}

    class Protocol(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            in_order[self] = None
            if len(in_order) > MOST_CONNECTIONS:
                oldest = next(one for one in in_order if one.cycle is None or one.cycle.response_complete)
                del in_order[oldest]
                oldest.transport.close()

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            in_order.pop(self, None)

    return Protocol


def _reply(waits: Callable[[], dict[str, Any]]) -> Any:
    from starlette.responses import Response

    content = json.dumps(waits(), ensure_ascii=False, allow_nan=False).encode(errors="replace")
    return Response(content, media_type="application/json")


def _file(waits: Callable[[], dict[str, Any]]) -> Any:
    from starlette.responses import Response

    made = waits()
    if "content" not in made:
        raise Refused(409, made["error"])
    disposition = {"Content-Disposition": f'attachment; filename="{made["name"]}"'}
    return Response(made["content"], media_type=made["type"], headers=disposition)


def _listening(port: int) -> socket.socket:
    """A socket on loopback; port 0 is any that is free."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            # On Windows, another program could take the port over otherwise.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            # After a restart, the port of the last run can be had at once.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()
    except (OSError, OverflowError) as error:
        listening.close()
        raise InputError(
            f"--port {port} cannot be used ({reason_of(error)}); give another one, or 0 for any that is free."
        ) from None
    return listening
