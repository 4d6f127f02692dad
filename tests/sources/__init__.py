"""Every motion source with every controller."""
