"""Benchmarks: baselines in one run on the same questions, as tables, JSON and charts."""
