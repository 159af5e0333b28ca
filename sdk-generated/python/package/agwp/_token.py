"""The token that a client sends. Nothing that is raised, logged or printed here holds it."""

from __future__ import annotations

import ipaddress
import re
from typing import Callable, Dict, Optional, Union
from urllib.parse import SplitResult

Token = Union[str, Callable[[], str]]

# RFC 6750, 2.1.
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
_RULE = "a token must be characters of A-Z a-z 0-9 . _ ~ + / - with = at its end"


class NoToken(Exception):
    """There is none to send now."""


class Bearer:
    def __init__(self, token: Optional[Token]) -> None:
        if isinstance(token, str) and not _TOKEN.fullmatch(token):
            raise ValueError(_RULE)
        self._token = token

    def headers(self) -> Dict[str, str]:
        if self._token is None:
            return {}
        if isinstance(self._token, str):
            return {"Authorization": f"Bearer {self._token}"}
        try:
            token = self._token()
        except Exception as failed:  # Somebody else's code, and a heartbeat must go on with the next try. Its words may hold the token.
            raise NoToken(f"the source of the token failed: {type(failed).__name__}") from failed
        if not isinstance(token, str) or not _TOKEN.fullmatch(token):
            raise NoToken(f"the source of the token gave none: {_RULE}")
        return {"Authorization": f"Bearer {token}"}


def is_safe_at(server: SplitResult) -> bool:
    """Whether what is sent there cannot be read on the way."""
    if server.scheme == "https" or server.hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(server.hostname or "").is_loopback
    except ValueError:
        return False
