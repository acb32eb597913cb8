"""Reading a JSON object strictly: what is missing, wrong or left over is a ProtocolError."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection
from typing import Any, TypeVar

from assistant.errors import ProtocolError

T = TypeVar("T")

KINDS = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    list: "a list",
    dict: "an object",
}


class Fields:
    """One JSON object. Take the fields that are known, then call `end`.

    A field that is null counts as absent. Every error names the field by its dotted path.
    """

    def __init__(self, value: Any, path: str = "") -> None:
        if not isinstance(value, dict):
            raise ProtocolError(
                f"{path or 'An event'} must be an object.", code="invalid_type", param=path or None
            )
        self._path = path
        self._left: dict[str, Any] = dict(value)

    def text_or_none(self, name: str) -> str | None:
        text = self._take(name, str)
        if text is not None and not _is_unicode(text):
            raise self._wrong(name, "holds half of a surrogate pair", code="invalid_value")
        return text

    def text(self, name: str) -> str:
        return self.required(name, self.text_or_none(name))

    def choice(self, name: str, allowed: Collection[str]) -> str:
        text = self.text(name)
        if text not in allowed:
            known = ", ".join(repr(choice) for choice in allowed)
            raise self._wrong(
                name, f"is {text[:80]!r}; supported here: {known}", code="invalid_value"
            )
        return text

    def choice_or_none(self, name: str, allowed: Collection[str]) -> str | None:
        return None if self._left.get(name) is None else self.choice(name, allowed)

    def flag_or_none(self, name: str) -> bool | None:
        return self._take(name, bool)

    def flag(self, name: str) -> bool:
        return self.required(name, self.flag_or_none(name))

    def whole_or_none(self, name: str, low: int, high: int) -> int | None:
        number = self._take(name, int)
        if number is not None and not low <= number <= high:
            allowed = f"{low}" if low == high else f"from {low} to {high}"
            raise self._wrong(name, f"must be {allowed}", code="invalid_value")
        return number

    def whole(self, name: str, low: int, high: int) -> int:
        return self.required(name, self.whole_or_none(name, low, high))

    def number_or_none(self, name: str) -> float | None:
        value = self._left.pop(name, None)
        if value is not None and type(value) not in (int, float):
            raise self._wrong(name, "must be a number", code="invalid_type")
        return None if value is None else float(value)

    def between_or_none(self, name: str, low: float, high: float) -> float | None:
        number = self.number_or_none(name)
        if number is not None and not low <= number <= high:
            raise self._wrong(name, f"must be from {low:g} to {high:g}", code="invalid_value")
        return number

    def number(self, name: str) -> float:
        return self.required(name, self.number_or_none(name))

    def list_or_none(self, name: str) -> list[Any] | None:
        return self._take(name, list)

    def objects_or_none(self, name: str) -> list[Fields] | None:
        values = self.list_or_none(name)
        if values is None:
            return None
        return [Fields(value, f"{self._dotted(name)}[{i}]") for i, value in enumerate(values)]

    def objects(self, name: str) -> list[Fields]:
        return self.required(name, self.objects_or_none(name))

    def object_or_none(self, name: str) -> Fields | None:
        value = self._left.pop(name, None)
        return None if value is None else Fields(value, self._dotted(name))

    def object(self, name: str) -> Fields:
        return self.required(name, self.object_or_none(name))

    def take_object(self, name: str) -> dict[str, Any] | None:
        """The field where it is an object, unread; anything else is left to be taken."""
        value = self._left.get(name)
        if not isinstance(value, dict):
            return None
        del self._left[name]
        return value

    def json_or_none(self, name: str) -> str | None:
        """An object of a form that is not ours to judge, as text."""
        value = self._take(name, dict)
        if value is None:
            return None
        try:
            text = json.dumps(value, ensure_ascii=False)
        except RecursionError as error:
            raise self._wrong(name, "is nested too deeply", code="invalid_value") from error
        if not _is_unicode(text):
            raise self._wrong(name, "holds half of a surrogate pair", code="invalid_value")
        return text

    def base64_or_none(self, name: str) -> bytes | None:
        text = self._take(name, str)
        if text is None:
            return None
        try:
            return base64.b64decode(text, validate=True)
        except ValueError as error:
            raise self._wrong(name, "must be base64", code="invalid_value") from error

    def base64(self, name: str) -> bytes:
        return self.required(name, self.base64_or_none(name))

    def take_null(self, name: str) -> bool:
        """Whether the field is there and null: in this protocol that may mean "off"."""
        if name in self._left and self._left[name] is None:
            del self._left[name]
            return True
        return False

    def take_if(self, name: str, value: str) -> bool:
        """Whether the field has just this value; any other is left to be taken."""
        if self._left.get(name) != value:
            return False
        del self._left[name]
        return True

    def skip(self, *names: str) -> None:
        """Accept these fields without looking at them."""
        for name in names:
            self._left.pop(name, None)

    def refuse(self, name: str, because: str) -> None:
        """An error that says why, unless the field is absent, null or false."""
        if self._left.pop(name, None) not in (None, False):
            raise self.unsupported(name, because)

    def unsupported(self, name: str, because: str) -> ProtocolError:
        return self._wrong(name, f"is not supported: {because}", code="unsupported_value")

    def end(self) -> None:
        for name in self._left:
            shown = name[:80] if _is_unicode(name) else ascii(name)[:80]
            raise self._wrong(shown, "is not a field that is known here", code="unknown_parameter")

    def _take(self, name: str, kind: type[T]) -> T | None:
        value = self._left.pop(name, None)
        # isinstance would take True for a whole number.
        if value is not None and type(value) is not kind:
            raise self._wrong(name, f"must be {KINDS[kind]}", code="invalid_type")
        return value

    def required(self, name: str, value: T | None) -> T:
        """The `value` that was read of this field, unless it is missing."""
        if value is None:
            raise self._wrong(name, "is missing", code="missing_required_parameter")
        return value

    def _wrong(self, name: str, what: str, *, code: str) -> ProtocolError:
        dotted = self._dotted(name)
        return ProtocolError(f"{dotted} {what}.", code=code, param=dotted)

    def _dotted(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name


def _is_unicode(text: str) -> bool:
    """JSON can spell "\\ud800", which no encoder downstream would take."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
