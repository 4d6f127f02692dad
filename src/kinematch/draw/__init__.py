"""Pictures without a screen: figures, contact sheets, animations, traces and charts."""
