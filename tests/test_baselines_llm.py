"""Language models as predictors: prompts, strategies, answers, distributions, leaks and costs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import beliefgraph as bg
from beliefgraph.baselines.llm import (
    STRATEGIES,
    FewShotPredictor,
    LLMPredictor,
    Strategy,
    about_tokens,
    answers,
    find_strategy,
    llm_predictor,
    samples,
    scripted_predictor,
)
from beliefgraph.baselines.llm.answers import read_answer, read_response
from beliefgraph.baselines.llm.logprobs import option_distribution
from beliefgraph.baselines.llm.options import Option, options_of
from beliefgraph.baselines.llm.prompts import EXPERTS, TEMPLATES
from beliefgraph.baselines.llm.retrieval import TfIdf, tfidf_similarity, top_turns
from beliefgraph.benchmark.costs import estimate, first_prompt
from beliefgraph.benchmark.evaluate import evaluate
from beliefgraph.benchmark.predictors import make_predictor
from beliefgraph.benchmark.protocols import visible_person
from beliefgraph.benchmark.run import Protocol, Run
from beliefgraph.errors import BeliefGraphError, LLMError, SurveyError
from beliefgraph.llm import (
    CachedChat,
    ChatRequest,
    ChatResponse,
    Prices,
    ScriptedChat,
    TokenLogprob,
)
from beliefgraph.survey import Item, ItemSet, Person, Predictor, Question, Scale
from tests.items_invented import ANSWERS, invented_items

TEN = tuple(Option(letter, n) for n, letter in enumerate("ABCDEFGHIJ", start=1))
SIGNS = options_of(next(i.question for i in invented_items() if i.question.task == "bsi"))
WITHOUT_VECTORS = sorted(name for name, each in STRATEGIES.items() if not each.vectors)
DOC = Path(__file__).parent.parent / "docs" / "language_model_baselines.md"


def seven(request: ChatRequest) -> dict[str, str] | str:
    """Answer C everywhere it is possible, else A."""
    if request.json_schema is None:
        return "A cautious person."
    letters = request.json_schema["properties"]["answer"]["enum"]
    return {"answer": "C" if "C" in letters else "A"}


def asked_by(
    strategy: str, protocol: Protocol = "zero-shot", items: ItemSet | None = None, **options: Any
) -> tuple[Run, list[ChatRequest]]:
    chat = ScriptedChat(seven)
    predictor = llm_predictor(chat, strategy=strategy, **options)
    return evaluate(predictor, items or invented_items(), protocol=protocol), chat.requests


def text_of(request: ChatRequest) -> str:
    return "\n".join(message.content for message in request.messages)


def item_of(item_id: str, items: ItemSet | None = None) -> tuple[Item, Person]:
    chosen = items or invented_items()
    item = chosen.by_id[item_id].item
    return item, chosen.people[item.participant]


# --- answers ---------------------------------------------------------------------------------

READ = [
    ('{"answer": "G"}', 7),
    ('{"answer": 7}', 7),
    ('{"answer": "7"}', 7),
    ('```json\n{"answer": "G"}\n```', 7),
    ('<think>It could be {"answer": "A"} or B.</think>\n{"answer": "G"}', 7),
    ('{"reasoning": "The answer is not A.", "answer": "G"}', 7),
    ("G", 7),
    (" **G** ", 7),
    ("(G)", 7),
    ("G.", 7),
    ("7", 7),
    ("7.", 7),
    ("G = 7", 7),
    ("G) 7", 7),
    ("G: 7.", 7),
    ("option G", 7),
    ("7/10", 7),
    ("7 out of 10", 7),
    ("1 to 10: 7", 7),
    ("1-10: 7", 7),
    ("On a scale of 1 to 10, 7", 7),
    ("The answer is B", 2),
    ("The answer is: B.", 2),
    ("**Answer:** B", 2),
    ("So, the most likely answer is B because the person doubts it.", 2),
    ("My rating: 10", 10),
    ("They would choose J", 10),
    ("The person likes it. The answer is B.", 2),
    ("B\n\nThe person said so twice.", 2),
    ("The answer is clear from the interview.\nB", 2),
    ("B\nThe answer is B.", 2),
]
UNREAD = [
    "",
    "   \n",
    "7.5",
    "7,5",
    "The answer is 7.5",
    "eleven",
    "seven",
    "11",
    "0",
    "-3",
    "The answer is 11",
    "1 to 5: 3",
    "3/5",
    "7 or 8",
    "The answer is 7 or 8",
    "between 6 and 8",
    "A or B",
    "A\nB",
    "The answer is A. The answer is B.",
    "A good question.",
    "a",
    "b",
    "not B",
    "The answer is not B.",
    "I'm sorry, I can't tell what a private person thinks.",
    "As an AI model I have no opinion.",
    "La respuesta es B",
    "Die Antwort lautet sieben.",
    "我会选七",
    "[7]\n[8]",
    "{",
    '{"answer": "G"',
    '{"answer": "K"}',
    '{"answer": 7.0}',
    '{"answer": true}',
    '{"answer": null}',
    '{"choice": "G"}',
    '{"answer": "G"} {"answer": "A"}',
    '["G"]x',
    "<think>The answer is B.",
    "<html><body>G</body></html>",
    "1. The person likes it.\n2. It is cheap.",
]


@pytest.mark.parametrize(("text", "point"), READ)
def test_an_answer_is_read(text: str, point: int) -> None:
    assert read_answer(text, TEN).point == point


@pytest.mark.parametrize("text", UNREAD)
def test_what_is_no_answer_is_not_guessed(text: str) -> None:
    reading = read_answer(text, TEN)
    assert reading.point is None
    assert reading.problem


@pytest.mark.parametrize(
    ("text", "sign"),
    [
        ("A", 1),
        ("B", -1),
        ("The answer is B", -1),
        ("positive", 1),
        ("Negative effect.", -1),
        ("B: a negative effect", -1),
        ('{"answer": "A"}', 1),
        ("1", None),
        ("-1", None),
        ("A: a negative effect", None),
        ("C", None),
        ("both", None),
    ],
)
def test_signs_are_letters_or_their_words(text: str, sign: int | None) -> None:
    assert read_answer(text, SIGNS).point == sign


def test_with_reasoning_only_the_last_line_counts() -> None:
    said = "The answer is A at first sight.\nBut they doubt it.\nAnswer: B"
    reading = read_answer(said, TEN, reasoned=True)
    assert (reading.point, reading.reasoning) == (2, "\n".join(said.split("\n")[:2]))
    assert read_answer("Answer: B\nThat is all.", TEN, reasoned=True).point is None


def test_a_line_that_was_cut_off_does_not_count() -> None:
    assert read_answer("The answer is 1", TEN, cut_off=True).point is None
    assert read_answer("B\nThe person sai", TEN, cut_off=True).point == 2
    cut = read_response(ChatResponse(text='{"answer": "', finish_reason="length"), TEN)
    assert cut.problem is not None
    assert cut.problem.startswith("cut off at the longest answer")
    whole = ChatResponse(text='{"answer": "B"}', finish_reason="length")
    assert read_response(whole, TEN).point == 2


def test_a_refusal_is_named() -> None:
    refusal = ChatResponse(text="B", refusal="I would rather not.")
    assert read_response(refusal, TEN).problem == "the model refused"


def test_any_text_is_read_or_not_and_never_breaks() -> None:
    pytest.importorskip("hypothesis")
    from hypothesis import given
    from hypothesis import strategies as st

    piece = st.sampled_from(
        ["answer", " is ", "A", "B", "J", "7", "10", ".", "\n", '"', "{", "}", ":", "/", "-", " "]
    )

    @given(st.one_of(st.text(), st.lists(piece).map("".join)))
    def check(text: str) -> None:
        for options in (TEN, SIGNS):
            for reasoned in (False, True):
                reading = read_answer(text, options, reasoned=reasoned)
                assert (reading.point is None) == (reading.problem is not None)
                assert reading.point is None or reading.point in {o.point for o in options}

    check()


def test_every_option_can_be_said_by_letter_and_number() -> None:
    for option in TEN:
        for said in (option.letter, str(option.point), f"The answer is {option.letter}."):
            assert read_answer(said, TEN).point == option.point


# --- options and distributions ---------------------------------------------------------------


def question(scale: Scale, task: Any = "bdu_stance") -> Question:
    reason = "It is loud." if task == "bdu_reason" else None
    return Question(
        question_id="q", topic="trams", task=task, text="How?", scale=scale, reason=reason
    )


def test_every_option_is_one_capital_letter() -> None:
    for scale in (Scale.between(1, 5), Scale.between(0, 10), Scale.between(-3, 3)):
        options = options_of(question(scale))
        assert [o.point for o in options] == list(scale.points)
        assert all(re.fullmatch("[A-Z]", o.letter) for o in options)
        assert len({o.letter for o in options}) == len(options)
    assert [(o.letter, o.point) for o in SIGNS] == [("A", 1), ("B", -1)]
    with pytest.raises(SurveyError, match="at most 26"):
        options_of(question(Scale.between(0, 100)))


def test_labels_and_ends_are_shown() -> None:
    named = options_of(question(Scale(points=(1, 2, 3), labels=("no", "maybe", "yes"))))
    assert [o.meaning for o in named] == ["1 (no)", "2 (maybe)", "3 (yes)"]
    assert read_answer("maybe", named).point == 2
    weights = options_of(question(Scale.between(1, 5), "bdu_reason"))
    assert weights[-1].meaning == "5 (very strong influence)"


def tokens(*pairs: tuple[str, dict[str, float]]) -> list[TokenLogprob]:
    """Make tokens of (said, probabilities in its place)."""
    return [
        TokenLogprob(
            token=said,
            logprob=math.log(top.get(said, 1.0)),
            top=tuple((token, math.log(p)) for token, p in top.items()),
        )
        for said, top in pairs
    ]


def test_option_probabilities_are_summed_over_spellings_and_renormalised() -> None:
    said = tokens(("B", {"B": 0.3, " B": 0.1, "A": 0.2, "The": 0.4}))
    found = option_distribution(said, SIGNS)
    assert found is not None
    # the signs' scale is -1, 1: B stands first
    assert found[0] == pytest.approx((0.4 / 0.6, 0.2 / 0.6))
    assert found[1] == pytest.approx(0.6)


def test_the_letter_is_found_inside_json() -> None:
    before: list[tuple[str, dict[str, float]]] = [
        ('{"', {'{"': 1.0}),
        ("answer", {"answer": 0.9, "A": 0.1}),
        ('":', {'":': 1.0}),
        (' "', {' "': 1.0}),
    ]
    letter: tuple[str, dict[str, float]] = ("A", {"A": 0.75, "B": 0.25})
    found = option_distribution(tokens(*before, letter, ('"}', {})), SIGNS)
    assert found is not None
    assert found[0] == pytest.approx((0.25, 0.75))


def test_an_option_that_is_not_listed_gets_no_more_than_is_left() -> None:
    found = option_distribution(tokens(("A", {"A": 0.5, "B": 0.3, "C": 0.1})), TEN)
    assert found is not None
    weights = np.array([0.5, 0.3, 0.1] + [0.1 / 7] * 7)  # 0.1 left for seven
    assert found[0] == pytest.approx(tuple(weights / weights.sum()))
    tail = option_distribution(tokens(("A", {"A": 0.4, "x": 0.001})), SIGNS)
    assert tail is not None
    assert tail[0] == pytest.approx((0.001 / 0.401, 0.4 / 0.401))  # the least of the list


@pytest.mark.parametrize(
    "said",
    [
        [],
        tokens(("The", {"The": 0.6, "A": 0.4}), ("A", {"A": 1.0})),
        tokens(("7", {"7": 1.0})),
        [TokenLogprob(token="A", logprob=-0.1)],
    ],
)
def test_there_is_no_distribution_where_no_letter_stands_first(said: list[TokenLogprob]) -> None:
    assert option_distribution(said, TEN) is None


def test_the_distribution_reaches_the_prediction_in_the_scales_order() -> None:
    response = ChatResponse(
        text="B", logprobs=tuple(tokens(("B", {"B": 0.5, "A": 0.25, "C": 0.25})))
    )
    item, person = item_of("P1-trams1r_A")
    prediction = LLMPredictor(ScriptedChat([response])).predict(item, person)
    assert prediction.value == 2
    assert prediction.distribution is not None
    assert prediction.distribution[:3] == pytest.approx((0.25, 0.5, 0.25))
    assert prediction.details["option_mass"] == pytest.approx(1.0)


# --- retrieval -------------------------------------------------------------------------------

TEXTS = [
    "Buses are late and late again.",
    "The park is quiet; dogs like the park.",
    "Late trains, late buses, and no park.",
    "A b c",
]


def test_tfidf_by_hand() -> None:
    # "late" stands in both texts (idf 1), "bus" in one (idf ln(3/2) + 1)
    idf = math.log(1.5) + 1
    found = tfidf_similarity("late bus", ["late bus", "late"])
    assert found == pytest.approx([1.0, 1 / math.hypot(1, idf)])


def test_tfidf_is_scikit_learns() -> None:
    text = pytest.importorskip("sklearn.feature_extraction.text")
    vectorizer = text.TfidfVectorizer()
    fitted = vectorizer.fit_transform(TEXTS)
    for query in ("late buses", "a quiet dog park", "unknown words only", "late late train"):
        expected = (fitted @ vectorizer.transform([query]).T).toarray()[:, 0]
        assert tfidf_similarity(query, TEXTS) == pytest.approx(expected)


def test_turns_stand_in_the_order_they_were_spoken() -> None:
    turns = bg.Transcript.from_pairs([("?", text) for text in TEXTS]).turns
    found = top_turns(turns, "late buses", TfIdf(), 2)
    assert [turn.qa_id for turn in found] == ["1", "3"]
    assert [t.qa_id for t in top_turns(turns, "nothing of it", TfIdf(), 2)] == ["1", "2"]
    assert top_turns((), "late", TfIdf(), 2) == ()


class LengthEncoder:
    """A stand-in for sentence vectors: texts of like length are alike."""

    name = "lengths"

    def encode(self, labels: Any) -> Any:
        angles = np.array([len(label) / 100 for label in labels])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def test_sentence_vectors_retrieve_where_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beliefgraph.text.load_encoder", LengthEncoder)
    run, requests = asked_by("rag-vectors", top=2)
    assert run.configuration["settings"]["similarity"] == "vectors of lengths"
    assert all("Parts of an interview" in text_of(request) for request in requests)
    assert all(len(outcome.details["retrieved"]) == 2 for outcome in run.outcomes)


# --- strategies and prompts ------------------------------------------------------------------


@pytest.mark.parametrize("name", WITHOUT_VECTORS)
@pytest.mark.parametrize("how", ["", "+cot"])
def test_every_strategy_answers_every_item(name: str, how: str) -> None:
    predictor = scripted_predictor(name + how, read_graph=graph_of)
    assert isinstance(predictor, Predictor)
    protocol: Protocol = "population-informed" if STRATEGIES[name].learns else "zero-shot"
    run = evaluate(predictor, invented_items(), protocol=protocol, workers=4)
    assert all(outcome.value is not None for outcome in run.outcomes)
    settings = run.configuration["settings"]
    assert settings["chain_of_thought"] == bool(how)
    assert re.fullmatch("[0-9a-f]{12}", settings["prompt_hash"])
    assert json.loads(json.dumps(settings)) == settings
    explained = {outcome.explanation for outcome in run.outcomes}
    assert explained == ({"By a hash of the prompt."} if how else {None})


def test_prompts_of_strategies_differ_and_so_do_their_hashes() -> None:
    names = [name + how for name in WITHOUT_VECTORS for how in ("", "+cot")]
    hashes = {scripted_predictor(name).settings["prompt_hash"] for name in names}
    assert len(hashes) == len(names)


@pytest.mark.parametrize(
    ("name", "there", "absent"),
    [
        ("interview", ["P1 says 8 of trams"], ["of parks", "nearest", "expert", "Other people"]),
        ("no-context", ["age: 30"], ["P1 says"]),
        ("rag", ["P1 says 1 of trams"], ["P1 says 8 of trams"]),
        ("rag-plus", ["P1 says 8 of trams", "nearest to the question"], []),
        ("graph", ["fares -> Support for trams: -0.50, sure 0.90"], ["P1 says"]),
        ("graph-interview", ["fares -> Support for trams", "P1 says 8 of trams"], []),
        ("generative-agents", ["P1 says 8 of trams", "three experts"], []),
    ],
)
def test_what_a_strategy_shows(name: str, there: list[str], absent: list[str]) -> None:
    item, person = item_of("P1-trams1")
    shown = scripted_predictor(name, read_graph=graph_of).show(item, person)
    assert all(text in shown for text in ["How far do you support trams?", *there])
    assert not any(text in shown for text in absent)


def graph_of(transcript: bg.Transcript) -> bg.BeliefGraph:
    stance = f"Support for {transcript.topic}"
    return bg.BeliefGraph.from_edges([("fares", stance, -0.5, 0.9)], stance=stance)


def test_the_question_stands_last_behind_a_shared_prefix() -> None:
    def common(texts: list[str]) -> str:
        short, long = min(texts), max(texts)
        n = next((n for n, c in enumerate(short) if c != long[n]), len(short))
        return short[:n]

    for name in ("interview", "rag-plus", "graph-interview", "few-shot"):
        _, requests = asked_by(name, "population-informed", read_graph=graph_of)
        own = [text_of(r) for r in requests if "P1 says 8 of trams" in text_of(r)[:3000]]
        own = [text for text in own if "hides turn 9" not in text]
        shared = common(own)
        assert "P1 says 8 of trams." in shared, name
        assert "support trams" not in shared, name


def test_reflections_are_asked_once_an_interview() -> None:
    run, requests = asked_by("generative-agents")
    reflecting = [request for request in requests if request.json_schema is None]
    contexts = {item.context.model_dump_json() for item in invented_items()}
    assert len(reflecting) == len(EXPERTS) * len(contexts)
    assert len({text_of(request) for request in reflecting}) == len(reflecting)
    assert sum(outcome.details["calls"] for outcome in run.outcomes) == len(requests)
    answering = [text_of(request) for request in requests if request.json_schema is not None]
    assert all(text.count("A cautious person.") == len(EXPERTS) for text in answering)


def test_each_expert_has_a_persona_of_its_own() -> None:
    item, person = item_of("P1-trams1")
    *reflecting, _ = scripted_predictor("generative-agents").requests(item, person)
    for expert, request in zip(EXPERTS, reflecting, strict=True):
        assert f"You are a {expert.replace('_', ' ')}" in text_of(request)


def test_a_graph_that_cannot_be_read_is_said_and_the_run_goes_on() -> None:
    def none(transcript: bg.Transcript) -> bg.BeliefGraph:
        raise bg.StanceError("no stance is named")

    run, requests = asked_by("graph", read_graph=none)
    assert {outcome.details["graph"] for outcome in run.outcomes} == {"no stance is named"}
    assert all("No beliefs could be read" in text_of(request) for request in requests)

    def dead(transcript: bg.Transcript) -> bg.BeliefGraph:
        raise LLMError("no connection")

    with pytest.raises(LLMError, match="no connection"):
        asked_by("graph", read_graph=dead)


@pytest.mark.needs_pipeline
def test_the_graph_is_the_one_that_extract_reads(bus_graph: bg.BeliefGraph) -> None:
    assert bus_graph.transcript is not None
    item = Item(
        item_id="i",
        participant="P9",
        question=question(Scale.between(1, 10)),
        context=bus_graph.transcript,
    )
    shown = scripted_predictor("graph").show(item, Person(participant="P9"))
    assert bus_graph.influences
    for edge in bus_graph.influences:
        line = f"- {edge.source} -> {edge.target}: {edge.weight:+.2f}, sure {edge.confidence:.2f}"
        assert line in shown


def test_a_scenario_and_a_reason_are_shown_once() -> None:
    shown = scripted_predictor().show(*item_of("P1-trams2"))
    assert shown.count("It turns out to be cheap.") == 1
    assert "where the person stands after that" in shown
    weighed = scripted_predictor().show(*item_of("P1-trams1r_A"))
    assert weighed.count("It saves money.") == 1
    assert "where the person stands after that" not in weighed


def test_tutorial_turns_are_not_shown() -> None:
    item, person = item_of("P1-trams1")
    turns = item.context.turns
    tutorial = turns[0].replace(role="tutorial", answer="Press the button.")
    changed = item.replace(context=item.context.replace(turns=(tutorial, *turns[1:])))
    assert "Press the button" not in scripted_predictor().show(changed, person)
    assert "P1 says 2 of trams" in scripted_predictor().show(changed, person)


def test_an_empty_interview_is_said_to_be_one() -> None:
    item, person = item_of("P1-trams1")
    empty = item.replace(context=item.context.replace(turns=()))
    for name in ("interview", "rag", "rag-plus", "graph", "generative-agents"):
        predictor = scripted_predictor(name)
        assert predictor.predict(empty, person.replace(demographics={})).value is not None
    assert "There is no interview." in scripted_predictor().show(empty, person)


# --- templates -------------------------------------------------------------------------------


def test_a_template_of_ones_own_stands_in(tmp_path: Path) -> None:
    (tmp_path / "role.jinja").write_text("Be brief, {not a variable}.", encoding="utf-8")
    item, person = item_of("P1-trams1")
    own, plain = scripted_predictor(template_dir=tmp_path), scripted_predictor()
    assert own.requests(item, person)[0].messages[0].content == "Be brief, {not a variable}."
    assert own.requests(item, person)[0].messages[1] == plain.requests(item, person)[0].messages[1]
    assert own.settings["prompt_hash"] != plain.settings["prompt_hash"]
    assert own.settings["templates_replaced"] == ["role"]


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("rolle.jinja", "x", "Did you mean 'role'"),
        ("item.jinja", "{% if %}", "no Jinja template"),
        ("item.jinja", "{{ nothing_of_the_kind }}", "item.jinja: 'nothing_of_the_kind' is undef"),
        ("item.txt", "x", "holds no .jinja file"),
    ],
)
def test_a_wrong_template_is_an_error(tmp_path: Path, file: str, text: str, says: str) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(LLMError, match=says):
        scripted_predictor(template_dir=tmp_path).show(*item_of("P1-trams1"))
    with pytest.raises(LLMError, match="no such folder"):
        scripted_predictor(template_dir=tmp_path / "none")


def test_texts_of_an_interview_are_no_templates() -> None:
    item, person = item_of("P1-trams1")
    turn = item.context.turns[0].replace(answer="{{ 7 * 6 }} {% raw %} <b>&")
    changed = item.replace(context=item.context.replace(turns=(turn,)))
    assert "{{ 7 * 6 }} {% raw %} <b>&" in scripted_predictor().show(changed, person)


def test_every_template_says_its_version_and_is_used() -> None:
    from importlib.resources import files

    folder = files("beliefgraph.baselines.llm").joinpath("templates")
    found = {path.name.removesuffix(".jinja"): path for path in folder.iterdir()}
    assert set(found) == set(TEMPLATES)
    for path in found.values():
        assert path.read_text(encoding="utf-8").startswith("{# Version 1.")


# --- what leaks ------------------------------------------------------------------------------

OTHERS = {**ANSWERS, "P2": (10, 1, 2, 1, 1), "P3": (1, 2, 1, 2, 2)}
OWN = {**ANSWERS, "P1": (1, 1, 5, 2, 1)}


def prompts_about(
    who: str, strategy: str, protocol: Protocol, answers: dict[str, tuple[int, ...]]
) -> list[str]:
    run, requests = asked_by(strategy, protocol, invented_items(answers), read_graph=graph_of)
    assert len(run.outcomes) <= len(requests)
    return [
        text_of(request)
        for request in requests
        if f"age: {29 + int(who[1])}\n" in text_of(request).split("# How other people")[0]
    ]


@pytest.mark.parametrize("name", WITHOUT_VECTORS)
def test_no_prompt_depends_on_the_targets_answers(name: str) -> None:
    protocol: Protocol = "population-informed" if STRATEGIES[name].learns else "zero-shot"
    before = prompts_about("P1", name, protocol, ANSWERS)
    assert before
    assert before == prompts_about("P1", name, protocol, OWN)


@pytest.mark.parametrize("name", [n for n in WITHOUT_VECTORS if not STRATEGIES[n].learns])
def test_a_zero_shot_prompt_holds_nothing_of_other_people(name: str) -> None:
    before = prompts_about("P1", name, "zero-shot", ANSWERS)
    assert before == prompts_about("P1", name, "zero-shot", OTHERS)
    assert not any("P2" in text or "P3" in text for text in before)
    assert not any("The hidden answer" in text for text in before)


@pytest.mark.parametrize("name", ["few-shot", "few-shot-profiles"])
def test_few_shot_shows_others_and_never_the_target(name: str) -> None:
    before = prompts_about("P1", name, "population-informed", ANSWERS)
    assert before != prompts_about("P1", name, "population-informed", OTHERS)
    for text in before:
        examples = text.partition("# How other people answered")[2].partition("# The question")[0]
        assert examples
        assert "P1" not in examples
        assert "age: 30" not in examples
        assert ("P2 says" in examples) == (name == "few-shot")
        assert "The hidden answer" not in text


def test_a_real_prompt_shows_its_own_context_and_not_the_hidden_turn(hugagent: Path) -> None:
    items = bg.read_items(hugagent, strict=False)
    predictor = scripted_predictor()
    for answered in items.answered:
        item = answered.item
        person = visible_person(items, item, "zero-shot")
        shown = predictor.requests(item, person)[-1].messages[-1].content
        said = [" ".join(turn.answer.split()) for turn in item.context.turns]
        assert all(answer in shown for answer in said)
        hidden = " ".join(answered.source.answer.split()) if answered.source else ""
        if len(hidden) > 40 and not any(hidden in answer for answer in said):
            assert hidden not in shown
        question = shown.rpartition("# The question, on ")[2]
        assert " ".join(item.question.text.split()) in " ".join(question.split())


def test_few_shot_knows_nothing_under_zero_shot_and_asks_nothing() -> None:
    run, requests = asked_by("few-shot")
    assert not requests
    assert {o.value for o in run.outcomes} == {None}
    assert "population-informed" in str(run.outcomes[0].could_not)


def test_few_shot_takes_the_same_question_first_and_never_the_target() -> None:
    items = invented_items()
    people = [items.answered_person(name) for name in ("P1", "P2", "P3")]
    fitted = FewShotPredictor(ScriptedChat(seven)).fit(people)
    item, person = item_of("P1-trams1", items)
    shown = fitted.show(item, person)
    examples = shown.partition("# How other people answered")[2].partition("# The question")[0]
    assert sorted(re.findall(r"Answer: (.*)", examples)) == ["C = 3", "E = 5"]
    assert examples.count("How far do you support trams?") == 2
    alone = FewShotPredictor(ScriptedChat([])).fit(people[:1])
    assert alone.predict(item, person).could_not is not None


def test_state_given_answers_are_shown_where_the_protocol_gives_them() -> None:
    _, given = asked_by("interview", "state-given")
    stances = [text_of(r) for r in given if "would that change" in text_of(r)]
    assert "How far do you support trams? Answer: 8 (1 to 10)" in stances[0]
    _, blind = asked_by("interview")
    assert not any("answered before" in text_of(request) for request in blind)


def test_a_fit_changes_a_copy() -> None:
    predictor = FewShotPredictor(ScriptedChat(seven))
    items = invented_items()
    fitted = predictor.fit([items.answered_person("P2")])
    item, person = item_of("P1-trams1")
    assert fitted.predict(item, person).value is not None
    assert predictor.predict(item, person).could_not is not None
    assert predictor.report.answers == 1  # counts are of both


# --- the one policy, counts and costs --------------------------------------------------------


def test_an_unread_answer_is_could_not_and_is_counted() -> None:
    said = iter(["The answer is B", "eleven", "7.5"] * 20)
    predictor = LLMPredictor(ScriptedChat(lambda _: next(said)))
    run = evaluate(predictor, invented_items())
    unread = [outcome for outcome in run.outcomes if outcome.value is None]
    assert len(unread) == 24
    assert all(str(o.could_not).startswith("the answer cannot be read: ") for o in unread)
    assert predictor.report.answers == 36
    assert predictor.report.unparsed_rate == pytest.approx(2 / 3)
    assert math.isnan(LLMPredictor(ScriptedChat([])).report.unparsed_rate)


def counted(request: ChatRequest) -> ChatResponse:
    said = seven(request)
    return ChatResponse(
        text=said if isinstance(said, str) else json.dumps(said),
        prompt_tokens=100,
        completion_tokens=5,
        cost=0.01,
    )


def test_tokens_and_costs_are_kept_for_every_item(tmp_path: Path) -> None:
    items = invented_items()
    for first in (True, False):
        chat = CachedChat(ScriptedChat(counted), tmp_path / "answers.sqlite")
        predictor = LLMPredictor(chat, strategy="generative-agents")
        run = evaluate(predictor, items)
        details = [outcome.details for outcome in run.outcomes]
        assert sum(each["calls"] for each in details) == 72
        assert sum(each["prompt_tokens"] for each in details) == 7200
        assert sum(each["cost"] for each in details) == pytest.approx(0.72)
        assert sum(each["from_cache"] for each in details) == (0 if first else 72)
        assert predictor.report.usage.calls == (72 if first else 0)
        assert predictor.report.usage.cost == pytest.approx(0.72 if first else 0)
        chat.close()


def test_the_estimate_counts_what_the_run_then_asks() -> None:
    for name in ("interview", "no-context", "few-shot", "generative-agents"):
        protocol: Protocol = "population-informed" if STRATEGIES[name].learns else "zero-shot"
        chat = ScriptedChat(seven)
        predictor = llm_predictor(chat, strategy=name)
        before = estimate(predictor, invented_items(), protocol=protocol, count_tokens=len)
        assert not chat.requests
        evaluate(predictor, invented_items(), protocol=protocol)
        distinct = {request.key("") for request in chat.requests}
        assert (before.items, before.requests) == (36, len(distinct))
        if name != "generative-agents":
            texts = {r.key(""): r.messages for r in chat.requests}.values()
            exact = sum(len(m.content) + 4 for messages in texts for m in messages)
            assert before.prompt_tokens == exact


def test_the_estimate_knows_prices_and_the_cache(tmp_path: Path) -> None:
    items = invented_items()
    with CachedChat(ScriptedChat(seven), tmp_path / "answers.sqlite") as chat:
        predictor = LLMPredictor(chat)
        found = estimate(predictor, items, prices=Prices(prompt=1e6, completion=0))
        assert found.cost == found.prompt_tokens
        assert found.most_completion_tokens == 36 * 256
        predictor.predict(*item_of("P1-trams1"))
        assert estimate(predictor, items).from_cache == 1
        assert "36 requests (1 in the cache)" in str(estimate(predictor, items))
    assert about_tokens("x" * 9) == 3


def test_a_dry_run_shows_the_first_prompt_and_asks_nothing() -> None:
    predictor = LLMPredictor(ScriptedChat([]), strategy="generative-agents")
    shown = first_prompt(predictor, invented_items())
    assert shown.startswith("=== system ===\n")
    assert shown.count("=== user ===") == 4


# --- seeds and names -------------------------------------------------------------------------


def test_seeds_are_several_samples_or_an_error() -> None:
    warm = scripted_predictor(temperature=0.7)
    runs = [evaluate(each, invented_items()) for each in samples(warm, [1, 2])]
    values = [[outcome.value for outcome in run.outcomes] for run in runs]
    assert values[0] != values[1]
    settings = [run.configuration["settings"] for run in runs]
    assert [each["seed"] for each in settings] == [1, 2]
    assert settings[0] == scripted_predictor(temperature=0.7, seed=1).settings
    with pytest.raises(SurveyError, match="seeds must differ"):
        samples(warm, [1, 1])
    with pytest.raises(SurveyError, match="temperature 0 are one sample"):
        samples(scripted_predictor(), [1, 2])
    assert "no further sample" in scripted_predictor().settings["note"]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: find_strategy("interveiw"), "Did you mean 'interview'"),
        (lambda: find_strategy("rag+chain"), "must be 'cot'"),
        (lambda: scripted_predictor(top=0), "top must be a whole number"),
        (lambda: LLMPredictor(ScriptedChat([]), strategy="few-shot"), "FewShotPredictor"),
        (lambda: FewShotPredictor(ScriptedChat([]), strategy="rag"), "LLMPredictor"),
        (lambda: Strategy("mine", frozenset({"grph"})), "Did you mean 'graph'"),
        (lambda: make_predictor("llm-rga:m@http://localhost:1/v1"), "Did you mean 'rag'"),
        (lambda: make_predictor("llm:m@localhost:1/v1"), "must be a URL"),
        (lambda: make_predictor("lm:m@http://ann:pa55@host/v1"), "llm:MODEL@URL"),
    ],
)
def test_a_wrong_name_or_number_is_an_error(make: Callable[[], Any], says: str) -> None:
    with pytest.raises(BeliefGraphError, match=says) as caught:
        make()
    assert "pa55" not in str(caught.value)


def test_a_strategy_of_ones_own() -> None:
    own = Strategy("graph-rag", frozenset({"background", "graph", "excerpts"}))
    predictor = scripted_predictor(own, read_graph=graph_of)
    assert predictor.name == "llm-graph-rag:scripted"
    shown = predictor.show(*item_of("P1-trams1"))
    assert "fares -> Support for trams" in shown
    assert "P1 says 1 of trams" in shown


def test_the_scripted_predictor_is_made_by_name() -> None:
    one, two = make_predictor("scripted", seed=1), make_predictor("scripted", seed=1)
    assert one.name == "scripted"
    assert evaluate(one, invented_items()).outcomes[0].value is not None
    assert one.settings == two.settings
    assert one.settings["seed"] == 1


# --- what the documentation says -------------------------------------------------------------


def table_rows() -> list[tuple[list[str], str]]:
    """The examples and results of the table in the module that reads answers."""
    rows = re.findall(r"^\| (.+) \| (.+) \|$", answers.__doc__ or "", re.MULTILINE)[1:]
    return [(re.findall(r"`([^`]+)`", examples), result) for examples, result in rows]


def test_the_table_of_answers_is_what_is_done() -> None:
    rows = table_rows()
    assert {result for _, result in rows} == {"7", "-1", "nothing"}
    for examples, result in rows:
        assert len(examples) >= 3
        for text in examples:
            found = read_answer(text, SIGNS if result == "-1" else TEN).point
            assert found == (None if result == "nothing" else int(result)), text


def test_the_page_shows_the_real_prompt_tables_and_strategies() -> None:
    if not DOC.is_file():
        pytest.skip("the documentation is not beside these tests")
    page = DOC.read_text(encoding="utf-8")
    code, shown = re.findall(
        r"```python\n([^`]*scripted_predictor\(\)\.show.*?)```\n\nprints\n\n```text\n(.*?)\n```",
        page,
        re.DOTALL,
    )[0]
    names: dict[str, Any] = {}
    exec(compile(code, DOC.name, "exec"), names)
    assert names["shown"] == shown
    table = re.findall(r"\| what is said.*?\n\n", answers.__doc__ or "", re.DOTALL)[0]
    assert table in page
    for strategy in STRATEGIES.values():
        row = f"| `{strategy.name}` | {strategy.says} | {', '.join(strategy.parts)} |"
        assert row in page
