"""``python -m watchword.cli`` is ``watchword``."""

from watchword.cli import main

main()
