"""What the graph is compared with: simple predictors and language models."""
