"""Problems of other engines, to be solved and graded here."""
