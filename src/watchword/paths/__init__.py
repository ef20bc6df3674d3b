"""Which linear XPath expressions does an XML document satisfy?

A subscription passes `query` or `compiler` (text into steps), `labels` (names and conditions into numbers) and the
structure of a method: `guided` (`auto`), `yfilter`, `lazy_dfa`, and those of `pma`. A document passes `parsing`, which
makes moves of it, and a `runs.Run` of the structure.
"""

from watchword.paths.index import DocumentMatch as DocumentMatch
from watchword.paths.index import Occurrence as Occurrence
from watchword.paths.index import PathIndex as PathIndex
