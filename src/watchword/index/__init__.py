"""What is every index?"""

from watchword.index.index import *  # noqa: F403
