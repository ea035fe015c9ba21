"""The process that fetches one file of a bucket by Xet: told what by a line of JSON, it ends when its input does."""

from __future__ import annotations

import json
import os
import sys
import threading


def main() -> None:
    wanted = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_app, daemon=True).start()
    from huggingface_hub import download_bucket_files

    files = [(wanted["path"], wanted["target"])]
    download_bucket_files(wanted["bucket"], files, raise_on_missing_files=True, token=wanted["token"] or False)


def _end_with_the_app() -> None:
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    main()
