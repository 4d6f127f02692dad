"""Tag filters of a search; they are read where tags are."""

from kinematch.database.filters import tag_mask

__all__ = ["tag_mask"]
