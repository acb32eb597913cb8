"""Our exception hierarchy:

* AssistantError
  * ConfigError          a settings file or option says something that we do not understand
  * ModelFileError       a model is missing, damaged, or cannot be fetched
  * AudioFileError       a file that should hold sound does not
  * RecallError          kept answers, documents or memories cannot be read or written
  * ServerError          the server cannot start (port in use, TLS files)
  * NotReadyError        the models are still being loaded
  * BusyError            as many people as are allowed are talking already
  * TooManyError         one address asks for more than is its share
  * UnauthorizedError    somebody has neither the key, nor the code, nor a client secret
  * ProtocolError        a client sent something that the wire protocol does not allow
  * StageError           a stage could not do its part of a turn
    * RecognizerError
    * BrainError
      * TooLongError     what the brain is asked does not fit into its context
    * VoiceError
    * EyesError

Every message is one sentence that a person can act on. `code` is stable and goes over the wire.
"""

from __future__ import annotations

from typing import ClassVar

from assistant.shortfalls import Shortfall


class AssistantError(Exception):
    """Base class of every error that we raise on purpose."""

    code: str = "error"


class ConfigError(AssistantError):
    code = "config"


class ModelFileError(AssistantError):
    code = "model_file"


class AudioFileError(AssistantError):
    code = "audio_file"


class RecordingError(AssistantError):
    code = "recording"


class RecallError(AssistantError):
    code = "recall"


class ServerError(AssistantError):
    code = "server"


class NotReadyError(AssistantError):
    code = "not_ready"


class BusyError(AssistantError):
    code = "busy"


class TooManyError(AssistantError):
    code = "rate_limit_exceeded"


class UnauthorizedError(AssistantError):
    code = "invalid_api_key"


class ProtocolError(AssistantError):
    """`code` names the kind of mistake in the protocol's own words; `param` the field at fault."""

    def __init__(
        self, message: str, *, code: str = "invalid_request", param: str | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.param = param
        self.event_id: str | None = None
        """Which of the client's events it was; None if that event gave itself no id."""


class StageError(AssistantError):
    """A stage could not do its part of a turn. The turn degrades; the session goes on."""

    code: Shortfall = Shortfall.ERROR
    stage: ClassVar[str] = "unknown"

    def __init__(self, message: str, *, code: Shortfall | None = None) -> None:
        super().__init__(message)
        self.code = code or self.code


class RecognizerError(StageError):
    stage = "ears"


class BrainError(StageError):
    stage = "brain"


class TooLongError(BrainError):
    code = Shortfall.TOO_LONG


class VoiceError(StageError):
    stage = "voice"


class EyesError(StageError):
    stage = "eyes"
