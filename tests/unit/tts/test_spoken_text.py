from __future__ import annotations

import pytest

from assistant.tts.spoken_text import spoken_text


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        # Mark-up
        ("**Bold** and *italic* with `code` and ~~gone~~.", "Bold and italic with code and gone."),
        ("# Heading\n\nSome text\n- one\n- two", "Heading. Some text. one. two"),
        ("1. Apples\n2. Pears", "one, Apples. two, Pears"),
        ("* [x] Done\n> quoted", "Done. quoted"),
        ("```python\nprint(1)\n```", ""),
        ("Here:\n```\ncode\n```\nDone.", "Here: Done."),
        ("``` never closed", ""),
        ("| Name | Age |\n|------|----:|\n| Bob | 42 |", "Name, Age. Bob, forty two"),
        ("See [the docs](https://docs.python.org/3/) now.", "See the docs now."),
        ("![A cat](cat.png)", "A cat"),
        ("half a [link", "half a link"),
        ("link](http://x.com) goes on", "link goes on"),
        ("**unclosed", "unclosed"),
        ("5*3 is **15** and 2 * 2 is *4*", "five times three is fifteen and two times two is four"),
        ("snake_case_name and __init__", "snake case name and init"),
        ("<b>bold</b> &amp; more", "bold and more"),
        ("---", ""),
        # Addresses
        ("Write to john.doe@mail.org.", "Write to john dot doe at mail dot org."),
        ("Visit https://www.example.com/a/b?c=1. Now", "Visit example dot com. Now"),
        ("example.com is up", "example dot com is up"),
        # Pictures, signs, other scripts
        ("😀👍🏽 Great 🎉", "Great"),
        ("👩\u200d👩\u200d👧", ""),
        ("\x07r\x00ed\u200b", "red"),
        ("[[ tEst ]] here", "tEst here"),
        ("naïve café", "naïve café"),
        ("今天 hello", "hello"),
        ("مرحبا", ""),
        ("\uff11\uff12 \uff21\uff22", "twelve AB"),
        # Punctuation
        ('He said: "No!" (really).', "He said: No! really."),
        ("x — y, it’s… well... yes", "x, y, it's, well, yes"),
        ("Yes, no", "Yes, no"),
        ("...", ""),
        ("", ""),
        (" \n ", ""),
        ("?!", ""),
    ],
)
def test_english_is_written_out_as_it_is_read(written: str, spoken: str) -> None:
    assert spoken_text(written, "en") == spoken


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        (
            "今天是2025年3月1日，温度是-3.5℃，请打开GPS。好吗？",
            "今天是二零二五年三月一日, 温度是零下三点五摄氏度, 请打开GPS. 好吗?",
        ),
        ("**你好**（世界）《红楼梦》", "你好, 世界, 红楼梦"),
        ("- 苹果\n- 香蕉😀", "苹果. 香蕉"),
        ("访问 https://example.com/a，谢谢", "访问 example点com, 谢谢"),
        ("价格：￥35.80！", "价格: 三十五点八元!"),
        ("用 `print` 打印", "用 print 打印"),
        ("😀", ""),
    ],
)
def test_chinese_is_written_out_as_it_is_read(written: str, spoken: str) -> None:
    assert spoken_text(written, "zh") == spoken


def test_other_voices_read_numbers_themselves() -> None:
    assert spoken_text("Ich habe **3** Äpfel für 5 €.", "de") == "Ich habe 3 Äpfel für 5 €."


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "unit",
    ["x", "word ", "*", "(", "[a](", "1,", "1 ", "-", "_", " ", "\n", "a.b@", "9:", "|", "<a"],
)
def test_long_strange_text_is_read_in_reasonable_time(language: str, unit: str) -> None:
    """A pattern that backtracks would take hours; the test's own time limit would end it."""
    spoken_text(unit * (5_000 // len(unit)), language)
