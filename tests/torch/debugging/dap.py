"""A small client of the Debug Adapter Protocol: requests with their responses, and events in the order they come."""

from __future__ import annotations

import json
import socket
from collections import deque
from typing import Any, Deque, Dict, List, Optional


class Client:
    def __init__(self, port: int, seconds: float) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        self._stream = self._socket.makefile("rb")
        self._sequence = 0
        self._events: Deque[Dict[str, Any]] = deque()
        self._responses: Dict[int, Dict[str, Any]] = {}

    def send(self, command: str, **arguments: Any) -> int:
        """Send a request; its number, to wait for the response with."""
        self._sequence += 1
        message = {"seq": self._sequence, "type": "request", "command": command, "arguments": arguments}
        body = json.dumps(message).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        return self._sequence

    def response(self, number: int) -> Dict[str, Any]:
        while number not in self._responses:
            self._receive()
        response = self._responses.pop(number)
        assert response["success"], response
        return response.get("body", {})

    def request(self, command: str, **arguments: Any) -> Dict[str, Any]:
        return self.response(self.send(command, **arguments))

    def event(self, *names: str) -> Dict[str, Any]:
        """The next event of one of these names; others that came before it are dropped."""
        while True:
            while self._events:
                event = self._events.popleft()
                if event["event"] in names:
                    return event
            self._receive()

    def attach(self, **options: Any) -> None:
        """The opening of a session, up to where the program runs."""
        self.request("initialize", clientID="depyf", adapterID="debugpy", linesStartAt1=True, pathFormat="path")
        attached = self.send("attach", **options)
        self.event("initialized")
        self.request("configurationDone")
        self.response(attached)

    def stopped(self) -> int:
        """Wait until the program stops; the thread that did."""
        event = self.event("stopped", "terminated")
        assert event["event"] == "stopped", "the program ended"
        return int(event["body"]["threadId"])

    def top_frame(self, thread: int) -> Dict[str, Any]:
        frames: List[Dict[str, Any]] = self.request("stackTrace", threadId=thread, levels=20)["stackFrames"]
        return frames[0]

    def local(self, frame: Dict[str, Any], name: str) -> Optional[str]:
        """How the debugger shows a local variable."""
        for scope in self.request("scopes", frameId=frame["id"])["scopes"]:
            if scope["name"] == "Locals":
                variables = self.request("variables", variablesReference=scope["variablesReference"])["variables"]
                return next((variable["value"] for variable in variables if variable["name"] == name), None)
        return None

    def close(self) -> None:
        self._stream.close()
        self._socket.close()

    def _receive(self) -> None:
        length = 0
        while True:
            line = self._stream.readline()
            if not line:
                raise AssertionError("the debug adapter closed the connection")
            if line == b"\r\n":
                break
            name, _, value = line.decode().partition(":")
            if name.lower() == "content-length":
                length = int(value)
        message = json.loads(self._stream.read(length))
        if message["type"] == "event":
            self._events.append(message)
        elif message["type"] == "response":
            self._responses[message["request_seq"]] = message
