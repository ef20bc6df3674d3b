"""The science behind the methods: on which data did the papers measure, what do they predict, what do they claim?

`workloads` generates their data from seeds, `models` holds their formulas as pure functions, `experiments` measures
their tables and figures on this machine and says which claims hold. Nothing that matches events imports this package.
"""
