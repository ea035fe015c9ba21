"""A Hub that fails at the start and is well later: the page says so, and a press of a button brings the tasks."""

import pyarrow as pa
import pyarrow.parquet as pq
from playwright.sync_api import expect

from tests.loopback_hub import COMMIT, Fault, LoopbackHub
from tests.served_app import served_app
from tests.synthetic_source import COLUMNS, datasets, rows


def test_try_again_brings_the_tasks_without_a_restart(new_visitor, tmp_path):
    (tmp_path / "repository" / "data").mkdir(parents=True)
    table = pa.Table.from_pylist(rows("eval", 0, datasets())[:7], COLUMNS)
    pq.write_table(table, tmp_path / "repository" / "data" / "eval-00000-of-00001.parquet")
    bucket = table.column("hf_bucket")[0].as_py()
    folder = tmp_path / "bucket" / table.column("bucket_prefix")[1].as_py()
    folder.mkdir(parents=True)
    for name in table.column("files")[1].as_py():
        (folder / name).write_text("city,age\nLagos,31\n")
    repositories = {"FineEnvs/SmolDataEnvs": tmp_path / "repository"}
    with LoopbackHub(datasets=repositories, buckets={bucket: tmp_path / "bucket"}) as hub:
        hub.faults.append(Fault("/api/datasets", status=500))
        settings = {"TASKS_SOURCE": "auto", "TASKS_REVISION": COMMIT, "HF_ENDPOINT": hub.url, "KERNEL_WAITING": "0"}
        with served_app(settings, tmp_path / "cache") as (url, _):
            page = new_visitor(base=url)
            list_of_tasks = page.get_by_role("region", name="Tasks", exact=True)
            expect(list_of_tasks).to_contain_text("of the bundled suite, because the Hub answered with status 500")
            again = page.get_by_role("button", name="Try again")
            again.click()
            expect(again).to_be_enabled()
            expect(list_of_tasks).to_contain_text("Try again when the network is back.")

            hub.faults.clear()
            again.click()
            expect(list_of_tasks).to_contain_text("Showing 7 tasks of FineEnvs/SmolDataEnvs at revision 0123456")
            expect(again).to_be_hidden()
            expect(list_of_tasks.locator("li[data-task]")).to_have_count(7)

            list_of_tasks.locator("li[data-task]").nth(1).click()  # its files come from the Hub too
            expect(page.get_by_role("region", name="Data", exact=False).first).to_contain_text("Lagos")
