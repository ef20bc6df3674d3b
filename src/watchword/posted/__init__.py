"""Events that are posted over HTTP: kept on disk until they are delivered, exactly once. No web framework, no Spark.

In the order in which an event passes through them:

- `bodies`: the body of a request as items, refused whole with the place of the fault; `events`: one event as an item;
  `cloudevents`: the three forms of CloudEvents;
- `segments`: how groups of items stand in a file; `spool`: `Spool.append` makes them durable;
- `batches`: the batches of a spool, whose bounds are on disk before anybody uses them;
- `deliverer`: `Deliverer` matches batch after batch, and writes inboxes and archive.
"""

from watchword.posted.bodies import MalformedError, UnknownTypeError, read_body
from watchword.posted.deliverer import Deliverer
from watchword.posted.spool import Spool, SpoolFullError

__all__ = ["Deliverer", "MalformedError", "Spool", "SpoolFullError", "UnknownTypeError", "read_body"]
