"""How the orientation networks are trained and scored; torch is imported inside functions alone."""
