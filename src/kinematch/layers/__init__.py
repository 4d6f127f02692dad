"""Layers: what changes poses after the animation, such as a clip of waving arms or a hand that reaches."""
