"""Pages as clients of the server: each has lanes of its own."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from altsets.app.messages import MESSAGES, Question
from altsets.app.questions import OpenEngine, Questions, unknown

#: Clients at a time, and seconds after which one that says nothing has gone.
MOST_CLIENTS, IDLE = 16, 30 * 60.0


class Clients:
    """The questions of all clients; used by one thread only."""

    def __init__(self, open_engine: OpenEngine) -> None:
        self._open_engine = open_engine
        #: With the time of the latest message; whoever was silent for longest comes first.
        self._clients: OrderedDict[str, tuple[float, Questions]] = OrderedDict()

    def reply_to(self, route: str, given: Any) -> Callable[[], dict[str, Any]]:
        """Check a message and begin to work on it; what is returned waits for the reply."""
        message = MESSAGES[route].of(given)
        self._end_idle()
        if isinstance(message, Question) and message.client not in self._clients:
            raise unknown(message)
        return self._questions(message.client).reply_to(message, route)

    def _questions(self, client: str) -> Questions:
        """The questions of a client, perhaps of a new one, which takes the place of the one silent for longest."""
        _, questions = self._clients.pop(client, (0.0, None))
        questions = questions or Questions(self._open_engine)
        self._clients[client] = time.monotonic(), questions
        if len(self._clients) > MOST_CLIENTS:
            self._end_oldest()
        return questions

    def _end_idle(self) -> None:
        while self._clients and time.monotonic() - next(iter(self._clients.values()))[0] > IDLE:
            self._end_oldest()

    def _end_oldest(self) -> None:
        self._clients.popitem(last=False)[1][1].close()

    def close(self) -> None:
        while self._clients:
            self._end_oldest()
