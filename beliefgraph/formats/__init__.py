"""Read and write: interviews, graphs, pages."""
