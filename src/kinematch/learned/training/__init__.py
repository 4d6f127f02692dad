"""Training of learned motion matching; needs torch, which is imported inside functions alone."""
