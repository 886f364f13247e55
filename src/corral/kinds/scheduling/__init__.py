"""What scheduling is about: the names that people and device plugins use, pods and nodes as a scheduler reads them, queues, the
ledger. Types and spelling only; no decision is here."""
