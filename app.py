"""The front door: settings → services → components → a FastAPI app with Gradio at "/"."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from services.catalog import CatalogError, open_catalog
from services.settings import Settings, SettingsError, load_settings

if TYPE_CHECKING:
    from fastapi import FastAPI

# What a cell displays runs in a frame of no origin: it must not lead that frame, and so a value, elsewhere.
NO_FRAMES = """<meta http-equiv="Content-Security-Policy" content="frame-src 'none'; object-src 'none'">"""


def create_app(settings: Settings) -> FastAPI:
    """Build the whole app. Its kernels and grading workers live as long as its lifespan."""
    # Gradio reads environment variables of its own as it is imported: ours were checked, and told of, before
    with ThreadPoolExecutor(1) as thread:  # what the Hub takes, the imports take too
        opening = thread.submit(open_catalog, settings)
        from components.quick_gradio import leave_out_stubs

        leave_out_stubs()
        import gradio as gr
        from fastapi import FastAPI

        from components.api import answer_mcp_in_json
        from components.layout import THEME, build_page
        from components.page_head import use_own_head
        from components.task_browser import task_list
        from components.web import FOLDER, PLACE, gradio_files, web_files
        from services.batch import Batches
        from services.datafiles import DataFiles
        from services.grading import Grader
        from services.kernels import WARM_FIRST_SECONDS, KernelPool, Launcher, guard_memory
        from services.reference import open_reference
        from services.routes import batch_routes, kernel_routes
        from services.tables import ready as tables_ready
        from services.tables.whole import Limits, WholeTables

        guard_memory()
        catalog = opening.result()
    datafiles = DataFiles.from_settings(catalog.source, settings)
    catalog.on_change(datafiles.use)

    tables = WholeTables(
        Limits(
            settings.cache_dir / "tables",
            max_bytes=int(settings.table_cache_gb * 1e9),
            floor_bytes=int(settings.disk_free_gb * 1e9),
            seconds=settings.table_seconds,
            memory_bytes=settings.table_memory_mb * 1024**2,
        )
    )

    def new_grader() -> Grader:
        return Grader(settings.grader_workers, settings.grader_seconds, settings.grader_memory_mb)

    grader = new_grader()
    reference = open_reference(settings)
    batches = Batches(settings.cache_dir / "batches", catalog, new_grader, settings.batch_mb, reference)
    launcher = Launcher.from_settings(settings)
    pool = KernelPool.from_settings(settings, launcher)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        with (
            grader,
            contextlib.closing(reference) if reference else contextlib.nullcontext(),
            contextlib.closing(batches),
            tables_ready(settings.preview_seconds, settings.preview_memory_mb),
            contextlib.closing(tables),
        ):
            catalog.look_for_newer()
            datafiles.prepare()
            async with launcher, pool:
                # as the kernels are: the first page needs the processor more
                preparing = asyncio.get_running_loop().call_later(WARM_FIRST_SECONDS, grader.prepare)
                yield
                preparing.cancel()

    app = FastAPI(title="SmolDataEnvs Workbench", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    own_names = None if settings.public else {"localhost", "127.0.0.1", "::1", settings.gradio_server_name}
    app.include_router(kernel_routes(pool, catalog, datafiles, own_names, proxied=bool(settings.space_id)))
    app.include_router(batch_routes(batches, own_names))

    app.mount(f"/{PLACE}", web_files(), name="web")
    app.mount("/assets", gradio_files())
    page = build_page(catalog, datafiles, tables, grader, reference, batches, launcher.report)
    use_own_head(task_list(catalog))
    gr.mount_gradio_app(
        app,
        page,
        path="/",
        favicon_path=str(FOLDER / "icon.png"),
        server_name=settings.gradio_server_name,
        server_port=settings.gradio_server_port,
        theme=THEME,
        head=NO_FRAMES,
        footer_links=[],
        run_history=False,
        max_file_size=1,  # byte: nothing on the page is uploaded, so no one may fill the disk
        ssr_mode=False,
        app_kwargs={"docs_url": None, "redoc_url": None, "openapi_url": None},  # they tell of Gradio's own routes
        show_error=True,
        mcp_server=True,
    )
    answer_mcp_in_json(page)
    return app


def main() -> int:
    """Start the app; a setting it can't use ends it with a sentence and exit code 2."""
    logging.basicConfig(format="%(levelname)s %(name)s: %(message)s")
    logging.getLogger("services").setLevel(logging.INFO)
    gc.disable()  # what the imports make stays for good: to look through it again and again is time lost
    try:
        settings = load_settings()
        app = create_app(settings)
    except (SettingsError, CatalogError) as error:
        print(error, file=sys.stderr)
        return 2
    gc.freeze()
    gc.enable()
    import uvicorn

    shown = "localhost" if settings.gradio_server_name in {"127.0.0.1", "0.0.0.0"} else settings.gradio_server_name
    print(f"SmolDataEnvs Workbench: http://{shown}:{settings.gradio_server_port}", flush=True)
    uvicorn.run(
        app,
        host=settings.gradio_server_name,
        port=settings.gradio_server_port,
        log_level="warning",
        timeout_graceful_shutdown=3,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
