"""A server that answers with JSON: asked with patience, believed in nothing."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from time import monotonic
from typing import IO, TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from lakelogic.catalogs.base import CatalogError, CatalogUnset

if TYPE_CHECKING:
    from tenacity import RetryCallState

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_SILENCE_SECONDS = 10
_ANSWER_SECONDS = 60
_LARGEST = 16 * 1024 * 1024
_CHUNK = 64 * 1024
_ATTEMPTS = 4
_LONGEST_WAIT = 30.0


class CatalogBusy(CatalogError):
    """A catalog does not answer now."""

    code = "catalog-busy"
    retry_can_help = True

    def __init__(self, message: str, *, cure: str | None = None, after: float | None = None) -> None:
        super().__init__(message, cure=cure)
        self.after = after


class CatalogRefused(CatalogError):
    """A catalog has answered with no."""

    code = "catalog-refused"

    def __init__(self, message: str, *, status: int, cure: str | None = None) -> None:
        super().__init__(message, cure=cure)
        self.status = status


class _NoRedirects(HTTPRedirectHandler):
    """The token is for this server only, so nobody is followed to another one."""

    def redirect_request(self, req: Request, fp: IO[bytes], code: int, msg: str, headers: object, newurl: str) -> None:
        return None


@dataclass(frozen=True)
class Server:
    """The address of a server, and the authorization that it asks for."""

    url: str
    authorization: str | None = field(default=None, repr=False)

    @property
    def is_here(self) -> bool:
        """Whether it runs on this machine."""
        return urlsplit(self.url).hostname in _LOOPBACK

    def get(self, path: str) -> object:
        """What the server answers.

        Raises:
            CatalogBusy: it does not answer, also after some attempts.
            CatalogRefused: it says no.
            CatalogError: it answers with something else.
        """
        return self._ask(path, None, "application/json")

    def post(self, path: str, body: Mapping[str, str]) -> object:
        """What the server answers to a JSON body; raises as `get` does."""
        return self._ask(path, json.dumps(body).encode(), "application/json")

    def post_form(self, path: str, body: Mapping[str, str]) -> object:
        """What the server answers to a form; raises as `get` does."""
        return self._ask(path, urlencode(body).encode(), "application/x-www-form-urlencoded")

    def _ask(self, path: str, body: bytes | None, kind: str) -> object:
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt

        headers = {"Accept": "application/json", "Content-Type": kind, "User-Agent": "lakelogic"}
        if self.authorization:
            headers["Authorization"] = self.authorization
        # The scheme is checked where the address is read.
        request = Request(self.url + path, body, headers)  # noqa: S310
        patient = Retrying(
            retry=retry_if_exception_type(CatalogBusy),
            stop=stop_after_attempt(_ATTEMPTS),
            wait=_wait,
            reraise=True,
        )
        return patient(self._once, request)

    def _once(self, request: Request) -> object:
        try:
            with build_opener(_NoRedirects).open(request, timeout=_SILENCE_SECONDS) as answer:
                return self._json(_body(answer))
        except HTTPError as refusal:
            with refusal:
                raise self._refused(refusal) from None
        except (OSError, HTTPException) as error:
            raise self._unreachable(error) from None

    def _json(self, body: bytes) -> object:
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise CatalogError(f"{self.url} does not answer with JSON.", cure="Check the address.") from None

    def _unreachable(self, error: OSError | HTTPException) -> CatalogError:
        cause = getattr(error, "reason", error)
        told = f"{self.url} can't be reached: {cause}."
        passing = isinstance(cause, TimeoutError | ConnectionError | HTTPException)
        return CatalogBusy(told) if passing else CatalogError(told, cure="Check the address.")

    def _refused(self, refusal: HTTPError) -> CatalogError:
        status = refusal.code
        if 300 <= status < 400:
            return CatalogError(f"{self.url} sends us to another place, where we do not go.", cure="Check the address.")
        told = f"{self.url} answers {status}{self._reason(refusal)}."
        if status == 429 or status >= 500:
            return CatalogBusy(told, cure="Try again later.", after=_seconds(refusal.headers.get("Retry-After")))
        return CatalogRefused(told, status=status)

    def _reason(self, refusal: HTTPError) -> str:
        try:
            told = json.loads(refusal.read(_CHUNK))["message"]
        except (ValueError, RecursionError, LookupError, TypeError, OSError, HTTPException):
            return ""
        line = "".join(letter for letter in str(told) if letter.isprintable())[:200].rstrip(". ")
        secret = (self.authorization or "").rpartition(" ")[2]
        return f": {line.replace(secret, '***') if secret else line}"


def server_at(address: str, authorization: str | None, variable: str) -> Server:
    """The server of an address that a user has set.

    Raises:
        CatalogUnset: it is no address, or one to which a token would travel in clear.
    """
    text = address if "://" in address else f"https://{address}"
    try:
        parts = urlsplit(text)
        server = Server(f"{parts.scheme}://{parts.netloc}", authorization)
        extras = (parts.username, parts.query, parts.fragment, parts.path.strip("/"))
        whole = bool(parts.hostname) and not any(extras) and parts.port != 0
        secure = parts.scheme == "https" or (parts.scheme == "http" and server.is_here)
    except ValueError:
        whole = secure = False
    if not (whole and secure):
        raise CatalogUnset(f"{variable} is no address of a server.", cure="Write https://HOST.")
    if authorization and not (authorization.isascii() and authorization.isprintable()):
        raise CatalogUnset(f"the token for {server.url} can't be sent: it has characters that no token has.")
    return server


def bearer(token: str) -> str:
    """The authorization of a token."""
    return f"Bearer {token}"


def basic(user: str, password: str) -> str:
    """The authorization of a name and a secret."""
    return "Basic " + b64encode(f"{user}:{password}".encode()).decode()


def _body(answer: HTTPResponse) -> bytes:
    read = bytearray()
    end = monotonic() + _ANSWER_SECONDS
    while chunk := answer.read1(_CHUNK):
        read += chunk
        if len(read) > _LARGEST:
            raise CatalogError(f"the answer is longer than {_LARGEST // 1024 // 1024} MB.", cure="Check the address.")
        if monotonic() > end:
            raise CatalogError(f"the answer takes longer than {_ANSWER_SECONDS} s.", cure="Check the address.")
    return bytes(read)


def _seconds(retry_after: str | None) -> float | None:
    return float(retry_after) if retry_after and retry_after.isascii() and retry_after.isdigit() else None


def _wait(state: RetryCallState) -> float:
    """As long as the server asks for, else longer each time, and never in step with others."""
    from tenacity import wait_random_exponential

    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, CatalogBusy) and error.after is not None:
        return min(error.after, _LONGEST_WAIT)
    return wait_random_exponential(multiplier=0.25, max=_LONGEST_WAIT)(state)
