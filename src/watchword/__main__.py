"""``python -m watchword`` is the command line ``watchword``."""

from watchword.cli import main

main()
