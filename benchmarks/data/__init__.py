"""The data of the benchmarks: what is generated, and what is read from the data folder."""
