"""The explorer in a notebook: the page as a widget, answered in the kernel by the session of the user.

Messages are those of the server. The kernel reads them between cells, on its main thread, and threads answer them.
Steps of the page are steps of the session, and the page follows those that are taken in cells.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from functools import cache
from typing import Any

from altsets.app.assets import module_text
from altsets.app.engine import SessionEngine, refuse_counts
from altsets.app.gate import Refused
from altsets.app.messages import MESSAGES, Ask
from altsets.app.questions import ANSWERED_HERE, Questions, in_background
from altsets.app.scoring import PendingScores
from altsets.errors import InputError, MissingExtraError
from altsets.session import Session

#: Questions whose answers are kept, for all pages together.
KEPT = 64
MOVED = "The session has gone to other settings since; ask again."


class LiveEngine(SessionEngine):
    """Answers from a session that cells change as well: only a new answer moves it, no question about one."""

    def _state_of(self, ask: Ask) -> dict[str, Any]:
        """Without a state, a page wants to be where the session is."""
        return self._session.state | (ask.state or {})

    def _is_at(self, state: dict[str, Any]) -> bool:
        if state != self._session.state:
            raise InputError(MOVED)
        return True


class LiveSession:
    """A session that pages ask about; ``send`` takes replies, and states that pages are to follow."""

    def __init__(self, session: Session, send: Callable[[dict[str, Any]], object]) -> None:
        self._session, self._send = session, send
        scores = PendingScores(session)
        self._questions = Questions(lambda: LiveEngine(session, scores, {}, {}), KEPT)
        session.watch(self._moved)

    def close(self) -> None:
        self._session.unwatch(self._moved)
        self._questions.close()

    def _moved(self) -> None:
        """The session has gone elsewhere: pages follow, but for the one that has led it there."""
        leader = ANSWERED_HERE.get()
        if leader is None or leader.ask.verb == "answer":
            self._send({"state": self._session.state, "by": None if leader is None else leader.ask.client})

    def receive(self, content: Any) -> None:
        """Take a message; the reply comes when there is something to say, from a thread of its own."""
        message = dict(content["message"])
        route = message.pop("route")
        try:
            reply = self._questions.reply_to(MESSAGES[route].of(message), route)
        except Refused as refused:
            self._send({"id": content["id"], "reply": {"error": str(refused), "finished": True}})
            return
        in_background(lambda: self._send({"id": content["id"], "reply": reply()}))


# --- The widget -------------------------------------------------------------------------------------------


@cache
def widget_class() -> type[Any]:
    """The class of widgets, which takes anywidget."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise MissingExtraError("explore()", "anywidget", "notebook") from error

    class SessionExplorer(anywidget.AnyWidget):
        """The explorer of a session."""

        _esm = module_text()
        #: The id of the picture that replaces the page in exported notebooks.
        picture = traitlets.Unicode().tag(sync=True)

        def __init__(self, session: Session) -> None:
            refuse_counts(session)
            super().__init__()
            self.picture = f"altsets-{self.model_id}"
            self._session = session
            self._live = LiveSession(session, self.send)
            self.on_msg(lambda _, content, buffers: self._live.receive(content))

        def close(self) -> None:
            if hasattr(self, "_live"):
                self._live.close()
            super().close()

        def __repr__(self) -> str:
            return repr(self._session)

        def _repr_mimebundle_(self, **kwargs: Any) -> Any:
            # First, as it searches if nobody has yet.
            shown = self._session._repr_mimebundle_()["text/html"]
            data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
            picture = f'<div id="{html.escape(self.picture)}">{shown}</div>'
            return {**data, "text/html": picture}, metadata

        def _ipython_display_(self, **kwargs: Any) -> None:
            """Show the picture and the page, which hides the picture as soon as it works.

            In one output, an export would show the page alone, which is dead there.
            """
            from IPython import display

            publish: Any = display.publish_display_data
            data, metadata = self._repr_mimebundle_(**kwargs)
            picture = data.pop("text/html")
            publish({"text/html": picture, "text/plain": data["text/plain"]})
            data["text/plain"] = "The explorer needs a running notebook."
            publish(data, metadata)

    return SessionExplorer


def explore(session: Session) -> Any:
    return widget_class()(session)
