"""What the notebook makes of a terminal's text: the picture a terminal would show, in few elements."""

import pytest

from components.web import PLACE

READ = """async chunks => {
  const {TerminalText} = await import(new URL('PLACE/terminal_text.js', document.baseURI));
  const terminal = new TerminalText();
  for (const chunk of chunks) { terminal.write(chunk); terminal.draw(); }
  const again = new TerminalText(String(terminal));
  return {shown: terminal.element.textContent, plain: terminal.plain, markup: terminal.element.innerHTML,
    same: again.element.textContent === terminal.element.textContent && again.plain === terminal.plain};
}"""


@pytest.fixture(scope="module")
def read(one_visitor):
    page = one_visitor()
    return lambda *chunks: page.evaluate(READ.replace("PLACE", PLACE), list(chunks))


@pytest.mark.parametrize(
    ("chunks", "shown"),
    [
        (["plain\ntext\n"], "plain\ntext\n"),
        (["  0%\r", " 50%\r", "100%\n"], "100%\n"),  # a progress bar
        (["loading...\rdone"], "doneing..."),  # overwritten, not erased
        (["loading...\r\x1b[Kdone"], "done"),
        (["abc\b\bX"], "aXc"),
        (["bar 1: 0%\nbar 2: 0%\x1b[A\rbar 1: 9%\n\rbar 2: 5%"], "bar 1: 9%\nbar 2: 5%"),  # two bars
        (["a\nb\nc\x1b[2A\x1b[J!"], "a!"),
        (["old\x1b[2J\x1b[Hnew"], "new"),
        (["a\x1b[3Cb"], "a   b"),
        (["colour \x1b[3", "1mred\x1b", "[0m."], "colour red."),  # sequences cut between two chunks
        (["\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\"], "link"),
        (["beep\x07"], "beep"),
        (["<b onclick=x>${1}"], "<b onclick=x>${1}"),
    ],
)
def test_shows_what_a_terminal_shows(read, chunks, shown):
    seen = read(*chunks)
    assert seen["shown"] == seen["plain"] == shown
    assert seen["same"], "written again, it must look the same"


def test_colours_become_classes_and_survive_being_saved(read):
    seen = read("\x1b[1;31mbad\x1b[22;39m ok \x1b[38;5;208morange\x1b[48;2;1;2;3mon dark\x1b[7;0m")
    assert '<span class="ansi-bold ansi-fg-1">bad</span> ok ' in seen["markup"]
    assert '<span class="ansi-fg" style="--ansi-fg: #ff8700;">orange</span>' in seen["markup"]
    assert "--ansi-bg: #010203" in seen["markup"]
    assert seen["same"]


def test_an_overwrite_keeps_the_styles_beside_it(read):
    seen = read("\x1b[32mgreen\x1b[0m\r\x1b[31mre")
    assert seen["shown"] == "reeen"
    assert '<span class="ansi-fg-1">re</span><span class="ansi-fg-2">een</span>' in seen["markup"]


def test_a_long_stream_stays_cheap_and_whole(read):
    lines = [f"{number}\n" for number in range(20_000)]
    seen = read(*("".join(lines[start : start + 100]) for start in range(0, len(lines), 100)))
    assert seen["shown"] == "".join(lines)
    assert seen["markup"].count("<div") < 120
