"""What the grade panel says of a verdict."""

from playwright.sync_api import expect


def test_a_symbolic_match_on_parts_of_the_texts_says_which(new_visitor):
    page = new_visitor("?task=demo_stocks_qa_1", width=390)
    expect(page.locator(".data_preview table")).to_be_visible()  # what still loads above would move the panel
    expect(page.locator(".notebook .cm-editor")).to_be_visible()
    page.get_by_label("Your answer").fill("2018-01-01")
    page.get_by_label("Your answer").press("Enter")
    verdict = page.locator(".grade_panel [data-outcome]")
    expect(verdict).to_have_attribute("data-method", "math_verify")
    expect(verdict).to_contain_text("It read 2018 in the gold and 2018 in the answer.")
    expect(verdict).to_be_in_viewport(ratio=1)


def test_a_right_answer_leads_on_to_the_next_task_and_g_to_the_answer(new_visitor):
    page = new_visitor("?task=demo_tips_qa_2")
    expect(page.locator(".nb-cell").first).to_be_visible()
    page.locator("h1").click()
    page.keyboard.press("g")
    answer = page.get_by_label("Your answer")
    expect(answer).to_be_focused()
    on = page.get_by_role("button", name="Next unsolved task")
    for text, outcome in (("0", "wrong"), ("38.1%", "right")):
        answer.fill(text)
        answer.press("Enter")
        expect(page.locator(".grade_panel [data-outcome]")).to_have_attribute("data-outcome", outcome)
        expect(on).to_have_count(int(outcome == "right"))
    on.press("Enter")
    expect(page.locator(".task_view .mono").first).not_to_have_text("demo_tips_qa_2")
    expect(page.locator(".task_view .asked")).to_be_focused()
    expect(answer).to_have_value("")


def test_a_verdict_tells_whose_it_is_once_the_box_holds_another_answer(new_visitor):
    page = new_visitor("?task=demo_tips_qa_2")
    answer, panel = page.get_by_label("Your answer"), page.locator(".grade_panel")
    whose = panel.get_by_text("The verdict below is of")
    answer.fill("39%")
    answer.press("Enter")
    expect(panel.locator("[data-outcome]")).to_have_attribute("data-outcome", "wrong")
    expect(whose).to_be_hidden()
    answer.fill("38.1%")
    expect(whose).to_contain_text("The verdict below is of 39%. Grade to see")
    answer.fill("39%")
    expect(whose).to_be_hidden()
    answer.fill("38.1%")
    answer.press("Enter")
    expect(panel.locator("[data-outcome]")).to_have_attribute("data-outcome", "right")
    expect(whose).to_be_hidden()


def test_a_verdict_is_there_again_on_coming_back_to_its_task(new_visitor):
    page = new_visitor("?task=demo_tips_qa_2")
    page.get_by_label("Your answer").fill("39%")
    page.get_by_label("Your answer").press("Enter")
    verdict = page.locator(".grade_panel [data-outcome]")
    expect(verdict).to_be_visible()
    page.get_by_role("button", name="Next task").click()
    expect(verdict).to_have_count(0)
    page.go_back()
    expect(verdict).to_have_attribute("data-outcome", "wrong")
    expect(page.locator(".grade_panel .attempts li")).to_have_count(1)


def test_a_list_in_another_order_says_that_order_is_not_graded(new_visitor):
    page = new_visitor("?task=demo_gapminder_qa_3")
    page.get_by_label("Your answer").fill("Kuwait, Norway, Singapore, United States, Ireland")
    page.get_by_label("Your answer").press("Enter")
    verdict = page.locator(".grade_panel [data-outcome]")
    expect(verdict).to_have_attribute("data-method", "list")
    expect(verdict).to_contain_text("in which order the items stand is not graded")
    expect(page.locator(".grade_panel [data-caution=order_ignored]")).to_be_visible()


def test_a_pair_that_does_not_match_says_how_far_off_it_may_be(new_visitor):
    page = new_visitor("?task=demo_tips_qa_3")
    page.get_by_label("Your answer").fill("17.7, 17.15, 20.44, 21.41")
    page.get_by_label("Your answer").press("Enter")
    pairs = page.locator(".grade_panel [data-rung=list] .pairs tbody tr")
    expect(pairs.first).to_contain_text("✕ off by 0.02, allowed 0.01768")
    broken = "cell => cell.getClientRects().length > 1"
    assert not any(quote.evaluate(broken) for quote in pairs.locator(".quote").all())


def test_a_miss_says_first_what_the_telling_rung_found(new_visitor):
    for task, answer, why in (
        ("demo_wine_qa_1", "59, 71", "The gold has 3 items, the answer 2 items."),
        (
            "demo_gapminder_qa_3",
            "Norway, Kuwait, Singapore, USA, Ireland",
            "4 of 5 pairs match in the given order; no more do once both sides are sorted. "
            "The pair that does not: United States in the gold, USA in the answer.",
        ),
        ("demo_iris_qa_1", "7", "The first numbers of both are too far apart."),
    ):
        page = new_visitor(f"?task={task}")
        page.get_by_label("Your answer").fill(answer)
        page.get_by_label("Your answer").press("Enter")
        verdict = page.locator(".grade_panel [data-outcome]")
        expect(verdict).to_contain_text(f"No rung of the ladder matched. {why}")


def test_n_goes_to_the_notebook_though_it_is_folded_away(new_visitor):
    page = new_visitor("?task=demo_tips_qa_2")
    cell = page.locator(".nb-cell").first
    expect(cell).to_contain_text("read_csv")
    page.get_by_role("button", name="Notebook pane").click()
    expect(cell).to_be_hidden()
    page.locator("h1").click()
    page.keyboard.press("n")
    expect(cell).to_be_focused()


def test_that_a_verdict_shows_the_gold_is_told_until_it_is_seen(new_visitor):
    page = new_visitor("?task=demo_tips_qa_2", width=390)
    told = page.get_by_text("A verdict shows the gold answer too, right or wrong.")
    expect(told).to_be_visible()
    page.get_by_role("button", name="Reveal gold").click()
    expect(page.locator(".grade_panel .gold")).to_be_visible()
    expect(told).to_be_hidden()


def test_the_last_output_of_a_running_cell_is_waited_for(new_visitor):
    page = new_visitor("?task=demo_tips_qa_2")
    expect(page.locator(".nb-cell").first).to_contain_text("read_csv")
    page.get_by_role("button", name="+ Cell").click()
    page.keyboard.insert_text("input()")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".nb-kernel")).to_have_text("Running")
    page.get_by_role("button", name="Use last output").click()
    expect(page.get_by_text("A cell is running. Use its result once it is there.")).to_be_visible()


def test_focus_goes_to_the_question_that_takes_the_place_of_the_button(new_visitor):
    page = new_visitor()
    page.get_by_role("button", name="Try a task").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".task_view .asked")).to_be_focused()
