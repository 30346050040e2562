"""What the graph is compared with: simple predictors and language models."""

if __name__ != "beliefgraph.baselines":
    raise ImportError(
        f"this package is beliefgraph.baselines and was imported as {__name__!r}: a second copy "
        "would not know the first one's classes. Import beliefgraph.baselines, and leave the "
        "repository's root out of sys.path"
    )
