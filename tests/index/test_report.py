"""How figures and explanations are shown."""

from __future__ import annotations

from watchword import KeywordIndex, PatternIndex, Stats


def test_figures_are_shown_in_lines() -> None:
    stats = Stats("keywords", "auto", 12_000, 1, 2, 0, 7, 1_234_567, 9, "groups read", 2.5, 4, 1, {"delta": 3})
    assert (
        repr(stats)
        == """\
Stats of keywords, method 'auto'
  subscriptions              12,000
  clauses                         1
  atoms                           2
  nodes                           0
  postings                        7
  bytes                   1,234,567
  catalog_bytes                   9
  operation             groups read
  operations_per_match         2.50
  events                          4
  nulls                           1
  delta                           3"""
    )
    html = stats._repr_html_()
    assert html.startswith("<table><caption>keywords, method auto</caption>") and html.count("<tr>") == 12
    assert ">1,234,567</td>" in html


def test_explanations_are_shown_without_acting() -> None:
    index = KeywordIndex({"s": 'tea OR "a <b>"'})
    shown = index.explain("a <i>", "s")._repr_html_()
    assert shown.startswith(
        "<b>no match</b>: <code>tea OR &quot;a &lt;b&gt;&quot;</code><ul><li>✗ missing tea in: tea</li>"
    )
    assert index.explain("tea", "s")._repr_html_().count("✓") == 1


def test_one_is_not_many() -> None:
    assert repr(KeywordIndex({"s": "tea"})) == "<KeywordIndex of 1 subscription, method 'auto'>"
    assert repr(PatternIndex({"s": "tea"}).stream()) == "<StreamMatcher of 1 subscription, 0 characters in>"
    assert repr(KeywordIndex(method="trie")) == "<KeywordIndex of 0 subscriptions, method 'trie'>"


def test_an_index_in_a_notebook_shows_its_first_subscriptions_and_runs_nothing() -> None:
    index = KeywordIndex({"<b>": "tea <script>x</script>", "\u202ebad": "y" * 300})
    html = index._repr_html_()
    assert html.startswith("<b>KeywordIndex</b> of 2 subscriptions, method auto<table><tr>")
    assert "&lt;b&gt;</td>" in html and "<code>tea &lt;script&gt;x&lt;/script&gt;</code>" in html
    assert "\\u202ebad" in html and "y" * 200 + "…" in html and "y" * 201 not in html
    many = KeywordIndex(dict.fromkeys(range(12), "tea"))
    del many[0]
    assert many._repr_html_().count("<tr>") == 10 and many._repr_html_().endswith("<p>… and 1 more</p>")
    assert ">1</td>" in many._repr_html_() and ">0</td>" not in many._repr_html_()
    assert KeywordIndex()._repr_html_() == "<b>KeywordIndex</b> of 0 subscriptions, method auto"
