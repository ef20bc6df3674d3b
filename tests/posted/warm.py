"""Loaded by the fork server: the kernels that the children of `workload` use, so that they start in milliseconds."""

from __future__ import annotations

from tests.posted.workload import SUBSCRIPTIONS
from watchword import KeywordIndex

KeywordIndex(SUBSCRIPTIONS).match_many(["a ferry in the storm", "calm"])
