"""Compiled stages of retargeting to robots; `plain_*.py` beside this folder defines what they compute."""
