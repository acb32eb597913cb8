"""The command line; `assistant --help` lists its commands."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from assistant import __version__, log
from assistant.config import Config
from assistant.config_file import load
from assistant.errors import AssistantError, AudioFileError, ConfigError

BENCHMARKS = ("turns", "hearing", "engine", "speaking", "seeing", "faults", "network", "answers")
_LARGE = {
    "replay": "recorded conversations, again",
    "load": "callers, more and more of them",
    "plan": "what drafting brings, and how many boxes a crowd needs",
}
"""Commands with a package of their own, whose `command` module is loaded for them alone."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; return the exit status: 0 done, 1 it failed, 2 it was asked wrongly."""
    words = sys.argv[1:] if arguments is None else arguments
    with _loading():
        options = _parser(next(iter(words), "")).parse_args(words)
    level = logging.DEBUG if options.verbose else logging.INFO
    log.set_up(log.LogSettings(level, options.log_format))
    try:
        config = load(options.config, options.set)
        run: Callable[[Config, argparse.Namespace], int] = options.run
        return run(config, options)
    except ConfigError as error:
        print(f"assistant: {error}", file=sys.stderr)
        return 2
    except AssistantError as error:
        print(f"assistant: {error}", file=sys.stderr)
        return 1
    except BaseExceptionGroup as group:
        ours, others = group.split(AssistantError)
        if others is not None:
            raise
        for leaf in _leaves(ours):
            print(f"assistant: {leaf}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


@contextmanager
def _loading() -> Iterator[None]:
    """An interrupt ends the program at once: modules that load turn it into errors of their own."""
    handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _parser(named: str) -> argparse.ArgumentParser:
    """`named`: the command that was given; what has options of its own is loaded for it alone."""
    parser = argparse.ArgumentParser(
        prog="assistant", description="Parley: a voice-and-vision assistant on your own machine."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--config", type=Path, metavar="FILE", help="a TOML file of settings")
    common.add_argument(
        "--set", action="append", default=[], metavar="A.B=C", help="one setting; may be repeated"
    )
    common.add_argument("--verbose", action="store_true", help="log everything, words included")
    common.add_argument(
        "--log-format", choices=("text", "json"), default="text", help="for people, or for programs"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    serve = commands.add_parser("serve", parents=[common], help="serve the page and its calls")
    serve.add_argument(
        "--tls", action="store_true", help="to the whole LAN, with a certificate made once"
    )
    serve.set_defaults(run=_serve)

    ask = commands.add_parser("ask", parents=[common], help="one turn without a browser")
    asked = ask.add_mutually_exclusive_group(required=True)
    asked.add_argument("--wav", type=Path, metavar="FILE", help="a recorded question")
    asked.add_argument("--text", help="a typed question")
    ask.add_argument("--image", type=Path, metavar="FILE", help="what the camera shows")
    ask.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="the spoken answer (default: answer.wav)",
    )
    ask.add_argument("--json", action="store_true", help="print one JSON object")
    ask.set_defaults(run=_ask)

    models = commands.add_parser("models", help="the models that are known, and where they are")
    actions = models.add_subparsers(required=True, metavar="ACTION")
    listing = actions.add_parser(
        "list", parents=[common], help="every model, and whether it is here"
    )
    listing.set_defaults(run=_models_list)
    pull = actions.add_parser("pull", parents=[common], help="fetch models and check them")
    pull.add_argument("ids", nargs="*", metavar="ID", help="default: what the settings need")
    pull.set_defaults(run=_models_pull)
    verify = actions.add_parser("verify", parents=[common], help="check every file's SHA-256")
    verify.add_argument("ids", nargs="*", metavar="ID", help="default: every model")
    verify.set_defaults(run=_models_verify)

    voices = commands.add_parser("voices", parents=[common], help="who can speak, and what")
    voices.set_defaults(run=_voices)

    index = commands.add_parser("index", parents=[common], help="read documents of your own")
    index.add_argument("folder", type=Path, metavar="DIR", help="text, Markdown, PDF and code")
    index.set_defaults(run=_index)

    cache = commands.add_parser("cache", help="the answers that were kept")
    actions = cache.add_subparsers(required=True, metavar="ACTION")
    clear = actions.add_parser("clear", parents=[common], help="forget every one of them")
    clear.set_defaults(run=_cache_clear)

    export = commands.add_parser("export", parents=[common], help="a conversation that was kept")
    export.add_argument("id", nargs="?", metavar="ID", help="default: the newest")
    export.add_argument("--list", action="store_true", help="which there are, without their words")
    export.add_argument("--format", choices=("markdown", "json", "srt"), default="markdown")
    export.add_argument("--language", choices=("en", "zh"), default="en", help="of the headings")
    export.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    export.set_defaults(run=_export)

    doctor = commands.add_parser("doctor", parents=[common], help="what is missing, what to do")
    doctor.set_defaults(run=_doctor)

    for name, told in _LARGE.items():
        large = commands.add_parser(name, parents=[common], help=told)
        if name == named:
            command = importlib.import_module(f"assistant.{name}.command")
            command.add_arguments(large)
            large.set_defaults(run=command.run)

    bench = commands.add_parser("bench", help="measure a part, against the plain way")
    benchmarks = bench.add_subparsers(required=True, metavar="WHAT", dest="what")
    for what in BENCHMARKS if named == "bench" else ():
        module = importlib.import_module(f"assistant.bench.{what}")
        benchmark = benchmarks.add_parser(what, parents=[common], help=_first_line(module.__doc__))
        benchmark.add_argument("--json", action="store_true", help="print one JSON object")
        module.add_arguments(benchmark)
        benchmark.set_defaults(run=_bench)
    return parser


def _first_line(docstring: str | None) -> str:
    """Less the command's own name, which help shows beside it."""
    return (docstring or "").partition("\n")[0].partition(": ")[2]


def _leaves(error: BaseException | None) -> list[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        return [leaf for inner in error.exceptions for leaf in _leaves(inner)]
    return [error] if error is not None else []


def _serve(config: Config, options: argparse.Namespace) -> int:
    with _loading():
        from assistant.app import serve
    from assistant.lan import opened

    asyncio.run(serve(opened(config) if options.tls else config))
    return 0


def _ask(config: Config, options: argparse.Namespace) -> int:
    with _loading():
        from assistant.ask import as_json, ask, print_answer
        from assistant.audio_file import read_speech, write_wav
        from assistant.engines import start_engines
        from assistant.speaker import SAMPLE_RATE_HZ
        from assistant.vision.image_file import read_image

    speech = read_speech(options.wav) if options.wav else None
    picture = read_image(options.image) if options.image else None
    audio: Path = options.out or Path("answer.wav")
    if not os.access(audio.parent, os.W_OK):
        raise AudioFileError(f"{audio.absolute()} cannot be written; name another with --out FILE")

    async def run() -> int:
        async with start_engines(config) as engines:
            await engines.wait_ready()
            answer = await ask(engines, config, speech=speech, text=options.text, picture=picture)
        kept = audio if options.out or len(answer.sound) else None
        if kept is not None:
            write_wav(kept, answer.sound, SAMPLE_RATE_HZ)
        if options.json:
            print(json.dumps(as_json(answer, str(kept) if kept else None), ensure_ascii=False))
        else:
            print_answer(answer, kept)
        return 0 if answer.answer else 1

    return asyncio.run(run())


def _models_list(config: Config, options: argparse.Namespace) -> int:
    from assistant.model_store import ModelStore
    from assistant.models_command import list_models

    return list_models(ModelStore(config.models.folder))


def _models_pull(config: Config, options: argparse.Namespace) -> int:
    from assistant.model_store import ModelStore, required_models
    from assistant.models_command import pull_models

    return pull_models(
        ModelStore(config.models.folder), options.ids or list(required_models(config))
    )


def _models_verify(config: Config, options: argparse.Namespace) -> int:
    from assistant.model_store import ModelStore
    from assistant.models_command import verify_models

    return verify_models(ModelStore(config.models.folder), options.ids)


def _voices(config: Config, options: argparse.Namespace) -> int:
    from assistant.model_store import ModelStore
    from assistant.voices_command import list_voices

    return list_voices(ModelStore(config.models.folder), config.voice.model)


def _index(config: Config, options: argparse.Namespace) -> int:
    from assistant.documents_command import index_folder

    return index_folder(config, options.folder)


def _cache_clear(config: Config, options: argparse.Namespace) -> int:
    from assistant.known_answers import clear_cache

    return clear_cache(config)


def _export(config: Config, options: argparse.Namespace) -> int:
    from assistant.memory_command import export, list_conversations

    if options.list:
        return list_conversations(config)
    return export(config, options.id, options.format, options.language, options.out)


def _doctor(config: Config, options: argparse.Namespace) -> int:
    from assistant.doctor import examine

    return examine(config)


def _bench(config: Config, options: argparse.Namespace) -> int:
    from assistant.bench.report import circumstances, finish

    module = importlib.import_module(f"assistant.bench.{options.what}")
    report = circumstances(config)
    report |= asyncio.run(module.measure(config, options))
    finish(report)
    if options.json:
        print(json.dumps(report, ensure_ascii=False))
    return 1 if report.get("failures") else 0


if __name__ == "__main__":
    sys.exit(main())
