"""How is machine code kept? `sources` says what a kernel is made of, `folders` where its code lies, `files` what lies
there, and `locator` tells numba.

The machine code of `kernels/sets/packed.py`, compiled on one kind of machine from one state of the sources::

    ~/.cache/watchword/kernels/                                          a place (folders.py)
      watchword-0.1.0-cp311-numba-0.68.1-emeraldrapids-5f0c2a91/         this version on this kind of machine
        kernels.sets.packed-0b7e6c1f2a9d4e53/                            a digest of the file and of all that it imports
          packed.match-31.py311.index                                    signature -> name of a file (files.py)
          packed.match-31.py311.8c1d…e0.code                             machine code, named after its own checksum

Invariant: names say everything that the code depends on, by content. So code that is found is right, wherever the
folder was copied to and whenever; and another version, branch or processor finds another folder.
"""
