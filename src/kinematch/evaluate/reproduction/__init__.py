"""The five works beside our figures: their claims, experiments that repeat them, and one report."""
