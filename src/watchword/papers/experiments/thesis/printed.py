"""Tables 4.4 to 4.6 as the thesis prints them, and the names under which ours stand beside them."""

from __future__ import annotations

from watchword.papers.experiments.experiment import Row
from watchword.papers.workloads.syndication import Distribution

TABLES = {"compact-count": "4.4", "compact-trie": "4.5"}
GROWTH = "Figures 4.7, 4.8, 4.12"
PAIRS: dict[str, tuple[Distribution, ...]] = {
    "empirical": ("empirical", "uniform"),
    "anti-correlated": ("anti-correlated", "uniform"),
    "uniform": ("empirical", "anti-correlated", "uniform"),
}

_PRINTED_4_4 = (
    ("empirical", 292_457, 345_299, 1.18, 1_308_676, 7_155_958, 20.72, 210),
    ("anti-correlated", 292_480, 345_650, 1.182, 1_308_965, 7_166_796, 20.73, 210),
    ("uniform", 400_000, 800_000, 2.00, 1_501_159, 11_965_682, 19.02, 252),
)
_PRINTED_4_5 = (
    ("empirical", 7_419_246, 6_587_124, 3.456, 0.1122, 2_707_485, 2.687, 625),
    ("anti-correlated", 7_397_159, 6_791_385, 3.064, 0.0819, 3_792_186, 2.90, 650),
    ("uniform", 8_635_334, 7_914_044, 2.990, 0.0835, 4_184_549, 2.845, 725),
)
PRINTED_4_6 = (
    ("empirical", "empirical", 215_620.17, 260.99),
    ("empirical", "uniform", 544.12, 3.28),
    ("anti-correlated", "anti-correlated", 210_106.34, 211.56),
    ("anti-correlated", "uniform", 544.64, 5.39),
    ("uniform", "empirical", 591.67, 19.46),
    ("uniform", "anti-correlated", 576.82, 17.78),
    ("uniform", "uniform", 559.62, 18.31),
)
COUNT_COLUMNS = ("hash_entries", "term_nodes", "collision_list_mean", "blocks", "empty_slots", "empty_slots_mean", "MB")
TRIE_COLUMNS = ("nodes", "leaves", "path_length_mean", "internal_share", "compact_nodes", "compact_size_mean", "MB")


def tables_4_4_to_4_6() -> tuple[Row, ...]:
    """Return the three tables as rows."""
    rows: list[Row] = []
    for method, table, columns in (
        ("compact-count", _PRINTED_4_4, COUNT_COLUMNS),
        ("compact-trie", _PRINTED_4_5, TRIE_COLUMNS),
    ):
        for distribution, *values in table:
            figures = dict(zip(columns, values, strict=True))
            rows.append({"table": TABLES[method], "method": method, "distribution": distribution} | figures)
    for distribution, items, *operations in PRINTED_4_6:
        for method, count in zip(("compact-count", "compact-trie"), operations, strict=True):
            row = {"table": "4.6", "method": method, "distribution": distribution, "items": items}
            rows.append(row | {"operations": count})
    return tuple(rows)
