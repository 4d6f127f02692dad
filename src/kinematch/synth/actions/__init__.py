"""The built-in actions, made from walks, runs and stands of the walker."""

from kinematch.synth.actions.card import ActionMotion, list_actions, perform_action

__all__ = ["ActionMotion", "list_actions", "perform_action"]
