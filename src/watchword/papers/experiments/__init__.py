"""Every table and figure of the papers, measured again: ``watchword experiments list | run | report``.

One module for each paper declares its experiments (`experiment.Experiment`); `registry` finds them by name, `running`
measures them cell by cell, `plotting` draws, `report` puts everything on one page, with a verdict on each claim.
"""
