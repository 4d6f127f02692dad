"""The transport form of a database: curves in few bits, compressed, for downloads; all else is measured on opening."""
