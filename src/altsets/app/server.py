"""The server of the explorer: its routes, and how it runs.

It listens on loopback only and passes questions on to worker processes; :mod:`altsets.app.gate` stands before it.
"""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from altsets.app.clients import Clients
from altsets.app.gate import BODY, App, Gate, Refused
from altsets.app.messages import FILES, Ask, Download, Question
from altsets.app.workers import OpenEngine
from altsets.errors import InputError, MissingExtraError, reason_of

HOST = "127.0.0.1"
#: Seconds until a reply says what is known so far, and until the next change is waited for.
FIRST_REPLY, NEXT_REPLY = 0.3, 0.25
#: Seconds for a file, and until a search that was cancelled has ended for sure.
FILE_READY, CANCELLED = 120.0, 5.0
#: Requests at a time, and connections; pages have a few each.
MOST_REQUESTS, MOST_CONNECTIONS = 200, 100

ROUTES = {
    "/": "GET",
    "/api/ask": "POST",
    "/api/wait": "POST",
    "/api/cancel": "POST",
    "/api/download": "POST",
}


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
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        require_packages()
        self._open_engine, self._on_failure, self._on_end = open_engine, on_failure, on_end
        self._socket = _listening(port)
        self.port: int = self._socket.getsockname()[1]
        self._gate = Gate(self._application(), self.port, ROUTES)
        self._clients: Clients | None = None
        self._server: Any = None

    @property
    def address(self) -> str:
        """The address with the token that opens the page once."""
        return self._gate.address

    def run(self) -> None:
        """Answer requests until Ctrl-C, or until :meth:`stop`; all processes have ended then, or end by themselves."""
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

        endpoints = (self._page, self._ask, self._wait, self._cancel, self._download)
        routes = [
            Route(path, _refusing(endpoint), methods=[method])
            for (path, method), endpoint in zip(ROUTES.items(), endpoints, strict=True)
        ]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @asynccontextmanager
    async def _lifespan(self, app: Any) -> AsyncIterator[None]:
        self._clients = Clients(self._open_engine, self._on_failure)
        self._clients.start()
        try:
            yield
        finally:
            await self._clients.close()
            self._on_end()

    @property
    def clients(self) -> Clients:
        """Clients and processes; there while the server runs."""
        assert self._clients is not None
        return self._clients

    async def _page(self, request: Any) -> Any:
        from starlette.responses import HTMLResponse

        from altsets.app.assets import content_policy, page_text

        return HTMLResponse(page_text(), headers={"Content-Security-Policy": content_policy()})

    async def _ask(self, request: Any) -> Any:
        ask = Ask.of(request.scope[BODY])
        job = self.clients.client(ask.client).ask(ask)
        await job.wait(FIRST_REPLY, for_all=True)
        return _reply(job.encode())

    async def _wait(self, request: Any) -> Any:
        _, job = self._asked(request)
        await job.wait(NEXT_REPLY)
        return _reply(job.encode())

    async def _cancel(self, request: Any) -> Any:
        client, job = self._asked(request)
        client.cancel(job)
        await job.wait(CANCELLED, for_all=True)
        return _reply(job.encode())

    def _asked(self, request: Any) -> Any:
        question = Question.of(request.scope[BODY])
        found = self.clients.job(question.client, question.number)
        if found is None:
            raise Refused(404, f"Question {question.number} of this page is not known any more; ask again.")
        return found

    async def _download(self, request: Any) -> Any:
        from starlette.responses import Response

        wanted = Download.of(request.scope[BODY])
        job = self.clients.client(wanted.client).ask(wanted.ask)
        await job.wait(FILE_READY, for_all=True)
        if job.error or not job.finished:
            raise Refused(409, job.error or f"The file was not ready after {FILE_READY:g} s.")
        name, kind = FILES[wanted.kind]
        disposition = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(job.known["text"], media_type=kind, headers=disposition)


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


def _refusing(endpoint: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The endpoint, with a response in place of a refusal."""

    async def answering(request: Any) -> Any:
        from starlette.responses import JSONResponse

        try:
            return await endpoint(request)
        except Refused as refused:
            return JSONResponse({"error": str(refused)}, refused.status)

    return answering


def _reply(content: bytes) -> Any:
    from starlette.responses import Response

    return Response(content, media_type="application/json")


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
