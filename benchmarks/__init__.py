"""How fast the product is, against plain Spark, an expert's code and its peers: `python -m benchmarks`."""
