"""Who may call the app's own routes, who a visitor is, and what they sent."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, Iterable
from typing import Annotated, TypeVar
from urllib.parse import urlsplit

from fastapi import HTTPException, Request
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import ClientDisconnect

BODY_BYTES = 2_000_000

Token = Annotated[str, Field(pattern=r"^[0-9a-f]{48}$")]
B = TypeVar("B", bound=BaseModel)


class Visitor(BaseModel):
    """A visitor, known by the random name of their tab."""

    token: Token


async def read_json(request: Request, model: type[B], hosts: Collection[str] | None) -> B:
    """The request's JSON as a `model`; raises an `HTTPException` for a foreign page and for what is no `model`."""
    check_caller(request, hosts)
    return _parsed(await _limited(request), model)


def visitor_address(peer: str, forwarded: Iterable[str] = ()) -> str:
    """The address that stands for a visitor: an IPv4 address, or the /64 network of an IPv6 one; '' for none.

    `forwarded` are the values of X-Forwarded-For, to which each proxy adds the address it was asked from. The last one
    that can be reached from the internet is what the outermost proxy saw; what stands left of it, anyone may write.
    """
    asked = [_address(each.strip()) for value in forwarded for each in value.split(",")]
    reachable = [each for each in asked if each and each.is_global]
    found = reachable[-1] if reachable else _address(peer)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found or peer)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def check_caller(
    request: Request,
    hosts: Collection[str] | None,
    content_type: str = "application/json",
) -> None:
    """Let only this app's own page through: any other a visitor has open could run code in their name.

    JSON, and bytes, are content types a foreign page can't send without being asked first; a foreign page names itself
    in Origin; one that rebinds its name to this machine names itself in Host.
    """
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != content_type:
        raise HTTPException(415, f"This route takes {content_type}.")
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    try:
        of_origin, name = urlsplit(origin or "").netloc, urlsplit(f"//{host}").hostname
    except ValueError:  # brackets that close nowhere
        of_origin, name = "", None
    if origin is not None and of_origin != host:
        raise HTTPException(403, "This route answers only the app's own page.")
    if hosts is not None and name not in hosts:
        raise HTTPException(403, "This route does not answer under this host name: open the app by its own address.")


async def _limited(request: Request) -> bytes:
    whole = bytearray()
    try:
        async for part in request.stream():
            whole += part
            if len(whole) > BODY_BYTES:
                raise HTTPException(413, f"A cell can hold {BODY_BYTES // 1_000_000} MB. Read larger data from a file.")
    except ClientDisconnect:
        raise HTTPException(400, "The request did not arrive whole.") from None  # unheard; else it is logged as a fault
    return bytes(whole)


def _parsed(raw: bytes, model: type[B]) -> B:
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        problem = error.errors(include_input=False)[0]
        field = ".".join(str(each) for each in problem["loc"]) or "The request"
        raise HTTPException(400, f"{field} can't be used: {problem['msg']}.") from None
